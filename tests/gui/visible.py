"""Every text that a window shows, says or draws."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import QPainter, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QGraphicsSimpleTextItem,
    QGraphicsTextItem,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

MOST_ROWS = 40
"""Of a table: the rest is made as they are."""
SHOWN = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)


@contextmanager
def drawn() -> Iterator[list[str]]:
    """What the window paints as text meanwhile; a report's pages are drawn beside it."""
    said: list[str] = []
    paint = QPainter.drawText

    def listen(self, *given):
        if threading.current_thread() is threading.main_thread():
            said.extend(one for one in given if isinstance(one, str))
        return paint(self, *given)

    QPainter.drawText = listen
    try:
        yield said
    finally:
        QPainter.drawText = paint


def texts(root: QWidget) -> Iterator[str]:
    """The texts of a widget and of all that is in it, hidden parts included."""
    for widget in (root, *root.findChildren(QWidget)):
        if not _is_menu_of_a_plot(widget):
            yield from filter(None, (*_of_any(widget), *_of_kind(widget)))


def _is_menu_of_a_plot(widget: QWidget) -> bool:
    """pyqtgraph makes a menu that it is told not to show."""
    above = widget
    while isinstance(above := above.parent(), QWidget):
        if isinstance(above, QGraphicsView):
            return isinstance(widget, QMenu) or isinstance(widget.window(), QMenu)
    return False


def _of_any(widget: QWidget) -> Iterator[str]:
    yield widget.toolTip()
    yield widget.statusTip()
    yield widget.whatsThis()
    yield widget.accessibleName()
    yield widget.accessibleDescription()
    yield widget.windowTitle()
    for action in widget.actions():
        yield action.text()
        yield action.toolTip()


def _of_kind(widget: QWidget) -> Iterator[str]:
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QComboBox():
            for index in range(widget.count()):
                yield widget.itemText(index)
                yield str(widget.itemData(index, Qt.ItemDataRole.ToolTipRole) or "")
        case QLineEdit():
            yield widget.placeholderText()
            yield widget.text() if widget.isReadOnly() else ""
        case QTabBar():
            for index in range(widget.count()):
                yield widget.tabText(index)
                yield widget.tabToolTip(index)
        case QPlainTextEdit() | QTextEdit():
            yield widget.placeholderText()
            yield widget.toPlainText() if widget.isReadOnly() else ""
        case QMenu():
            yield widget.title()
        case QAbstractItemView():
            yield from _of_model(widget)
        case QGraphicsView():
            for item in widget.scene().items():
                if isinstance(item, QGraphicsTextItem):
                    yield item.toPlainText()
                elif isinstance(item, QGraphicsSimpleTextItem):
                    yield item.text()


def _of_model(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    if model is None:
        return
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    for column in range(columns):
        for role in SHOWN:
            yield _said(model.headerData(column, Qt.Orientation.Horizontal, role))
        for row in range(min(MOST_ROWS, model.rowCount())):
            for role in SHOWN:
                yield _said(model.data(model.index(row, column), role))


def _said(value: object) -> str:
    return value if isinstance(value, str) else ""


def plain(text: str) -> str:
    """Without its markup and mnemonics."""
    if re.search(r"<[a-z/][^>]*>", text):
        document = QTextDocument()
        document.setHtml(text)
        text = document.toPlainText()
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")
