"""What every reader hands over: tensors by name, and the metadata that came with them."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from ...language import tr

Container = Literal["gguf", "safetensors", "config"]
Cancelled = Callable[[], bool]
"""Asked between files; true means that nobody waits for the answer any more."""


class ImportCancelled(Exception):  # noqa: N818 - it names what happened
    """The user gave up waiting; nothing was read to the end and nothing is saved."""


class Tensor(msgspec.Struct, frozen=True, gc=False):
    """One weight as it works in the model.

    shape: of the numbers it stands for, packed words undone; (experts,) rows, columns.
    stored_bytes: in the file, scales and zero points included. encoding: nearest id of
    `encodings.ENCODINGS`; the bytes are those of the file in any case.
    """

    name: str
    shape: tuple[int, ...]
    stored_bytes: int
    encoding: str


class Checkpoint(msgspec.Struct, frozen=True):
    """A model's files as read.

    metadata: GGUF keys, or the content of config.json; empty when there was none.
    files: how many were read. file_bytes: of all of them. header_bytes: what is not tensors.
    stated: facts beside the metadata, such as ``total_size`` of an index, by name.
    notes: what a reader saw and a person may want to know.
    """

    container: Container
    place: str
    tensors: tuple[Tensor, ...]
    metadata: dict[str, Any]
    files: int
    file_bytes: int
    header_bytes: int = 0
    stated: dict[str, int] = {}
    notes: tuple[str, ...] = ()


def go_on(cancelled: Cancelled | None) -> None:
    """Raise ImportCancelled when nobody waits any more."""
    if cancelled is not None and cancelled():
        raise ImportCancelled


def listed(names: list[str], most: int = 4) -> str:
    """A few names, and how many more there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = ", ".join(shorten(name) for name in names[:most])
    return (
        shown
        if len(names) <= most
        else tr("{shown} and {count:,} more").format(shown=shown, count=len(names) - most)
    )


def shorten(text: str, most: int = 80) -> str:
    """A name from a file as part of a one-line message: printable and not long."""
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain if len(plain) <= most else plain[: most - 3] + "..."
