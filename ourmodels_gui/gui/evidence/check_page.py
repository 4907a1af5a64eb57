"""The answer to a checked measurement: its figures, and below what would explain it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from ...language import tr
from ...measured.check import Check, lines
from ...measured.paste import Reading
from .. import typed
from ..tables import Cell, FigureTable
from ..theme import UNIT

VALUE_LETTERS = 14


class CheckPage(QWidget):
    """Figures to read and copy; the words below can be copied as well."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = FigureTable(
            tr("Checked measurement"),
            (tr("figure"), tr("value")),
            (tr("estimate, expected routing"), "m" * VALUE_LETTERS),
            left=(0, 1),
        )
        self.words = QPlainTextEdit()
        self.words.setReadOnly(True)
        self.words.setTabChangesFocus(True)
        self.words.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.words.setAccessibleName(tr("What would explain the measurement"))
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(self.words)
        split.setSizes([200, 200])
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, UNIT, 0, 0)
        layout.addWidget(split)

    def present(self, checked: Check | None, reading: Reading | None) -> None:
        """Show a check, None when there is nothing to check, and what was not understood."""
        rows = lines(checked, typed.separators()) if checked else ()
        figures = [line for line in rows if line.role not in ("cause", "unlikely")]
        self.table.present(
            [
                (Cell(tr(line.label)), Cell(line.text, line.exact or line.text, line.note))
                for line in figures
            ],
            {at for at, line in enumerate(figures) if line.label == "ratio"},
        )
        parts: list[str] = []
        if checked is None:
            parts.append(
                tr(
                    "Paste or type a measurement. Its ceiling is computed in the conditions that "
                    "it states, under floor routing and resource limits; what it leaves open is "
                    "chosen so that the ceiling can only be higher."
                )
            )
        else:
            parts += self._explained(checked)
            if notes := [f"{tr(line.label)}: {line.note}" for line in figures if line.note]:
                parts.append("\n".join(notes))
        if reading is not None:
            parts += self._unread(reading)
        text = "\n\n".join(parts)
        if text != self.words.toPlainText():
            self.words.setPlainText(text)

    def _explained(self, checked: Check) -> list[str]:
        if checked.missing:
            named = ", ".join(map(tr, checked.missing))
            words = tr("Still to be said: {named}.")
            if checked.run.left_out:
                words = tr("Still to be said: {named} ({why}).")
            return [words.format(named=named, why=tr(checked.run.left_out))]
        if checked.refused:
            return [tr("No ceiling: {why}.").format(why=checked.refused)]
        if not checked.causes:
            return []
        above = checked.ceiling is not None and checked.ceiling.beaten
        head = tr("What would explain a rate so far below, each alone:")
        if above:
            head = tr("Above its ceiling. What would explain it, each alone:")
        told = [
            "\u2022 " + (words if cause.possible else tr("{cause} (cannot be)").format(cause=words))
            for cause in checked.causes
            for words in [f"{tr(cause.cause)}: {cause.text}"]
        ]
        return ["\n".join([head, *told])]

    def _unread(self, reading: Reading) -> list[str]:
        if not reading.unread:
            return []
        head = tr("Not understood:")
        told = [
            ": ".join(
                part
                for part in (
                    one.line and tr("line {number}").format(number=one.line),
                    one.text and tr("\u201c{text}\u201d").format(text=one.text),
                    one.why,
                )
                if part
            )
            for one in reading.unread
        ]
        if reading.more_unread:
            told.append(tr("and {count} lines more").format(count=reading.more_unread))
        return ["\n".join([head, *told])]
