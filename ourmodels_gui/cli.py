"""The command line. Only `gui` imports the window; the rest runs without a display."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from . import __version__, paths
from .commands import catalog, evaluate, importing, probe, rank, report
from .commands.terminal import BAD_INPUT, NO_FILE, Refused, tell
from .problem import BadInput


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Parameters: argv, without the program's name. Returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        asked = _parser().parse_args(
            ["gui", *arguments] if arguments in ([], ["--smoke"]) else arguments
        )
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else BAD_INPUT
    try:
        status: int = asked.run(asked)
    except Refused as refused:
        tell(str(refused))
        return refused.status
    except BadInput as bad:
        tell(str(bad))
        return BAD_INPUT
    except ImportError as fault:
        if not (library := _missing_library(str(fault))):
            raise
        packages = (paths.resources() / "debian-packages.txt").read_text(encoding="utf-8").split()
        tell(
            f"this needs the system library {library}, which is missing here. On Debian and its "
            f"relatives this line installs all that is needed: sudo apt-get install -y "
            f"{' '.join(packages)}"
        )
        return NO_FILE
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
    window.add_argument(
        "--smoke", action="store_true", help="start, answer, paint every tab, and end at once"
    )
    window.set_defaults(run=_gui)
    for command in (evaluate, report, rank, importing, probe, catalog):
        command.add(commands)
    return parser


def _missing_library(fault: str) -> str:
    """The shared library that the loader did not find, "" for any other fault.

    >>> _missing_library("libEGL.so.1: cannot open shared object file: No such file or directory")
    'libEGL.so.1'
    """
    library, colon, _ = fault.partition(": cannot open shared object file")
    return library if colon else ""


def _gui(asked: argparse.Namespace) -> int:
    from . import app, display  # noqa: PLC0415 - the window's libraries load only here

    if asked.smoke:
        return app.smoke()
    if display.can_be_missing():
        if not (kinds := display.found()):
            raise Refused(
                "there is no display to open a window on; ourmodels evaluate FILE --text answers "
                "without one",
                NO_FILE,
            )
        app.load_platform(kinds)
    return app.main(asked.file)
