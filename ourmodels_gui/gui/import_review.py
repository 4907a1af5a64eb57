"""The review of an imported model: what it comes to, what is open, where every figure is from."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ..units import number, size, tokens
from . import typed
from .elided import ElidedLabel
from .import_facts import Facts, Line, TensorTable
from .import_questions import UNKNOWN, Questions, effect_words
from .import_reading import Effect, Reviewed
from .theme import GROUP_GAP, UNIT, hairline, sized


class Totals(QWidget):
    """Four figures side by side, which follow every answer."""

    def __init__(self, machine: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._machine = machine
        titles = (
            self.tr("Resident"),
            self.tr("Parameters"),
            self.tr("Cache per token"),
            self.tr("One session, at most"),
        )
        self.figures: list[QLabel] = []
        self.notes: list[ElidedLabel] = []
        self._titles = titles
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GROUP_GAP)
        grid.setVerticalSpacing(0)
        for column, title in enumerate(titles):
            grid.setColumnStretch(column, 1)
            head, figure, note = QLabel(title, self), QLabel(self), ElidedLabel(self)
            for label in (head, note):
                label.setFont(sized("caption"))
                label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            figure.setFont(sized("heading"))
            self.figures.append(figure)
            self.notes.append(note)
            for row, label in enumerate((head, figure, note)):
                grid.addWidget(label, row, column)

    def present(self, effect: Effect, file_bytes: int) -> None:
        """Show what a record comes to."""
        write = typed.separators()
        resident, session, each, speed = effect_words(effect)
        billions = number(effect.parameters / 1e9, 2, write)
        active = effect.active_parameters
        shown = (
            (resident, self.tr("of {size} in the files").format(size=size(file_bytes, write))),
            (
                f"{billions} B",
                self.tr("active: {count}").format(
                    count=UNKNOWN if active is None else f"{number(active / 1e9, 2, write)} B"
                ),
            ),
            (
                each,
                self.tr("{size} for {tokens} tokens in FP16").format(
                    size=session, tokens=tokens(effect.context_tokens, write)
                )
                if effect.session_bytes is not None
                else effect.why,
            ),
            (speed, effect.why or self.tr("on {machine}").format(machine=self._machine)),
        )
        for title, figure, note, (value, words) in zip(
            self._titles, self.figures, self.notes, shown, strict=True
        ):
            figure.setText(value)
            figure.setAccessibleName(f"{title}: {value}, {words}")
            note.say(words)


class ReviewPage(QWidget):
    """Left what is to be decided and what is odd, right what is known.

    answered: a question's key and an answer, "" to take it back.
    """

    answered = Signal(str, str)

    def __init__(self, machine: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.totals = Totals(machine, self)
        self.questions = Questions(machine)
        self.questions.answered.connect(self.answered)
        self.missing = Facts(
            self.tr("Missing"), self.tr("Nothing: every figure was read or inferred.")
        )
        self.contradictions = Facts(
            self.tr("Contradictions"), self.tr("None: names, metadata and tensors agree.")
        )
        self.differences = Facts(self.tr("Other than the catalog"), "")
        self.remarks = Facts(self.tr("Remarks of the reader"), self.tr("None."))
        self.tensors = TensorTable()
        self.read = Facts(self.tr("Read"), self.tr("Nothing: no metadata came with the tensors."))
        self.inferred = Facts(self.tr("Inferred"), self.tr("Nothing: the metadata says it all."))
        stored = QLabel(self.tr("Tensors, as stored"))
        stored.setFont(sized("text", bold=True))
        stored.setBuddy(self.tensors)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        decided = (self.missing, self.questions, self.contradictions, self.differences)
        for name, parts in (
            (self.tr("To decide"), (*decided, self.remarks)),
            (self.tr("Known"), (stored, self.tensors, self.read, self.inferred)),
        ):
            split.addWidget(_column(name, parts))
        split.setSizes([520, 460])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(self.totals)
        layout.addWidget(hairline(self))
        layout.addWidget(split, 1)

    def present(self, reviewed: Reviewed) -> None:
        """Show a review; the same model with other answers keeps the questions' focus."""
        imported = reviewed.imported
        review = imported.review
        self.totals.present(reviewed.effect, imported.files.checkpoint.file_bytes)
        self.questions.present(reviewed)
        count = len(review.missing)
        self.missing.present(
            (), nothing=self.tr("Nothing states these; no answer is guessed.") if count else ""
        )
        self.contradictions.present([Line(text) for text in review.contradictions])
        self._compare(reviewed)
        self.remarks.setVisible(bool(review.notes))
        self.remarks.present([Line(note) for note in review.notes])
        self.tensors.show_record(imported.record)
        self.read.present([Line(one.name, one.value, one.origin) for one in review.read])
        self.inferred.present([Line(one.name, one.value, one.origin) for one in review.inferred])

    def _compare(self, reviewed: Reviewed) -> None:
        review = reviewed.imported.review
        if not review.twin:
            self.differences.present((), nothing=self.tr("The catalog has no model like it."))
            return
        words = self.tr("{here} here, {catalog} there")
        self.differences.present(
            [
                Line(one.name, words.format(here=one.here, catalog=one.catalog))
                for one in review.differences
            ],
            title=self.tr("Other than the catalog's {name}").format(name=review.twin),
            nothing=self.tr("Nothing: every figure that both know is the same."),
        )


def _column(name: str, parts: tuple[QWidget, ...]) -> QScrollArea:
    """The parts one under the other; they scroll together."""
    inside = QWidget()
    layout = QVBoxLayout(inside)
    layout.setContentsMargins(0, UNIT, GROUP_GAP, UNIT)
    layout.setSpacing(GROUP_GAP)
    for part in parts:
        layout.addWidget(part)
    layout.addStretch(1)
    scroll = QScrollArea()
    scroll.setAccessibleName(name)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidgetResizable(True)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setWidget(inside)
    return scroll
