"""JSON that leaves nothing to guess: bytes -> plain values, the path of the key in every message.

Refused: anything but UTF-8, a repeated key, NaN and infinities, half a surrogate pair, values
nested too deeply.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from .language import tr
from .problem import BadInput, brief

MAX_BYTES = 4_000_000
MAX_DEPTH = 40

Read = TypeVar("Read")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object before its keys are known to be unique."""


def parse(text: str | bytes) -> Any:
    """JSON text -> dicts, lists, texts, numbers, bools and None.

    Raises BadInput with the path of the offending key, or "" for the whole text.
    """
    if len(text) > MAX_BYTES:
        raise BadInput(
            "", tr("the file is larger than {max_bytes} MB").format(max_bytes=MAX_BYTES // 1000000)
        )
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput(
                "",
                tr("the file is not UTF-8 text (byte {start}); save it as UTF-8").format(
                    start=error.start
                ),
            ) from None
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise BadInput("", tr("the file is empty"))
    try:
        return plain(
            json.loads(
                text, object_pairs_hook=_Pairs, parse_constant=float, parse_int=_whole_number
            )
        )
    except json.JSONDecodeError as error:
        raise BadInput(
            "",
            tr("not valid JSON, line {lineno} column {colno}: {msg}").format(
                lineno=error.lineno, colno=error.colno, msg=error.msg
            ),
        ) from None
    except RecursionError:
        raise BadInput("", tr("the values are nested too deeply")) from None


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= 20 else float(digits)


def plain(value: Any, path: str = "", depth: int = 0) -> Any:
    """The same values with unique keys, finite numbers and encodable texts, or BadInput."""
    if depth > MAX_DEPTH:
        raise BadInput(path, tr("the values are nested too deeply"))
    if isinstance(value, dict):
        value = _Pairs(value.items())
    if isinstance(value, _Pairs):
        unique: dict[str, Any] = {}
        for key, item in value:
            _text(key, path)
            here = join(path, key)
            if key in unique:
                raise BadInput(here, tr("this key stands twice; keep one of them"))
            unique[key] = plain(item, here, depth + 1)
        return unique
    if isinstance(value, list | tuple):
        return [plain(item, f"{path}[{i}]", depth + 1) for i, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(path, tr("not a finite number; write a plain number"))
    if isinstance(value, str):
        _text(value, path)
    return value


def _text(text: str, path: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput(path, tr("the text holds half a character (a lone surrogate)")) from None


def join(path: str, key: str) -> str:
    """The path of a key; long or odd keys are cut so that a message stays one line."""
    key = brief(key, 80)
    return f"{path}.{key}" if path else key


def of_file(path: str | Path, read: Callable[[bytes], Read]) -> Read:
    """What `read` makes of a file. Raises OSError when it cannot be read; BadInput, which names
    the file."""
    with open(path, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        return read(content)
    except BadInput as bad:
        raise BadInput(bad.problem.key, bad.problem.message, str(path)) from None
