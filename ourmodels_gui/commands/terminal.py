"""What the commands share: exit status, refusals in one line, output to a pipe that may close."""

import os
import sys
from pathlib import Path

from ..problem import BadInput
from ..scenario import Scenario, read_file

DONE, BAD_INPUT, NO_FILE = 0, 2, 3
"""Exit status: done (what does not fit is a result), bad input, a file that cannot be reached."""


class Refused(Exception):  # noqa: N818 - the command ends with a sentence, not a fault
    """Ends a command. message: one sentence for the person; status: the exit status."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


def chosen_in(file: str | Path) -> Scenario:
    """The scenario of a file. Raises Refused when it cannot be read or is bad input."""
    try:
        return read_file(file)
    except BadInput as bad:
        raise Refused(str(bad), BAD_INPUT) from None
    except (OSError, ValueError) as error:
        raise Refused(f"{file}: cannot be read: {reason(error)}", NO_FILE) from None


def all_in(file: str | Path) -> tuple[Scenario, ...]:
    """The scenario of a file, or every one that a PDF report carries, in order.

    Raises Refused when it cannot be read or is bad input.
    """
    from ..report.pdf_file import is_pdf, scenarios  # noqa: PLC0415 - only a PDF needs it

    try:
        if is_pdf(Path(file)):
            return scenarios(Path(file))
    except BadInput as bad:
        raise Refused(str(bad), BAD_INPUT) from None
    except (OSError, ValueError) as error:
        raise Refused(f"{file}: cannot be read: {reason(error)}", NO_FILE) from None
    return (chosen_in(file),)


def reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def tell(message: str) -> None:
    """One line to the person, beside the output."""
    print("ourmodels: " + " ".join(message.split()), file=sys.stderr)


def put(text: bytes) -> int:
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
        raise Refused(f"the output cannot be written: {reason(error)}", NO_FILE) from None
    return DONE
