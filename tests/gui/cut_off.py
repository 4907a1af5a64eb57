"""What of a window is cut off, covers something else, or lies beyond an edge.

Words may be elided where the whole of them is on hover.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QGraphicsSimpleTextItem,
    QGraphicsTextItem,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenuBar,
    QScrollArea,
    QSplitterHandle,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QTabBar,
    QTableView,
    QTabWidget,
    QWidget,
)
from visible import plain

from ourmodels_gui.gui.fields import NumberField

SLACK_PX = 1
"""Widths are whole pixels, advances are not."""
CELL_PX = 6
"""What a style leaves beside the words of a cell or a heading."""
MARGIN_PX = 4
"""Of a document, around its words: what stands in a plot."""


def cut_off(root: QWidget) -> list[str]:
    """What is wrong with a widget in sight and with all that is in it, in words."""
    return list(dict.fromkeys((*_laid_out(root), *_painted(root))))


def _laid_out(root: QWidget) -> Iterator[str]:
    for widget in (root, *root.findChildren(QWidget)):
        if not _is_in_sight(widget, root):
            continue
        for fault in (*_of_kind(widget), *_beyond(widget), *_covering(widget)):
            yield f"{_named(widget)}: {fault}"


def _is_in_sight(widget: QWidget, root: QWidget) -> bool:
    return widget.isVisible() and widget.window() is root.window() and bool(widget.width())


def _named(widget: QWidget) -> str:
    above, names = widget, []
    while above is not None and len(names) < 3:
        names.append(type(above).__name__)
        above = above.parentWidget()
    return " in ".join(names)


def _of_kind(widget: QWidget) -> Iterator[str]:
    match widget:
        case QLabel():
            yield from _of_label(widget)
        case QAbstractButton():
            yield from _of_button(widget)
        case QComboBox():
            yield from _of_combo(widget)
        case QLineEdit():
            yield from _of_line(widget)
        case QTabBar():
            for index in range(widget.count()):
                room = widget.tabRect(index).width()
                yield from _wider(widget, widget.tabText(index), room, "a tab")
        case QHeaderView():
            yield from _of_header(widget)
        case QTableView():
            yield from _of_table(widget)
        case QGraphicsView():
            yield from _of_scene(widget)
        case QScrollArea():
            if widget.horizontalScrollBar().maximum() > 0:
                yield "scrolls sideways"


def _wider(widget: QWidget, words: str, room: int, what: str, hint: str = "") -> Iterator[str]:
    words = plain(words)
    need = max(map(widget.fontMetrics().horizontalAdvance, words.split("\n")), default=0)
    if need > room + SLACK_PX and words not in plain(hint or widget.toolTip()):
        yield f"{what} {words!r} needs {need} px, has {room}"


def _of_label(label: QLabel) -> Iterator[str]:
    words = plain(label.text())
    if not words.strip():
        return
    if label.wordWrap():
        need, has = label.heightForWidth(label.width()), label.height()
        if need > has + SLACK_PX:
            yield f"{words!r} needs {need} px of height, has {has}"
        around = label.width() - label.contentsRect().width() + 2 * label.margin()
        for word in words.split():
            wide = label.fontMetrics().horizontalAdvance(word) + around
            if wide > label.width() + SLACK_PX:
                yield f"the word {word!r} of {words!r} needs {wide} px, has {label.width()}"
        return
    beside = label.width() - label.contentsRect().width() + 2 * label.margin()
    need = max(map(label.fontMetrics().horizontalAdvance, words.split("\n"))) + beside
    if re.search("<[a-z/]", label.text()):
        need = QLabel.sizeHint(label).width()
    whole = " ".join(words.rstrip("\u2026").split()) in " ".join(label.toolTip().split())
    if need > label.width() + SLACK_PX and not whole:
        yield f"{words!r} needs {need} px, has {label.width()}"
    high = label.fontMetrics().height() * len(words.split("\n"))
    if high > label.height() + SLACK_PX:
        yield f"{words!r} needs {high} px of height, has {label.height()}"


def _of_button(button: QAbstractButton) -> Iterator[str]:
    words = plain(button.text())
    if not words.strip() or words in plain(button.toolTip()):
        return
    need, high = button.sizeHint().width(), button.fontMetrics().height()
    if need > button.width() + SLACK_PX:
        yield f"{words!r} needs {need} px, has {button.width()}"
    if high > button.height() + SLACK_PX:
        yield f"{words!r} needs {high} px of height, has {button.height()}"


def _of_combo(combo: QComboBox) -> Iterator[str]:
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    part, control = QStyle.SubControl.SC_ComboBoxEditField, QStyle.ComplexControl.CC_ComboBox
    room = combo.style().subControlRect(control, option, part, combo)
    yield from _wider(combo, combo.currentText(), room.width(), "the choice")
    if combo.fontMetrics().height() > room.height() + 2 * SLACK_PX:
        yield f"{combo.currentText()!r} has {room.height()} px of height"


def _of_line(line: QLineEdit) -> Iterator[str]:
    option = QStyleOptionFrame()
    line.initStyleOption(option)
    inside = line.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, line)
    margins = line.textMargins()
    room = inside.width() - margins.left() - margins.right() - 4
    if line.isClearButtonEnabled() and line.text():
        room -= line.height()
    if not line.text():
        yield from _wider(line, line.placeholderText(), room, "the hint")
    elif isinstance(line, NumberField):
        yield from _wider(line, line.text(), room, "the number")
    if line.fontMetrics().height() > inside.height() + 2 * SLACK_PX:
        yield f"has {inside.height()} px of height"


def _of_header(header: QHeaderView) -> Iterator[str]:
    model, way = header.model(), header.orientation()
    for section in range(header.count()):
        room = header.sectionSize(section)
        at = header.sectionViewportPosition(section)
        if way != Qt.Orientation.Horizontal or header.isSectionHidden(section) or at < 0:
            continue
        words = str(model.headerData(section, way) or "")
        hint = str(model.headerData(section, way, Qt.ItemDataRole.ToolTipRole) or "")
        yield from _wider(header, words, room - CELL_PX, "the heading", hint)


def _of_table(table: QTableView) -> Iterator[str]:
    model, seen = table.model(), table.viewport().rect()
    rows = range(max(table.rowAt(0), 0), model.rowCount())
    for row in rows:
        if table.rowViewportPosition(row) > seen.bottom():
            return
        for column in range(model.columnCount()):
            index = model.index(row, column)
            place = table.visualRect(index)
            words = index.data()
            if not place.intersects(seen) or not isinstance(words, str) or not words:
                continue
            hint = index.data(Qt.ItemDataRole.ToolTipRole) or ""
            yield from _wider(table, words, place.width() - CELL_PX, "the cell", hint)
            if table.fontMetrics().height() > place.height():
                yield f"a row of {place.height()} px cuts {words!r}"


def _of_scene(view: QGraphicsView) -> Iterator[str]:
    around = MARGIN_PX + SLACK_PX
    seen = QRectF(view.viewport().rect()).adjusted(-around, -around, around, around)
    for item in view.scene().items():
        if isinstance(item, QGraphicsTextItem | QGraphicsSimpleTextItem) and item.isVisible():
            words = item.toPlainText() if isinstance(item, QGraphicsTextItem) else item.text()
            place = view.mapFromScene(item.sceneBoundingRect()).boundingRect()
            if words.strip() and not seen.contains(QRectF(place)):
                yield f"{words!r} lies at {_corners(place)} of {_corners(view.viewport().rect())}"


def _corners(rect: QRect) -> str:
    return f"{rect.left()},{rect.top()}..{rect.right()},{rect.bottom()}"


def _beyond(widget: QWidget) -> Iterator[str]:
    """Beyond the edge of its parent, where no scroll bar brings it into sight."""
    above = widget.parentWidget()
    if widget.isWindow() or above is None or _is_own(widget):
        return
    if isinstance(above.parentWidget(), QAbstractScrollArea):
        return
    place = widget.geometry()
    if not above.rect().adjusted(-1, -1, 1, 1).contains(place):
        yield f"lies at {_corners(place)} of {_corners(above.rect())}"


def _covering(widget: QWidget) -> Iterator[str]:
    """Children that lie over each other."""
    if isinstance(widget, QAbstractScrollArea | QTabWidget | QComboBox | QLineEdit):
        return
    children = [
        child
        for child in widget.children()
        if isinstance(child, QWidget)
        and child.isVisible()
        and not child.isWindow()
        and not _is_own(child)
        and not child.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    ]
    for one, other in combinations(children, 2):
        common = one.geometry() & other.geometry()
        if common.width() > SLACK_PX and common.height() > SLACK_PX:
            yield f"{_named(one)} and {_named(other)} lie over each other at {_corners(common)}"


def _is_own(widget: QWidget) -> bool:
    """Whether Qt places it itself."""
    kinds = QSplitterHandle | QMenuBar
    return (
        isinstance(widget, kinds)
        or widget.objectName().startswith("qt_")
        or (
            isinstance(widget.parentWidget(), QTabBar | QAbstractScrollArea | QComboBox | QLineEdit)
        )
    )


# What is painted


@contextmanager
def _listening() -> Iterator[list[tuple[object, QRectF, str]]]:
    """Every text that is painted on a widget: the device, where, the words."""
    said: list[tuple[object, QRectF, str]] = []
    paint = QPainter.drawText

    def listen(self, *given):
        words = next((one for one in given if isinstance(one, str)), "")
        if words.strip() and isinstance(self.device(), QWidget):
            said.append((self.device(), _place(self, given, words), words))
        return paint(self, *given)

    QPainter.drawText = listen
    try:
        yield said
    finally:
        QPainter.drawText = paint


def _place(painter: QPainter, given: tuple[object, ...], words: str) -> QRectF:
    first = given[0]
    if isinstance(first, QRect | QRectF):
        place = QRectF(painter.boundingRect(*_with_flags(given, words)))
    elif isinstance(first, QPoint | QPointF):
        place = _at(painter.fontMetrics(), QPointF(first), words)
    elif len(given) == 3:
        place = _at(painter.fontMetrics(), QPointF(given[0], given[1]), words)
    else:
        place = QRectF(painter.boundingRect(QRectF(*given[:4]), *given[4:]))
    return painter.transform().mapRect(place)


def _with_flags(given: tuple[object, ...], words: str) -> tuple[object, ...]:
    rect, rest = QRectF(given[0]), given[1:]
    flags = rest[0] if not isinstance(rest[0], str) else 0
    if not isinstance(flags, int):
        flags = getattr(flags, "value", None)
        if flags is None:
            return rect, words, rest[-1]
    return rect, flags, words


def _at(metrics: QFontMetrics, foot: QPointF, words: str) -> QRectF:
    return QRectF(metrics.tightBoundingRect(words)).translated(foot)


def _painted(root: QWidget) -> Iterator[str]:
    with _listening() as said:
        root.grab()
    by_widget: dict[QWidget, list[tuple[QRectF, str]]] = {}
    for widget, place, words in said:
        by_widget.setdefault(widget, []).append((place, words))
    for widget, texts in by_widget.items():
        above = widget.parentWidget()
        scrolls = isinstance(above, QAbstractScrollArea)
        across = scrolls and above.horizontalScrollBar().maximum()
        wide, high = (widget.width() if across else 2), (widget.height() if scrolls else 2)
        around = QRectF(widget.rect()).adjusted(-wide, -high, wide, high)  # half in sight
        for place, words in texts:
            if not around.contains(place):
                yield f"{_named(widget)}: {words!r} is painted beyond the edge"
        for (one, first), (other, second) in combinations(texts, 2):
            common = one & other
            if common.width() > 2 and common.height() > 4 and first != second:
                yield f"{_named(widget)}: {first!r} is painted over {second!r}"
