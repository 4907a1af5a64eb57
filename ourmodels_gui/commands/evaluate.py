"""`ourmodels evaluate FILE [--text]`: the result of a scenario."""

import argparse

from .terminal import BAD_INPUT, Refused, chosen_in, put


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("evaluate", help="print the result of a scenario")
    parser.add_argument("file", metavar="FILE", help="a scenario file (.ourmodels.json)")
    parser.add_argument("--text", action="store_true", help="for a person instead of as JSON")
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    from .. import evaluation, export, paths, summary  # noqa: PLC0415
    from ..library.load import load  # noqa: PLC0415

    done = evaluation.run(chosen_in(asked.file), load(paths.catalog(), paths.user_data()))
    if done.problem is not None or done.result is None:
        raise Refused(f"{asked.file}: {done.problem}", BAD_INPUT)
    if asked.text:
        return put(summary.to_text(summary.summarise(done)).encode())
    return put(export.to_json(done.result))
