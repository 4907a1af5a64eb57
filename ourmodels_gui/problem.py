"""What is wrong with an input, in one sentence that says what to do."""

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One fault of one input.

    place: the file, or "" when the input is not a file.
    key: path of the key, such as ``workload.floor_tokens_per_s``; "" for the whole file.
    message: what is wrong and what to write instead.
    """

    place: str
    key: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.message) if part)


def brief(text: str, most: int = 40) -> str:
    """A text of the input as a message can hold it: one line, cut.

    >>> brief("a\\n b"), brief("x" * 50, 5)
    ('a b', 'xx...')
    """
    line = " ".join(text[: 2 * most].split())
    return line if len(line) <= most and len(text) <= 2 * most else line[: most - 3] + "..."


class BadInput(Exception):  # noqa: N818 - it names the input, not the program
    """Raised by readers and by ``resolve``; carries the one Problem to show."""

    def __init__(self, key: str, message: str, place: str = "") -> None:
        self.problem = Problem(place, key, message)
        super().__init__(str(self.problem))
