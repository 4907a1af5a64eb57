"""`ourmodels catalog check`: shape and sense of the catalog and of the user's own files."""

import argparse
from pathlib import Path

from .terminal import BAD_INPUT, DONE, NO_FILE, Refused, put


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("catalog", help="check the catalog and your own files")
    actions = parser.add_subparsers(metavar="command", required=True)
    check = actions.add_parser("check", help="list what is wrong and what to write instead")
    check.add_argument("--folder", type=Path, help="another catalog than the installed one")
    check.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    from .. import paths  # noqa: PLC0415
    from ..library.audit_report import report  # noqa: PLC0415

    folder = asked.folder or paths.catalog()
    if not folder.is_dir():
        raise Refused(f"{folder}: there is no such folder", NO_FILE)
    lines, findings = report(folder, paths.user_data())
    status = put("".join(f"{line}\n" for line in lines).encode())
    return BAD_INPUT if status == DONE and findings else status
