"""A report drawn as pictures of its pages and written as a file; runs beside the window."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from ... import paths
from ...files import write_whole
from ...language import english, tr
from ...library.load import Library
from ...problem import BadInput
from ...report import csv_tables, html, markdown
from ...report.known import Known, gather
from ...report.shapes import Options, Report
from ..background import Request
from .lettering import POINT
from .pages import Pages
from .pdf import to_pdf

Make = Callable[[Known, Options], Report]

RENDERERS: dict[str, Callable[[Report], bytes]] = {
    ".pdf": to_pdf,
    ".md": markdown.to_markdown,
    ".html": html.to_html,
    ".csv": csv_tables.to_csv,
}


class Page(NamedTuple):
    """A page as a picture; place: from 0; pages: how many there are."""

    place: int
    pages: int
    picture: QImage


class Maker:
    """Draws previews and writes files of one report, in English; one call at a time, in any thread.

    Parameters: make, what the report is of; library, that its evaluations were made with.
    """

    def __init__(self, make: Make, library: Library) -> None:
        self._make = make
        self._library = library
        self._known: Known | None = None

    def draw(self, options: Options, width_px: int, request: Request) -> None:
        """Tell the title, then each `Page`, `width_px` wide."""
        with english():
            report = self._report(options)
            request.tell(report.title)
            pages = Pages(report)
            for place in range(len(pages)):
                if request.stop():
                    return
                request.tell(Page(place, len(pages), picture(pages, place, width_px)))

    def write(self, path: Path, options: Options) -> Path:
        """Write the file whole, in the format of its suffix, or leave what was there.

        Raises BadInput when it cannot be.
        """
        try:
            with english():
                made = RENDERERS[path.suffix.lower()](self._report(options))
            write_whole(path, made)
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error)
            words = tr("{path} cannot be written: {reason}. Nothing was saved.")
            raise BadInput("", words.format(path=path, reason=reason)) from error
        return path

    def _report(self, options: Options) -> Report:
        if self._known is None:
            self._known = gather(self._library, paths.catalog(), paths.user_data())
        return self._make(self._known, options)


def picture(pages: Pages, index: int, width_px: int) -> QImage:
    """One page on white."""
    size = pages.size_points
    scale = width_px / size.width()
    image = QImage(width_px, round(size.height() * scale), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale / POINT, scale / POINT)
    pages.paint(painter, index)
    painter.end()
    return image
