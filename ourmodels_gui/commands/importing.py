"""`ourmodels import PATH [--save]`: what a model file holds."""

import argparse
from pathlib import Path

from .terminal import BAD_INPUT, DONE, NO_FILE, Refused, put, reason, tell


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("import", help="read a model file and say what it is")
    parser.add_argument("path", type=Path, metavar="PATH", help="a model's file or folder")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--save", action="store_true", help="keep it among your own models")
    parser.add_argument("--name", metavar="NAME", help="what to call it")
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="answer to a question that the files leave open",
    )
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    from .. import paths  # noqa: PLC0415
    from ..library.importers.importing import import_model, named  # noqa: PLC0415
    from ..library.importers.profile_text import as_json, as_text  # noqa: PLC0415
    from ..library.load import load  # noqa: PLC0415
    from ..library.user import add_model  # noqa: PLC0415

    user = paths.user_data()
    answers = dict(answer.partition("=")[::2] for answer in asked.answer)
    library = load(paths.catalog(), user)
    try:
        imported = named(import_model(asked.path, library, answers), asked.name)
        status = put(as_json(imported) if asked.json else as_text(imported).encode())
        if imported.problems:
            raise Refused(f"{asked.path}: {'; '.join(imported.problems)}", BAD_INPUT)
        if asked.save and status == DONE:
            place, _ = add_model(user, imported.record, frozenset(library.models))
            tell(f"saved as {place}")
    except OSError as error:
        raise Refused(f"{asked.path}: cannot be read: {reason(error)}", NO_FILE) from None
    return status
