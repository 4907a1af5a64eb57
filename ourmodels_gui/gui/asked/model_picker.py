"""Choose a model and the format of its weights: size and kind in each row."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...library.formats import WEIGHT_FORMATS
from ...library.load import Library
from ...library.models import TOWERS, ModelRecord
from ...library.profile import default_weights
from ...scenario import InlineModel, ModelRef
from ...spoken import spoken
from ..captions import message, say
from ..choice_list import PARTED
from ..fields import ChoiceField
from ..theme import UNIT
from .model_rows import FACETS, model_row
from .picker import Picker
from .search import matching, natural
from .sought_format import sought_format
from .weight_choices import weight_choices


class ModelPicker(Picker):
    """Emits the model and, separately, the format of its weights and whether towers are loaded."""

    edited = Signal(dict)
    SOURCES_KEY = "Ctrl+Shift+I"
    OWN = "audit"

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Model"),
            ("999B", "dense"),
            tr("30B moe, qwen 4bit"),
            parent,
            facets=FACETS,
        )
        self.NOTHING = tr("The catalog holds no models.")
        self._weights = ChoiceField(self)
        self._weights.setObjectName("weights")
        self._weights.setAccessibleName(tr("Weights"))
        self._weights.setToolTip(
            tr(
                "Format that the weights are stored in, and the size of all its files. Parts that "
                "text does without stay out of memory: encoders of images and sound, draft layers."
            )
        )
        self._weights.committed.connect(lambda name: self.edited.emit({"model.weights": name}))
        self._towers = QCheckBox(tr("with vision and audio"), self)
        self._towers.setObjectName("towers")
        self._towers.setToolTip(
            tr("Keep the encoders of images and sound in memory as well. Text skips them.")
        )
        self._towers.clicked.connect(
            lambda on: self.edited.emit({"model.include_towers": on or None})
        )
        label = QLabel(tr("Weights"), self)
        label.setBuddy(self._weights)
        self._foot = foot = QGridLayout()
        foot.setHorizontalSpacing(2 * UNIT)
        foot.setVerticalSpacing(UNIT)
        foot.setColumnStretch(1, 1)
        foot.addWidget(label, 0, 0)
        foot.addWidget(self._weights, 0, 1)
        foot.addWidget(self._towers, 1, 1)
        self.sought = message(self)
        self.column.insertWidget(self.column.indexOf(self.filters) + 1, self.sought)
        self.column.addLayout(foot)
        self._kept_weights: str | None = None
        self._sought: str | None = None
        self.picked.connect(self._pick)
        self.offer(library)

    def field_left(self, label_px: int) -> None:
        """Leave so much room for the label."""
        self._foot.setColumnMinimumWidth(0, label_px)

    def offer(self, library: Library) -> None:
        """Show the models of a library, the user's own first."""
        self._models = library.models
        self._choices: dict[str, tuple[tuple[object, str], ...]] = {}
        entries = sorted(
            library.models.values(), key=lambda one: (not one.yours, natural(one.name))
        )
        self._rows = {entry.id: model_row(entry) for entry in entries}
        self.offer_rows(list(self._rows.values()))

    def present(self, evaluation: Evaluation) -> None:
        """Name and mark the model of a scenario, and its format."""
        model = evaluation.scenario.model
        entry = self._models.get(model.id) if isinstance(model, ModelRef) else None
        self._weights.setEnabled(entry is not None)
        has_towers = entry is not None and any(
            group.part in TOWERS for group in entry.record.tensors
        )
        self._towers.setVisible(has_towers)
        if isinstance(model, InlineModel):
            self._kept_weights = None
            self._weights.offer(((None, tr("as typed in the scenario")),))
            self._weights.present(None)
            self.show_chosen("", model.adapter.name, note=self._travels())
            return
        self._kept_weights = model.weights
        self._towers.setChecked(bool(model.include_towers))
        if entry is not None:
            choices = self._choices.get(entry.id) or weight_choices(entry.record)
            self._choices[entry.id] = choices
            known = {name for name, _ in choices}
            if model.weights and model.weights not in known:
                choices = (*choices, (model.weights, model.weights))
            self._weights.offer(choices)
            self._weights.present(model.weights, default_weights(entry.record))
            row = self._rows[entry.id]
            format_name, _, _ = self._weights.currentText().partition(PARTED)
            self.show_chosen(
                entry.id,
                f"{row.name} {format_name}",
                row.words(),
                note=self._unaudited(entry.record) if row.badge else "",
                basis=row.basis,
            )
        elif model.record is not None:
            name = model.record.get("name", model.id)
            self._weights.offer(((model.weights, model.weights or tr("as released")),))
            self._weights.present(model.weights)
            self.show_chosen("", str(name), note=self._travels())
        else:
            self._weights.offer(((model.weights, model.weights or tr("as released")),))
            self._weights.present(model.weights)
            self.show_chosen(
                "",
                model.id,
                note=tr("The catalog has no model with this id. Choose another."),
                missing=True,
            )

    def looked_for(self, text: str) -> str:
        """Words that no row has may name the format to choose a model in."""
        words, sought = sought_format(text)
        if sought is not None and matching(self.model.rows, text):
            words, sought = text, None
        self._sought = sought
        line = ""
        if sought is not None:
            line = tr("Chosen with the weights in {format}.")
            line = line.format(format=spoken(WEIGHT_FORMATS[sought].name))
        say(self.sought, line)
        return words

    def _travels(self) -> str:
        return tr("It is part of this scenario, not of the catalog.")

    def _unaudited(self, record: ModelRecord) -> str:
        missing = "; ".join(map(spoken, record.audit.missing)) or tr("not said")
        return tr("Unaudited. Missing: {missing}").format(missing=missing)

    def _pick(self, model_id: str) -> None:
        weights = self._sought or self._kept_weights
        chosen = {"id": model_id, "weights": weights} if weights else {"id": model_id}
        self.edited.emit({"model": chosen})
