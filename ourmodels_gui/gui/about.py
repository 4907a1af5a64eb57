"""What the program is, in which versions, and under which licences everything in it stands."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from .. import paths
from ..language import tr
from .folding import Scrolled
from .theme import CARD_PADDING, GROUP_GAP, fixed_font, open_at, px, sized
from .versions import as_lines, versions

ICON_PX = 64
OWN = ("NOTICE", "LICENSE")
TEXT_PX = 120
"""The least height of the text of a licence."""


class About(QDialog):
    """Versions above, to copy; below them the licences, one text at a time."""

    def __init__(self, catalog: str, parent: QWidget | None = None) -> None:
        """Parameters: catalog, the version of its figures."""
        super().__init__(parent)
        self.setWindowTitle(tr("About Our Models"))
        self._versions = versions(catalog)
        self.licences = QListWidget(self)
        self.licences.setAccessibleName(tr("Licences"))
        self.text = QPlainTextEdit(self, readOnly=True)
        self.text.setAccessibleName(tr("Text of the licence"))
        self.text.setFont(fixed_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._files = licence_files()
        self.licences.addItems([path.stem for path in self._files])
        self.licences.setFixedWidth(self.licences.sizeHintForColumn(0) + 3 * CARD_PADDING)
        self.licences.currentRowChanged.connect(self._show)
        texts = QHBoxLayout()
        texts.addWidget(self.licences)
        texts.addWidget(self.text, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(tr("Copy versions"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self.copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP_GAP, GROUP_GAP, GROUP_GAP, GROUP_GAP)
        layout.setSpacing(CARD_PADDING)
        self.text.setMinimumHeight(px(TEXT_PX))
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(CARD_PADDING)
        column.addLayout(self._head())
        column.addLayout(texts, 1)
        layout.addWidget(Scrolled(page, sideways=False), 1)
        layout.addWidget(buttons)
        open_at(self, 760, 640)
        self.licences.setCurrentRow(0)

    def copy(self) -> None:
        """Put the versions on the clipboard."""
        QGuiApplication.clipboard().setText(as_lines(self._versions))

    def _head(self) -> QHBoxLayout:
        picture = QLabel(self)
        picture.setPixmap(icon().pixmap(ICON_PX, ICON_PX))
        name = QLabel(tr("Our Models Desktop"), self)
        name.setFont(sized("heading"))
        words = QLabel(
            tr(
                "Ceilings on how fast a machine can serve an open language model, from its "
                "memory, bandwidth and compute. It works offline and sends nothing anywhere."
            ),
            self,
        )
        words.setWordWrap(True)
        rows = QFormLayout()
        rows.setVerticalSpacing(0)
        for title, value in self._versions:
            row = QLabel(value, self)
            row.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            rows.addRow(tr(title), row)
        column = QVBoxLayout()
        column.addWidget(name)
        column.addWidget(words)
        column.addLayout(rows)
        head = QHBoxLayout()
        head.setSpacing(GROUP_GAP)
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(column, 1)
        return head

    def _show(self, row: int) -> None:
        self.text.setPlainText(self._files[row].read_text(encoding="utf-8", errors="replace"))


def icon() -> QIcon:
    """The program's own."""
    return QIcon(str(paths.resources() / "icons" / "ourmodels.svg"))


def licence_files() -> tuple[Path, ...]:
    """What is shipped and under what, then every licence's text; a bundle adds its own to them."""
    own = [paths.shipped() / name for name in OWN]
    return (*own, *sorted((paths.resources() / "licences").glob("*.txt")))
