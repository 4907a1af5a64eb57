"""What the files leave open, and what every answer would change."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from ...language import tr
from ...library.importers.offers import Offer
from ...library.importers.review import Choice
from ...units import rate, size, tokens
from .. import typed
from ..captions import message, say
from ..fields import NumberField
from ..theme import CARD_PADDING, GROUP_GAP, UNIT, px, sized
from .import_reading import Effect, Reviewed

UNKNOWN = "\u2013"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class QuestionBox(QWidget):
    """One question: choices with their effects in columns, or a number.

    answered: the key and the id of a choice or a whole number as text; "" takes the answer back.
    """

    answered = Signal(str, str)

    def __init__(self, offer: Offer, machine: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = offer.question.key
        self.ids = _ids(offer)
        self.choices: dict[str, QRadioButton] = {}
        self.number: NumberField | None = None
        self._heads: list[QLabel] = []
        self._figures: dict[str, tuple[QLabel, ...]] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._clicked)
        self.trouble = message(self, error=True)
        head = QLabel(offer.question.text, self)
        head.setWordWrap(True)
        head.setFont(sized("text", bold=True))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(head)
        if offer.question.choices:
            layout.addLayout(self._choices(offer, machine))
        elif offer.question.answerable:
            layout.addWidget(self._number(offer))
        else:
            words = message(self)
            say(words, tr("No single number says it: the cache layout stays unknown."))
            layout.addWidget(words)
        layout.addWidget(self.trouble)

    def present(self, offer: Offer, effects: dict[str, Effect]) -> None:
        """Show the answer there is now, and what each choice comes to."""
        say(self.trouble, "")
        if self.number is not None:
            self.number.present(int(offer.answer) if offer.answer else None)
        columns = self._columns(effects[offer.answer])
        for head, words in zip(self._heads, columns, strict=False):
            head.setText(words)
        for id_, button in self.choices.items():
            button.setChecked(id_ == offer.answer)
            figures = effect_words(effects[id_])
            for label, words in zip(self._figures[id_], figures, strict=True):
                label.setText(words)
            told = [
                f"{name} {words}"
                for name, words in zip(columns, figures, strict=True)
                if words != UNKNOWN
            ]
            button.setAccessibleName(f"{button.text()}: {', '.join(told)}")

    def refuse(self, why: str) -> None:
        """Say at the question why an answer was not taken."""
        say(self.trouble, why)

    def _columns(self, effect: Effect) -> tuple[str, str, str, str]:
        context = tokens(effect.context_tokens, typed.separators())
        return (
            tr("resident"),
            tr("cache at {tokens}").format(tokens=context),
            tr("per token"),
            tr("one session"),
        )

    def _choices(self, offer: Offer, machine: str) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(CARD_PADDING)
        grid.setVerticalSpacing(UNIT)
        grid.setColumnStretch(0, 1)
        for column, hint in enumerate(
            (
                tr("What the tensors of the main model occupy."),
                tr("Cache of one session in FP16."),
                tr("That cache by its tokens."),
                tr(
                    "Ceiling of one session on {machine}, at the window's workload and without "
                    "speculation."
                ).format(machine=machine),
            ),
            1,
        ):
            head = QLabel(self)
            head.setFont(sized("caption"))
            head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            head.setToolTip(hint)
            grid.addWidget(head, 0, column, _RIGHT)
            self._heads.append(head)
        rows = (Choice("", tr("leave it open")), *offer.question.choices)
        for row, choice in enumerate(rows, 1):
            text = choice.text
            if choice.id and choice.id == offer.question.suggestion:
                text = tr("{choice}  (as in the catalog)").format(choice=text)
            button = QRadioButton(text.replace("&", "&&"), self)
            button.setProperty("choice", choice.id)
            self._group.addButton(button)
            self.choices[choice.id] = button
            grid.addWidget(button, row, 0)
            labels = tuple(QLabel(self) for _ in self._heads)
            for column, label in enumerate(labels, 1):
                label.setFont(sized("text"))
                grid.addWidget(label, row, column, _RIGHT)
            self._figures[choice.id] = labels
        return grid

    def _number(self, offer: Offer) -> NumberField:
        self.number = NumberField(typed.whole, typed.show, parent=self, empty=tr("unknown"))
        self.number.setAccessibleName(offer.question.text)
        self.number.setMaximumWidth(px(160))
        self.number.committed.connect(self._typed)
        self.number.refused.connect(self.refuse)
        return self.number

    def _clicked(self, button: QRadioButton) -> None:
        self.answered.emit(self.key, button.property("choice"))

    def _typed(self, value: float | None) -> None:
        self.answered.emit(self.key, "" if value is None else f"{value:.0f}")


class Questions(QWidget):
    """Every question of a review; one that stays is never rebuilt, so the focus stays in it."""

    answered = Signal(str, str)

    def __init__(self, machine: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._machine = machine
        self.boxes: dict[str, QuestionBox] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GROUP_GAP)

    def clear(self) -> None:
        """Forget the questions of another model."""
        for key in list(self.boxes):
            self._remove(key)

    def finish(self) -> None:
        """A number still being typed counts."""
        for box in self.boxes.values():
            if box.number is not None:
                box.number.commit()

    def present(self, reviewed: Reviewed) -> None:
        """Show the questions that there are now, each with its answer."""
        offers = {offer.question.key: offer for offer in reviewed.offers}
        for key, box in list(self.boxes.items()):
            if key not in offers or box.ids != _ids(offers[key]):
                self._remove(key)
        for place, (key, offer) in enumerate(offers.items()):
            if key not in self.boxes:
                box = self.boxes[key] = QuestionBox(offer, self._machine, self)
                box.answered.connect(self.answered)
                self._layout.insertWidget(place, box)
            self.boxes[key].present(offer, reviewed.effects[key])

    def _remove(self, key: str) -> None:
        box = self.boxes.pop(key)
        self._layout.removeWidget(box)
        box.hide()
        box.deleteLater()


def _ids(offer: Offer) -> tuple[str, ...]:
    return tuple(choice.id for choice in offer.question.choices)


def effect_words(effect: Effect) -> tuple[str, str, str, str]:
    """Resident bytes, cache of a session, cache per token, one session: as people read them."""
    write = typed.separators()
    session, each, speed = effect.session_bytes, effect.bytes_per_token, effect.tokens_per_s
    return (
        size(effect.resident_bytes, write),
        UNKNOWN if session is None else size(session, write),
        UNKNOWN if each is None else size(each, write),
        UNKNOWN if speed is None else f"{rate(speed, write)} tok/s",
    )
