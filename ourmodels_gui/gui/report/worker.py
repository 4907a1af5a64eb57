"""One worker that sets, draws and writes reports beside the window."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QPainter

from ... import paths
from ...files import write_whole
from ...library.load import Library
from ...problem import BadInput
from ...report import csv_tables, html, markdown
from ...report.known import Known, gather
from ...report.shapes import Options, Report
from ..task import Task
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


class Worker(QObject):
    """Draws previews, of which only the newest matters, and writes files, all of them, in turn.

    page: the next page of the newest preview. written: the path of a file that is complete.
    failed: why there is no preview, or no file. title: the one in use.
    """

    page = Signal(object)
    title = Signal(str)
    written = Signal(object)
    failed = Signal(str)

    def __init__(self, make: Make, library: Library, parent: QObject | None = None) -> None:
        """Parameters: make, what the report is of; library, that its evaluations were made with."""
        super().__init__(parent)
        self._make = make
        self._library = library
        self._known: Known | None = None
        self._newest = 0
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)

    def preview(self, options: Options, width_px: int) -> None:
        """Draw the pages anew, `width_px` wide; what an older call still draws is dropped."""
        self._newest += 1
        number = self._newest
        self._start(lambda: self._draw(number, options, width_px))

    def write(self, path: Path, options: Options) -> None:
        """Write the file whole, in the format of its suffix, or leave what was there."""
        self._start(lambda: self._write(path, options))

    def finish(self) -> None:
        """Drop the preview and wait for the files that were asked for."""
        self._newest += 1
        self._pool.waitForDone()

    def _start(self, work: Callable[[], None]) -> None:
        self._pool.start(Task(work))

    def _report(self, options: Options) -> Report:
        """Runs in the worker, one call at a time."""
        if self._known is None:
            self._known = gather(self._library, paths.catalog(), paths.user_data())
        return self._make(self._known, options)

    def _draw(self, number: int, options: Options, width_px: int) -> None:
        if number != self._newest:
            return
        try:
            report = self._report(options)
        except BadInput as bad:
            self.failed.emit(str(bad))
            return
        self.title.emit(report.title)
        pages = Pages(report)
        for index in range(len(pages)):
            if number != self._newest:
                return
            self.page.emit(Page(index, len(pages), picture(pages, index, width_px)))

    def _write(self, path: Path, options: Options) -> None:
        try:
            write_whole(path, RENDERERS[path.suffix.lower()](self._report(options)))
        except BadInput as bad:
            self.failed.emit(str(bad))
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error)
            self.failed.emit(f"{path} cannot be written: {reason}. Nothing was saved.")
        else:
            self.written.emit(path)


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
