"""How a figure comes about, as text, and a small window that shows it beside the figure."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from ...language import tr
from ...summary import Row
from ...units import exact
from ..theme import CARD_PADDING, UNIT, fixed_font, px

WIDE_PX, LEAST_LINES, MOST_LINES = 520, 6, 18


def working_of(row: Row) -> str:
    """The derivation of a figure: its formula, the same with values, and where each comes from."""
    kind = f" ({tr(row.kind)})" if row.kind else ""
    lines = [row.label, f"  {row.text} {row.unit}".rstrip() + kind]
    if row.note:
        lines.append(f"  {row.note}")
    if row.formula:
        lines += ["", row.formula]
    if row.worked:
        lines.append(f"= {row.worked}")
    if row.inputs:
        lines.append("")
    for given in row.inputs:
        source = f"  [{given.source}]" if given.source else ""
        lines.append(f"{given.symbol} = {given.text}{source}")
    return "\n".join(lines)


def shown_exactly(row: Row) -> str:
    """Every digit of a figure with its unit.

    >>> shown_exactly(Row("spare_gb", "Spare", "0.1", "GB", value=0.125))
    '0.125 GB'
    """
    value = row.text if row.value is None else row.value
    digits = value if isinstance(value, str) else exact(value)
    return f"{digits} {row.unit}".strip()


class WorkingWindow(QFrame):
    """The working of one figure, to read and to copy; closes on Escape or a click elsewhere."""

    def __init__(self, row: Row, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(tr("Working of {figure}").format(figure=row.label))
        self.text = QPlainTextEdit(working_of(row))
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(fixed_font())
        self.text.setAccessibleName(self.accessibleName())
        self.copy = QPushButton(tr("Copy"))
        self.copy.setAccessibleName(tr("Copy the working"))
        self.copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self.text.toPlainText())
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, CARD_PADDING, CARD_PADDING, CARD_PADDING)
        layout.setSpacing(UNIT)
        layout.addWidget(self.text)
        layout.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignRight)
        lines = min(max(self.text.blockCount() + 2, LEAST_LINES), MOST_LINES)
        self.text.setFixedHeight(lines * self.text.fontMetrics().lineSpacing() + 4 * UNIT)
        self.setFixedWidth(px(WIDE_PX))


def open_working(row: Row, beside: QWidget) -> WorkingWindow:
    """Show the working below a widget, inside the screen."""
    window = WorkingWindow(row, beside)
    window.adjustSize()
    screen = beside.screen().availableGeometry()
    corner = beside.mapToGlobal(QPoint(0, beside.height() + UNIT))
    corner.setX(max(screen.left(), min(corner.x(), screen.right() - window.width())))
    corner.setY(max(screen.top(), min(corner.y(), screen.bottom() - window.height())))
    window.move(corner)
    window.show()
    window.text.setFocus()
    return window
