"""JSON objects that stand somewhere in a text, on one line or over several."""

import json
from collections.abc import Sequence
from typing import Any

MOST_LINES = 5_000
"""Longer than any one object that a benchmark program writes."""
_DECODER = json.JSONDecoder()


def objects_at(lines: Sequence[str], at: int) -> tuple[list[dict[str, Any]], int] | None:
    """The objects of the JSON that starts at a line, and the index of the line after them.

    An array that opens alone on its line is passed over, so that its objects are read one by one
    and a cut-off end loses only the last. None when nothing that starts here is complete.

    >>> objects_at(["[", "  {", '    "a": 1', "  },", "  {", '    "a"'], 1)
    ([{'a': 1}], 4)
    """
    line = lines[at].strip()
    if line in ("[", "]", "],", "}"):
        return [], at + 1
    rows, rest = _objects(line)
    if not rest:
        return rows, at + 1
    end = _end(lines, at)
    if end is None:
        return None
    rows, rest = _objects("\n".join(lines[at : end + 1]).strip())
    return None if rest else (rows, end + 1)


def _objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """The objects in front of a text, and what of it no object accounts for."""
    found: list[dict[str, Any]] = []
    at = _past(text, int(text.startswith("[")))
    while text.startswith("{", at):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found, text[at:]
        found.append(value)
        at = _past(text, end)
    return found, text[at:].strip(" ],\r\n")


def _past(text: str, at: int) -> int:
    """The place after the blanks and commas between two objects. The text is never cut: copying
    what is left after each object would take the square of its length."""
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _end(lines: Sequence[str], at: int) -> int | None:
    """The line that closes what opens at a line: the first bracket that is indented like it."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    for number in range(at + 1, min(len(lines), at + MOST_LINES)):
        line = lines[number]
        closing = line.lstrip()[:1] in ("}", "]")
        if closing and len(line) - len(line.lstrip()) <= indent:
            return number
    return None
