"""Pictures of what is drawn: PNG and SVG, to a file or the clipboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QMessageBox, QWidget

from ... import paths
from ...files import write_whole
from ...language import tr
from ..saving import ask_where
from ..theme import colours

SCALE = 2
"""Pixels of a picture for one of the screen."""


def to_image(widget: QWidget) -> QImage:
    """The widget as it stands, with twice the pixels."""
    image = QImage(widget.size() * SCALE, QImage.Format.Format_RGB32)
    image.fill(colours(widget).base)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(SCALE, SCALE)
    _paint(widget, painter)
    painter.end()
    return image


def to_png(widget: QWidget) -> bytes:
    """The widget as a PNG file."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(to_image(widget))
    return bytes(content.data())


def to_svg(widget: QWidget) -> bytes:
    """The widget as an SVG file, its words as text."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    size: QSize = widget.size()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setResolution(96)
    generator.setTitle(widget.accessibleName())
    painter = QPainter(generator)
    painter.fillRect(QRect(0, 0, size.width(), size.height()), colours(widget).base)
    _paint(widget, painter)
    painter.end()
    return bytes(content.data())


def _paint(widget: QWidget, painter: QPainter) -> None:
    if isinstance(widget, QGraphicsView):
        # The scene, not the view: the view's painting goes through pixels.
        target = QRectF(0, 0, widget.width(), widget.height())
        source = QRectF(widget.mapToScene(widget.viewport().rect()).boundingRect())
        with _drawn_anew(widget, painter):
            widget.scene().render(painter, target, source, Qt.AspectRatioMode.IgnoreAspectRatio)
    else:
        widget.render(painter, QPoint(), renderFlags=QWidget.RenderFlag.DrawChildren)


@contextmanager
def _drawn_anew(view: QGraphicsView, painter: QPainter) -> Iterator[None]:
    """Points of a plot are stamped from one bitmap, which a drawing cannot hold: paint each."""
    scale = painter.transform().m11()
    items = [item for item in view.scene().items() if hasattr(item, "setExportMode")]
    for item in items:
        item.setExportMode(True, {"antialias": True, "resolutionScale": scale})
    try:
        yield
    finally:
        for item in items:
            item.setExportMode(False)


def save_picture(widget: QWidget) -> None:
    """Ask for a file, PNG or SVG by its ending, and write it."""
    kinds = {".png": tr("PNG picture"), ".svg": tr("SVG drawing")}
    path = ask_where(widget, tr("Save the picture"), paths.home() / "plot.png", kinds)
    if path is None:
        return
    content = to_svg(widget) if path.suffix.lower() == ".svg" else to_png(widget)
    write_or_tell(path, content, widget)


def copy_picture(widget: QWidget) -> None:
    QGuiApplication.clipboard().setImage(to_image(widget))


def offer_pictures(widget: QWidget) -> None:
    """Copy and save in the menu of a widget that draws."""
    for words, does in (
        (tr("Copy picture"), copy_picture),
        (tr("Save picture…"), save_picture),
    ):
        action = QAction(words, widget)
        action.triggered.connect(lambda _checked=False, does=does: does(widget))
        widget.addAction(action)
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def write_or_tell(path: Path, content: bytes, parent: QWidget) -> bool:
    """Write the file whole, or say why it cannot be written."""
    try:
        write_whole(path, content)
    except OSError as error:
        reason = error.strerror or str(error)
        words = tr("{path} cannot be written: {reason}. Nothing was saved.")
        QMessageBox.warning(parent, tr("Our Models"), words.format(path=path, reason=reason))
        return False
    return True
