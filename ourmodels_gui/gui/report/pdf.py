"""A report as a PDF file, with or without a display."""

import os
import sys

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF
from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPainter, QPdfWriter

from ...report.pdf_file import finished
from ...report.shapes import Report
from .lettering import POINT
from .pages import Pages

_EMPTY_XMP = (
    b'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/><?xpacket end="w"?>'
)
"""In place of the one that Qt would write with the time of day."""


def to_pdf(report: Report, pages: Pages | None = None) -> bytes:
    """The file. Parameters: report; pages, the same report already set. Needs an application."""
    pages = pages or Pages(report)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(72 * POINT)
    size = QPageSize(
        QSizeF(pages.size_points), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch
    )
    portrait = QPageLayout.Orientation.Portrait
    writer.setPageLayout(QPageLayout(size, portrait, QMarginsF(0, 0, 0, 0)))
    writer.setDocumentXmpMetadata(QByteArray(_EMPTY_XMP))
    for attached in report.attachments:
        writer.addFileAttachment(attached.name, QByteArray(attached.data), "application/json")
    painter = QPainter(writer)
    try:
        for index in range(len(pages)):
            if index:
                writer.newPage()
            pages.paint(painter, index)
    finally:
        painter.end()
    return finished(bytes(buffer.data().data()), report, pages.bookmarks())


def application() -> QGuiApplication:
    """The application that fonts need; one without windows where none runs yet."""
    running = QGuiApplication.instance()
    if isinstance(running, QGuiApplication):
        return running
    blind = not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if sys.platform.startswith("linux") and blind:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return QGuiApplication(["ourmodels"])
