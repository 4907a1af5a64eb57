"""The review of an imported model: what it comes to, what is open, where every figure is from."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ...language import tr
from ...units import size, tokens
from .. import typed
from ..elided import ElidedLabel
from ..folding import FoldingSplit
from ..theme import CARD_PADDING, GROUP_GAP, SCROLL_PX, UNIT, hairline, px, sized
from .import_facts import Facts, Line, TensorTable, parameters
from .import_questions import UNKNOWN, Questions, effect_words
from .import_reading import Effect, Reviewed

NARROWEST_PX, LOWEST_PX = 470, 120
"""Of one side of the review: both fit a screen of 1024."""


class Totals(QWidget):
    """Four figures side by side, which follow every answer."""

    def __init__(self, machine: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._machine = machine
        titles = (
            tr("Resident"),
            tr("Parameters"),
            tr("Cache per token"),
            tr("One session, at most"),
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
        active = effect.active_parameters
        shown = (
            (resident, tr("of {size} in the files").format(size=size(file_bytes, write))),
            (
                parameters(effect.parameters, write),
                tr("active: {count}").format(
                    count=UNKNOWN if active is None else parameters(active, write)
                ),
            ),
            (
                each,
                tr("{size} for {tokens} tokens in FP16").format(
                    size=session, tokens=tokens(effect.context_tokens, write)
                )
                if effect.session_bytes is not None
                else effect.why,
            ),
            (speed, effect.why or tr("on {machine}").format(machine=self._machine)),
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
        self.missing = Facts(tr("Missing"), tr("Nothing: every figure was read or inferred."))
        self.contradictions = Facts(
            tr("Contradictions"), tr("None: names, metadata and tensors agree.")
        )
        self.differences = Facts(tr("Other than the catalog"), "")
        self.tensors = TensorTable()
        self.read = Facts(tr("Read"), tr("Nothing: no metadata came with the tensors."))
        self.inferred = Facts(tr("Inferred"), tr("Nothing: the metadata says it all."))
        stored = QLabel(tr("Tensors, as stored"))
        stored.setFont(sized("text", bold=True))
        stored.setBuddy(self.tensors)
        titled = QWidget()
        under = QVBoxLayout(titled)
        under.setContentsMargins(0, 0, 0, 0)
        under.setSpacing(UNIT)
        under.addWidget(stored)
        under.addWidget(self.tensors)
        decided = (self.missing, self.questions, self.contradictions, self.differences)
        known = (titled, self.read, self.inferred)
        self._left, right = Column(tr("To decide"), decided), Column(tr("Known"), known)
        self._split = split = FoldingSplit(self._left, right, (610, 470), low_px=0)
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
        self.questions.setVisible(bool(reviewed.offers))
        words = tr("Nothing states it, so it is asked and not guessed.")
        if reviewed.offers and not review.missing:
            words = tr("All that nothing states is answered below.")
        self.missing.present((), nothing=words if reviewed.offers else "")
        self.contradictions.present([Line(text) for text in review.contradictions])
        self._compare(reviewed)
        self._split.need(self._left.whole_px + px(NARROWEST_PX))
        self.tensors.show_record(imported.record)
        self.read.present([Line(one.name, one.value, one.origin) for one in review.read])
        self.inferred.present([Line(one.name, one.value, one.origin) for one in review.inferred])

    def _compare(self, reviewed: Reviewed) -> None:
        review = reviewed.imported.review
        if not review.twin:
            self.differences.present((), nothing=tr("The catalog has no model like it."))
            return
        words = tr("{here} here, {catalog} there")
        self.differences.present(
            [
                Line(one.name, words.format(here=one.here, catalog=one.catalog))
                for one in review.differences
            ],
            title=tr("Other than the catalog's {name}").format(name=review.twin),
            nothing=tr("Nothing: every figure that both know is the same."),
        )


class Column(QScrollArea):
    """Parts one under the other that scroll together; sideways only where the screen is small."""

    def __init__(self, name: str, parts: tuple[QWidget, ...]) -> None:
        super().__init__()
        self._inside = inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(2 * UNIT, UNIT, CARD_PADDING, UNIT)
        layout.setSpacing(GROUP_GAP)
        for part in parts:
            layout.addWidget(part)
        layout.addStretch(1)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(inside)

    @property
    def whole_px(self) -> int:
        """The width at which nothing scrolls sideways."""
        return self._inside.minimumSizeHint().width() + SCROLL_PX

    def minimumSizeHint(self) -> QSize:
        return QSize(px(NARROWEST_PX), px(LOWEST_PX))
