"""A group of labelled fields with one left edge, what is wrong with them, and a reset."""

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ..language import tr
from . import typed
from .fields import ChoiceField, NumberField, Parse, Show, TextField
from .form_head import GroupHead
from .log_slider import LogSlider
from .name_field import NameField
from .theme import UNIT, px

LABEL_PX = 96
FIELD_PX = 128
CAUTION = "\u26a0"

Field = NumberField | ChoiceField | TextField | NameField


def align(groups: Iterable["Group"], least_px: int = 0) -> int:
    """Give the fields of some groups one left edge; returns the room before it."""
    groups = tuple(groups)
    room = max(least_px, *(group.label_px() for group in groups))
    for group in groups:
        group.field_left(room)
    return room


class Group(QWidget):
    """Labelled fields by the key of the scenario each edits.

    A foldable group says in its head how many of its values differ from the default.
    """

    edited = Signal(dict)

    def __init__(
        self, *, foldable: bool = True, has_defaults: bool = True, parent: QWidget | None = None
    ) -> None:
        """has_defaults: the group says how many values differ and offers to reset them."""
        super().__init__(parent)
        self._rows: dict[str, tuple[Field, *tuple[LogSlider, ...]]] = {}
        self._labels: dict[str, QLabel] = {}
        self._told: dict[str, str] = {}
        self._tips: dict[str, str] = {}
        self._typed_wrong: set[str] = set()
        self._set: tuple[str, ...] = ()
        self._foldable = foldable
        self._head = GroupHead(foldable=foldable, has_defaults=has_defaults)
        self.reset = self._head.reset
        self.reset.clicked.connect(self._reset)

        self._body = QWidget(self)
        self.grid = QGridLayout(self._body)
        self.grid.setContentsMargins(0, UNIT, 0, UNIT)
        self.grid.setHorizontalSpacing(2 * UNIT)
        self.grid.setVerticalSpacing(UNIT + 2)
        self.grid.setColumnMinimumWidth(0, px(LABEL_PX))
        self.grid.setColumnMinimumWidth(1, px(FIELD_PX))
        self.grid.setColumnStretch(2, 1)

        self._page = layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self._body)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetMinAndMaxSize)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        if foldable:
            self._head.folded.connect(lambda: self._fold(self._body.isHidden()))
            self._fold(False)

    def set_title(self, title: str) -> None:
        self._head.set_title(title)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._rows)

    def field(self, key: str) -> Field:
        """The field of a key."""
        return self._rows[key][0]

    def set_tip(self, key: str, tip: str) -> None:
        """What a field is for, on hover."""
        self._tips[key] = tip
        self._hint(key)

    def told(self, key: str) -> str:
        """What is wrong or odd at a field; "" where nothing is."""
        return self._told.get(key, "")

    def label_px(self) -> int:
        """The room of its longest label."""
        return max((label.sizeHint().width() for label in self._labels.values()), default=0)

    def field_left(self, label_px: int) -> None:
        """Leave so much room for labels, also where they are shorter."""
        self.grid.setColumnMinimumWidth(0, label_px)

    def least_px(self) -> int:
        """The width below which something is cut, unfolded."""
        return self._body.minimumSizeHint().width()

    def open_up(self) -> None:
        """Unfold, so that a field can be seen."""
        if self._foldable:
            self._fold(True)

    def number(
        self,
        key: str,
        label: str,
        tip: str,
        *,
        parse: Parse = typed.number,
        show: Show = typed.show,
        unit: str = "",
        slider: tuple[float, float] | None = None,
        empty: str = "",
    ) -> NumberField:
        """Add a number, with a logarithmic slider from low to high where one is given.

        empty: words for the default where it is no number.
        """
        field = NumberField(parse, show, unit, self._body, empty=empty)
        field.setFixedWidth(px(FIELD_PX))
        field.refused.connect(lambda text: self._refuse_text(key, text))
        extra = None
        if slider is not None:
            extra = LogSlider(*slider, parent=self._body)
            extra.setAccessibleName(tr("{label}, slider").format(label=label))
            extra.setToolTip(tip)
            extra.setMinimumWidth(48)
            extra.committed.connect(lambda value: self.commit(key, value))
        self._add(key, label, tip, field, extra)
        return field

    def choice(self, key: str, label: str, tip: str) -> ChoiceField:
        """Add a choice; offer its values with `ChoiceField.offer`."""
        field = ChoiceField(self._body)
        self._add(key, label, tip, field, None)
        return field

    def name(self, key: str, label: str, tip: str) -> NameField:
        """Add a name among very many; offer them with `NameField.offer`."""
        field = NameField(self._body)
        self._add(key, label, tip, field, None)
        return field

    def text(self, key: str, label: str, tip: str) -> TextField:
        """Add a line of words."""
        field = TextField(self._body)
        self._add(key, label, tip, field, None)
        return field

    def put_first(self, widget: QWidget) -> None:
        """Put a widget between the head and the fields; ask before adding fields."""
        self._page.insertWidget(1, widget)

    def finish(self) -> bool:
        """Commit what is being typed; False when something typed cannot be read."""
        for first, *_ in self._rows.values():
            if isinstance(first, NumberField | TextField | NameField):
                first.commit()
        return not self._typed_wrong

    def slider(self, key: str) -> LogSlider:
        """The slider of a number that has one."""
        return next(part for part in self._rows[key] if isinstance(part, LogSlider))

    def show_row(self, key: str, shown: bool) -> None:
        """Show or hide a field with its label, where it has no meaning now."""
        for part in (self._labels[key], *self._rows[key]):
            part.setVisible(shown)
        if not shown:
            self._accepted(key)

    def present(self, values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        """Show the values by key, or the defaults of those that are absent."""
        self._set = tuple(key for key in self._rows if values.get(key) is not None)
        for key, parts in self._rows.items():
            for part in parts:
                rewritten = part.present(values.get(key), defaults.get(key))
                if rewritten:
                    self._typed_wrong.discard(key)
            if key not in self._typed_wrong:
                self._tell(key, "")
        self.mark(self._set)

    def mark(self, keys: Iterable[str]) -> None:
        """Say how many values differ from the defaults, and offer to reset them."""
        self._head.mark(sum(1 for _ in keys))

    def refuse(self, key: str, text: str, *, until_retyped: bool = False) -> bool:
        """Show at the field of `key` why its value was refused; False if no field is to blame.

        until_retyped: the value is in the field only, so the next `present` says nothing of it.
        """
        mine = next((own for own in self._rows if key == own or key.startswith(own + ".")), None)
        if mine is None:
            return False
        if until_retyped:
            self._typed_wrong.add(mine)
        self.open_up()
        self._tell(mine, text)
        return True

    def _tell(self, key: str, text: str) -> None:
        """Mark a field and say why, in the head: the room there is kept, so no field moves."""
        if text == self.told(key):
            return
        if text:
            self._told[key] = text
        else:
            del self._told[key]
        self._hint(key)
        field = self._rows[key][0]
        mark = "" if not text else "odd" if text.startswith(CAUTION) else "wrong"
        if field.property("told") != mark:
            field.setProperty("told", mark)
            field.style().polish(field)
        wrong: list[str] = []
        odd: list[str] = []
        for told, why in self._told.items():
            words = odd if why.startswith(CAUTION) else wrong
            words.append(f"{self._labels[told].text()}: {why}")
        self._head.tell(wrong, odd)

    def _hint(self, key: str) -> None:
        field = self._rows[key][0]
        hint = "\n\n".join(filter(None, (self.told(key), self._tips[key])))
        field.setToolTip(hint)
        field.setAccessibleDescription(hint)

    def caution(self, key: str, text: str) -> bool:
        """Show at a field what is odd about its value, which stands; False if no field is it.

        An error that stands there comes first. "" takes the caution back.
        """
        mine = next((own for own in self._rows if key == own or key.startswith(own + ".")), None)
        if mine is None:
            return False
        if mine not in self._typed_wrong and (text or self.told(mine).startswith(CAUTION)):
            self._tell(mine, f"{CAUTION} {text}" if text else "")
        return True

    def keep_text(self, key: str, value: Any) -> None:
        """The value of `key` is `value` still, whatever was typed; the text stays as it is."""
        first = self._rows[key][0]
        if isinstance(first, NumberField):
            first.keep_text(value)

    def commit(self, key: str, value: Any) -> None:
        """Report a value that the user made; a group may report more keys with it."""
        self._accepted(key)
        self.edited.emit({key: value})

    def _accepted(self, key: str) -> None:
        self._typed_wrong.discard(key)
        self._tell(key, "")

    def _refuse_text(self, key: str, text: str) -> None:
        if text:
            self._typed_wrong.add(key)
            self._tell(key, text)
        else:
            self._accepted(key)

    def _add(self, key: str, label: str, tip: str, field: Field, extra: LogSlider | None) -> None:
        row = self.grid.rowCount()
        name = QLabel(label, self._body)
        name.setBuddy(field)
        name.setToolTip(tip)
        field.setAccessibleName(label)
        field.setProperty("key", key)
        self.grid.addWidget(name, row, 0)
        if not isinstance(field, NumberField):
            self.grid.addWidget(field, row, 1, 1, 2)
        else:
            self.grid.addWidget(field, row, 1)
        if extra is not None:
            self.grid.addWidget(extra, row, 2)
        field.committed.connect(lambda value: self.commit(key, value))
        self._labels[key] = name
        self._rows[key] = (field,) if extra is None else (field, extra)
        self.set_tip(key, tip)

    def _fold(self, is_open: bool) -> None:
        self._head.show_open(is_open)
        self._body.setVisible(is_open)

    def _reset(self) -> None:
        for key, parts in self._rows.items():
            self._accepted(key)
            if isinstance(parts[0], NumberField):
                parts[0].take_back()
        self.edited.emit(dict.fromkeys(self._set))
