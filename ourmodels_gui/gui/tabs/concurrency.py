"""How many sessions run at once: the best batch, or a number fixed by policy."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QWidget

from ...engine.result import Decode
from ...language import tr
from .. import typed
from ..fields import NumberField
from ..list_field import wheel_needs_focus
from ..theme import UNIT, px

KEY = "workload.batch"


class BatchSlider(QSlider):
    """A slider whose stops are the given batches, so that each key press changes the batch."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._batches: tuple[int, ...] = (1,)
        self.setRange(0, 0)
        wheel_needs_focus(self)
        self.actionTriggered.connect(
            lambda _action: self.chosen.emit(self._batches[self.sliderPosition()])
        )

    def offer(self, batches: Sequence[int]) -> None:
        """Use these stops, in rising order."""
        if tuple(batches) != self._batches and not self.isSliderDown():
            self._batches = tuple(batches)
            self.setRange(0, len(self._batches) - 1)
            self.setPageStep(max(1, len(self._batches) // 8))

    def present(self, batch: int) -> None:
        """Stand at the stop nearest to `batch`, unless the user holds the handle."""
        if not self.isSliderDown():
            self.setAccessibleDescription(typed.show(batch))
            stops = range(len(self._batches))
            self.setValue(min(stops, key=lambda stop: abs(self._batches[stop] - batch)))


class Concurrency(QWidget):
    """A slider and a field that fix the number of sessions, and a way back to the best batch."""

    edited = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name = tr("Sessions at once")
        label = QLabel(tr("Sessions"))
        self.slider = BatchSlider()
        self.slider.setAccessibleName(name)
        self.slider.chosen.connect(lambda batch: self.edited.emit({KEY: batch}))
        self.field = NumberField(at_least_one, typed.show)
        self.field.setAccessibleName(tr("Forced number of sessions"))
        self.field.setFixedWidth(px(72))
        self.field.committed.connect(lambda batch: self.edited.emit({KEY: batch}))
        self.field.refused.connect(self.field.setToolTip)
        label.setBuddy(self.field)
        tip = tr("Fixes how many sessions run at once, whether or not they clear the floor.")
        for part in (label, self.slider, self.field):
            part.setToolTip(tip)
        self.best = QPushButton(tr("Best"))
        self.best.setAccessibleName(tr("Use the best number of sessions"))
        self.best.setToolTip(tr("Let the number of sessions follow the floor and the memory"))
        self.best.clicked.connect(lambda: self.edited.emit({KEY: None}))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * UNIT)
        row.addWidget(label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.field)
        row.addWidget(self.best)

    def present(self, decode: Decode | None, batches: Sequence[int]) -> None:
        """Show the forced batch, or the best one in muted text."""
        self.setEnabled(decode is not None and decode.memory_batch is not None)
        if decode is None:
            return
        forced = decode.forced
        default = decode.best_batch or 1
        self.slider.offer(batches)
        self.slider.present(forced.batch if forced else default)
        self.field.present(forced.batch if forced else None, default)
        self.best.setEnabled(forced is not None)


def at_least_one(text: str) -> int:
    """A typed number of sessions; raises ValueError with a sentence."""
    batch = typed.whole(text)
    if batch < 1:
        raise ValueError(tr("write a number of sessions from 1 on"))
    return batch
