"""The command line. Only `gui` imports the window; the rest runs without a display."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from . import __version__

DONE, BAD_INPUT, NO_FILE = 0, 2, 3
"""Exit status: done (what does not fit is a result), bad input, a file that cannot be reached."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Parameters: argv, without the program's name. Returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        asked = _parser().parse_args(arguments or ["gui"])
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    status: int = asked.run(asked)
    return status


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ourmodels",
        description="Ceilings on how fast a machine can serve an open language model.",
        epilog="Exit status: 0 done, 2 bad input or findings, 3 a file cannot be read or written.",
    )
    parser.add_argument("--version", action="version", version=f"ourmodels {__version__}")
    commands = parser.add_subparsers(metavar="command", required=True)
    window = commands.add_parser("gui", help="open the window (also without any command)")
    window.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a scenario to open")
    window.set_defaults(run=_gui)
    result = commands.add_parser("evaluate", help="print the result of a scenario")
    result.add_argument("file", metavar="FILE", help="a scenario file (.ourmodels.json)")
    result.add_argument("--text", action="store_true", help="for a person instead of as JSON")
    result.set_defaults(run=_evaluate)
    catalog = commands.add_parser("catalog", help="check the catalog and your own files")
    on_catalog = catalog.add_subparsers(metavar="command", required=True)
    checked = on_catalog.add_parser("check", help="list what is wrong and what to write instead")
    checked.add_argument("--folder", type=Path, help="another catalog than the installed one")
    checked.set_defaults(run=_check_catalog)
    return parser


def _gui(asked: argparse.Namespace) -> int:
    from . import app  # noqa: PLC0415 - the window's libraries load only here

    return app.main(asked.file)


def _evaluate(asked: argparse.Namespace) -> int:
    from . import export, paths, scenario, summary  # noqa: PLC0415 - --help stays quick
    from .evaluation import run  # noqa: PLC0415
    from .library.load import load  # noqa: PLC0415
    from .problem import BadInput  # noqa: PLC0415

    try:
        chosen = scenario.read_file(asked.file)
    except BadInput as bad:
        return _refuse(str(bad), BAD_INPUT)
    except (OSError, ValueError) as error:
        return _refuse(f"{asked.file}: cannot be read: {_reason(error)}", NO_FILE)
    evaluation = run(chosen, load(paths.catalog(), paths.user_data()))
    if evaluation.problem is not None or evaluation.result is None:
        return _refuse(f"{asked.file}: {evaluation.problem}", BAD_INPUT)
    if asked.text:
        return _print(summary.to_text(summary.summarise(evaluation)).encode())
    return _print(export.to_json(evaluation.result))


def _check_catalog(asked: argparse.Namespace) -> int:
    from . import paths  # noqa: PLC0415 - --help stays quick
    from .library.audit_report import report  # noqa: PLC0415

    folder = asked.folder or paths.catalog()
    if not folder.is_dir():
        return _refuse(f"{folder}: there is no such folder", NO_FILE)
    lines, findings = report(folder, paths.user_data())
    status = _print("".join(f"{line}\n" for line in lines).encode())
    return BAD_INPUT if status == DONE and findings else status


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _refuse(message: str, status: int) -> int:
    print("ourmodels: " + " ".join(message.split()), file=sys.stderr)
    return status


def _print(text: bytes) -> int:
    """UTF-8 whatever the terminal's encoding; a reader that has gone away ends it quietly."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except OSError as error:
        # Python tries the rest once more at its end; there it must meet something that takes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return NO_FILE
        return _refuse(f"the output cannot be written: {_reason(error)}", NO_FILE)
    return DONE
