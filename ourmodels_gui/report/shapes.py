"""The shapes of a report: what it says, not how it looks."""

from typing import Literal

import msgspec

from ..language import mark
from .pictures import Picture

SECTIONS: dict[str, str] = {
    "answer": mark("Answer"),
    "memory": mark("Memory"),
    "placement": mark("Pools and policies"),
    "decode": mark("Decode"),
    "prefill": mark("Prefill"),
    "value": mark("Value"),
    "gates": mark("Gates and figures"),
    "sensitivity": mark("What moves the answer"),
    "evidence": mark("Measured evidence"),
    "assumptions": mark("Assumptions"),
    "working": mark("Working"),
    "catalog": mark("Catalog and audit"),
    "limits": mark("What a ceiling does not say"),
    "glossary": mark("Glossary"),
}
"""Titles of the sections by id, in order; every one but the answer can be left out."""

LONGEST_CELL = 600
"""Characters of a table's cell; longer texts stand whole in the attached scenario."""

LARGEST_LOGO_BYTES = 5_000_000

Style = Literal["body", "lead", "muted", "caution"]
Paper = Literal["a4", "letter"]


class Column(msgspec.Struct, frozen=True):
    """One column of a table; weight is its share of the width."""

    title: str
    weight: float = 1.0
    numeric: bool = False


class Table(msgspec.Struct, frozen=True):
    """Rows of text; a cell may hold several lines. strong: rows that stand out."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    strong: frozenset[int] = frozenset()


class Text(msgspec.Struct, frozen=True):
    """One paragraph."""

    text: str
    style: Style = "body"


class Heading(msgspec.Struct, frozen=True):
    """A title inside a section."""

    text: str


class Bullets(msgspec.Struct, frozen=True):
    """A list; `lead` of an item is set in bold before it."""

    items: tuple[tuple[str, str], ...]


class Figure(msgspec.Struct, frozen=True):
    """A picture with the table of what it shows, for readers of text."""

    title: str
    picture: Picture
    caption: str
    table: Table


Block = Table | Text | Heading | Bullets | Figure


class Section(msgspec.Struct, frozen=True):
    """Blocks under one title; id is a key of SECTIONS."""

    id: str
    title: str
    blocks: tuple[Block, ...]


class Attachment(msgspec.Struct, frozen=True):
    """A file inside the report."""

    name: str
    data: bytes
    description: str


class Options(msgspec.Struct, frozen=True):
    """What the user may choose of a report.

    title: "" for the one that follows from what is asked. author: a name, printed and in the
    metadata. date: as it is to be printed; "" prints none. note: paragraphs of the user's own.
    logo: a PNG or JPEG picture. sections: ids to show, None for all.
    """

    title: str = ""
    author: str = ""
    date: str = ""
    note: str = ""
    logo: bytes = b""
    sections: frozenset[str] | None = None
    paper: Paper = "a4"


class Report(msgspec.Struct, frozen=True):
    """The whole document. versions: of program and catalog, for the foot of each page."""

    title: str
    question: str
    author: str
    date: str
    logo: bytes
    paper: Paper
    versions: str
    sections: tuple[Section, ...]
    attachments: tuple[Attachment, ...]


def cell(text: str) -> str:
    """A text for a table, not longer than a page can hold.

    >>> cell("short"), len(cell("x" * 5000))
    ('short', 600)
    """
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "\u2026"


def is_picture(data: bytes) -> bool:
    """Whether the bytes begin like a PNG or a JPEG."""
    return data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"))
