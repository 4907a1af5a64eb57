"""`ourmodels evaluate FILE [--text]`: the result of a scenario, or of one that a report carries."""

import argparse

from .terminal import BAD_INPUT, Refused, all_in, put, tell


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("evaluate", help="print the result of a scenario")
    parser.add_argument(
        "file", metavar="FILE", help="a scenario (.ourmodels.json), or a PDF report"
    )
    parser.add_argument("--text", action="store_true", help="for a person instead of as JSON")
    parser.add_argument(
        "--scenario", type=int, metavar="N", help="which one of a report of several (default 1)"
    )
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    from .. import evaluation, export, paths, summary  # noqa: PLC0415
    from ..library.load import load  # noqa: PLC0415

    held = all_in(asked.file)
    place = asked.scenario or 1
    if not 1 <= place <= len(held):
        raise Refused(f"{asked.file}: --scenario: there is 1 to {len(held)} in it", BAD_INPUT)
    if len(held) > 1 and asked.scenario is None:
        tell(f"{asked.file} carries {len(held)} scenarios; this is the first, see --scenario")
    done = evaluation.run(held[place - 1], load(paths.catalog(), paths.user_data()))
    if done.problem is not None or done.result is None:
        raise Refused(f"{asked.file}: {done.problem}", BAD_INPUT)
    if asked.text:
        return put(summary.to_text(summary.summarise(done)).encode())
    return put(export.to_json(done.result))
