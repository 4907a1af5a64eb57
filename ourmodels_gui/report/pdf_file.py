"""What a PDF file holds beside its pages: bookmarks, metadata, the attached scenarios."""

import hashlib
import io
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from .. import scenario as files
from .. import strict_json
from ..files import read_small
from ..problem import BadInput
from ..scenario import Scenario
from .shapes import Report

MAGIC = b"%PDF-"
MAX_BYTES = 50_000_000
MOST_FILES = 50
DEEPEST = 20
_SCENARIO = re.compile(r"scenario(?:-([2-9]))?\.ourmodels\.json")


class Bookmark(msgspec.Struct, frozen=True):
    """A title with its place: page from 0, and how far below the page's upper edge [points]."""

    title: str
    page: int
    top: float
    level: int = 0


def finished(painted: bytes, report: Report, bookmarks: Sequence[Bookmark]) -> bytes:
    """The painted pages as the file to keep: bookmarks, language, title; no clock, no chance.

    Objects are numbered by their place in the document, subsets of fonts named by it, and the
    identifier is a digest of the pages, so equal reports are equal files.
    """
    from pypdf import PdfWriter  # noqa: PLC0415 - evaluating needs no PDF
    from pypdf.generic import (  # noqa: PLC0415
        ArrayObject,
        BooleanObject,
        ByteStringObject,
        DictionaryObject,
        Fit,
        NameObject,
        TextStringObject,
    )

    writer = PdfWriter(clone_from=io.BytesIO(painted))
    writer.pdf_header = "%PDF-1.6"
    writer.metadata = {
        "/Title": report.title,
        "/Subject": report.question,
        "/Creator": report.versions,
        **({"/Author": report.author} if report.author else {}),
    }
    root = writer.root_object
    root[NameObject("/Lang")] = TextStringObject("en")
    shows_title = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    root[NameObject("/ViewerPreferences")] = shows_title
    parents: list[Any] = []
    for mark in bookmarks:
        height = float(writer.pages[mark.page].mediabox.height)
        item = writer.add_outline_item(
            title=mark.title,
            page_number=mark.page,
            parent=parents[mark.level - 1] if mark.level else None,
            fit=Fit.xyz(left=0, top=round(height - mark.top, 1)),
        )
        parents[mark.level :] = [item]
    if bookmarks:
        writer.page_mode = "/UseOutlines"
    _name_fonts(writer)
    identity = ByteStringObject(_digest(writer))
    writer._ID = ArrayObject([identity, identity])  # its own is drawn by lot
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def is_pdf(path: Path) -> bool:
    """Whether the file begins like a PDF. Raises OSError."""
    with open(path, "rb") as file:
        return MAGIC in file.read(1024)


def scenarios(path: Path) -> tuple[Scenario, ...]:
    """The scenarios attached to a report, in order.

    Raises OSError when the file cannot be read; BadInput when it is no PDF, is damaged or locked,
    or carries no scenario.
    """
    try:
        data = read_small(path, MAX_BYTES)
    except ValueError as bad:
        raise BadInput("", str(bad), str(path)) from None
    return _scenarios_of(attached(data, str(path)), path)


def _scenarios_of(held: dict[str, bytes], path: Path) -> tuple[Scenario, ...]:
    found = {}
    for name, content in held.items():
        if match := _SCENARIO.fullmatch(name):
            found[int(match[1] or 1)] = (name, content)
    if not found:
        raise BadInput("", "this PDF carries no scenario; open one that a report wrote", str(path))
    read = []
    for _, (name, content) in sorted(found.items()):
        try:
            read.append(files.read(content))
        except BadInput as bad:
            raise BadInput(bad.problem.key, bad.problem.message, f"{path}, {name}") from None
    return tuple(read)


def attached(data: bytes, place: str = "") -> dict[str, bytes]:
    """The files inside a PDF by name. Raises BadInput when it cannot be taken apart."""
    log = logging.getLogger("pypdf")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        return _embedded(data)
    except BadInput:
        raise
    except Exception:  # whatever a damaged file provokes means the same to the reader
        message = "this PDF is damaged, locked or of an unknown kind; write the report anew"
        raise BadInput("", message, place) from None
    finally:
        log.setLevel(level)


def _embedded(data: bytes) -> dict[str, bytes]:
    from pypdf import PdfReader  # noqa: PLC0415

    reader = PdfReader(io.BytesIO(data))
    names = reader.root_object.get("/Names")
    tree = names and names.get_object().get("/EmbeddedFiles")
    found: dict[str, bytes] = {}
    nodes = [(tree.get_object(), 0)] if tree is not None else []
    while nodes:
        node, depth = nodes.pop()
        if depth > DEEPEST or len(nodes) + len(found) > MOST_FILES:
            raise BadInput("", "this PDF holds more files than a report does")
        pairs = node.get("/Names")
        pairs = [] if pairs is None else pairs.get_object()
        for specification in pairs[1::2]:
            described = specification.get_object()
            name = str(described.get("/UF") or described.get("/F"))
            stream = described["/EF"].get_object()
            content = (stream.get("/UF") or stream["/F"]).get_object()
            if _SCENARIO.fullmatch(name) or name.endswith(".json"):
                found[name] = content.get_data()[: strict_json.MAX_BYTES + 1]
        kids = node.get("/Kids")
        nodes += [(kid.get_object(), depth + 1) for kid in kids.get_object()] if kids else []
    return found


def _name_fonts(writer: Any) -> None:
    """Subsets of fonts get tags in the order in which the pages use them."""
    from pypdf.generic import DictionaryObject, NameObject  # noqa: PLC0415

    named = 0
    for held in writer._objects:
        if isinstance(held, DictionaryObject) and held.get("/Type") == "/FontDescriptor":
            letters = (chr(ord("A") + named // 26**place % 26) for place in range(5))
            tag = "Q" + "".join(letters)
            plain = str(held["/FontName"]).rpartition("+")[2].lstrip("/")
            held[NameObject("/FontName")] = NameObject(f"/{tag}+{plain}")
            named += 1


def _digest(writer: Any) -> bytes:
    """Sixteen bytes that follow from everything in the file."""
    whole = hashlib.blake2b(digest_size=16)
    for held in writer._objects:
        if held is not None:
            part = io.BytesIO()
            held.write_to_stream(part)
            whole.update(part.getvalue())
    return whole.digest()
