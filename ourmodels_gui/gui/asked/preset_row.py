"""The kind of use, chosen from a few: it sets contexts, floor and prompt at once."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...presets import presets
from ..fields import ChoiceField
from ..theme import UNIT


class PresetRow(QWidget):
    """Shows the preset that the scenario asks for, or that it asks for something else."""

    edited = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = ChoiceField()
        self.choice.setAccessibleName(tr("Kind of use"))
        self.choice.committed.connect(self._chosen)
        self._label = label = QLabel(tr("Use"))
        label.setBuddy(self.choice)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, UNIT, 0, 0)
        row.setSpacing(2 * UNIT)
        row.addWidget(label)
        row.addWidget(self.choice, 1)
        self._by_id = {preset.id: preset for preset in presets()}
        self._offer(own=True)

    def field_left(self, label_px: int) -> None:
        """Leave so much room for the label."""
        self._label.setFixedWidth(label_px)

    def present(self, evaluation: Evaluation) -> None:
        """Name the preset in use."""
        scenario = evaluation.scenario
        used = next((one for one in self._by_id.values() if one.describes(scenario)), None)
        self._offer(own=used is None)
        self.choice.present(used.id if used else None)
        note = tr(used.note) if used else tr("A kind of use sets contexts, floor and prompt.")
        self.choice.setToolTip(note)
        self.choice.setAccessibleDescription(note)

    def _offer(self, *, own: bool) -> None:
        """The presets; before them, while none is in use, that the values are one's own."""
        choices = [(preset.id, tr(preset.name)) for preset in self._by_id.values()]
        self.choice.offer([(None, tr("as set below")), *choices] if own else choices)

    def _chosen(self, preset_id: str | None) -> None:
        if preset_id is not None:
            self.edited.emit(self._by_id[preset_id].changes)
