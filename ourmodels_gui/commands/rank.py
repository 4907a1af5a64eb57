"""`ourmodels rank`: the ranking table for a workload."""

import argparse

from .terminal import BAD_INPUT, Refused, chosen_in, put, tell


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("rank", help="print the ranking of machines and models")
    parser.add_argument("--scenario", metavar="FILE", help="whose workload and prompt (a scenario)")
    parser.add_argument("--model", metavar="ID", help="machines for this model")
    parser.add_argument(
        "--weights", metavar="F", help="its weight format, or best: the largest that serves"
    )
    parser.add_argument("--hardware", metavar="ID", help="models for this machine")
    parser.add_argument("--csv", action="store_true", help="every row and digit, comma-separated")
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    from .. import paths, settings  # noqa: PLC0415
    from ..library.load import load  # noqa: PLC0415
    from ..ranking.printed import ranking_text  # noqa: PLC0415

    if asked.weights and not asked.model:
        raise Refused("--weights needs --model", BAD_INPUT)
    chosen = chosen_in(asked.scenario) if asked.scenario else None
    prices, notice = settings.load(paths.user_data())
    if notice:
        tell(notice)
    text = ranking_text(
        load(paths.catalog(), paths.user_data()),
        chosen,
        prices,
        model=asked.model,
        weights=asked.weights,
        hardware=asked.hardware,
        as_csv=asked.csv,
    )
    return put(text.encode())
