"""Speculative decoding: how many tokens are drafted, by what, and how many are kept."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from ...language import tr
from ...library.load import Library
from ...library.profile import default_weights
from .. import typed
from ..fields import ChoiceField
from ..form import Group
from .weight_choices import weight_choices

DRAFT = "speculation.draft"
ACCEPTANCE = 0.7
TYPED_KEYS = ("resident_gb", "sweep_gb", "cache_alloc_gb", "cache_read_gb")


class SpeculationGroup(Group):
    """Draft tokens switch it on; the other values then have a meaning."""

    TOKENS = "speculation.draft_tokens"
    ALPHA = "speculation.acceptance"
    RHO = "speculation.emitted_tokens"
    MODEL = "speculation.draft.id"
    WEIGHTS = "speculation.draft.weights"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(tr("Speculation"))
        self.number(
            self.TOKENS,
            tr("Draft tokens"),
            tr(
                "Tokens that are drafted, one after another, and then verified in one pass. "
                "Empty or 0 switches speculation off."
            ),
            parse=typed.whole,
            empty=tr("off"),
        )
        self.number(
            self.ALPHA,
            tr("Acceptance"),
            tr("Chance, from 0 to 1, that a drafted token is accepted when those before it were."),
        )
        self.number(
            self.RHO,
            tr("Emitted"),
            tr(
                "Tokens that one pass yields on average, from 1 to the draft tokens and one. "
                "Typed instead of the acceptance."
            ),
            unit=tr("tokens"),
        )
        self._kind = self.choice(
            DRAFT,
            tr("Drafted by"),
            tr("What proposes the tokens. Its weights and cache need memory as well."),
        )
        self._kind.offer(
            (
                (None, tr("prompt lookup, no model")),
                ("mtp", tr("the model's own MTP layers")),
                ("model", tr("another model")),
                ("typed", tr("figures of your own")),
            )
        )
        self._model = self.choice(
            self.MODEL, tr("Draft model"), tr("The model that proposes the tokens.")
        )
        _search_inside(self._model)
        self._weights = self.choice(
            self.WEIGHTS,
            tr("Draft weights"),
            tr("Format that the draft's weights are stored in, and the memory they take."),
        )
        for key, label, tip in (
            ("resident_gb", tr("Draft memory"), tr("Memory of the draft's weights.")),
            ("sweep_gb", tr("Draft sweep"), tr("Weights read for one drafted token.")),
            (
                "cache_alloc_gb",
                tr("Draft cache"),
                tr("Cache the draft reserves for one session."),
            ),
            (
                "cache_read_gb",
                tr("Draft read"),
                tr("Cache the draft reads for one drafted token of one session."),
            ),
        ):
            self.number(f"{DRAFT}.{key}", label, tip, unit=tr("GB"))
        self._draft: Any = None
        self._first_model = ""

    def offer(self, library: Library) -> None:
        """Take the models that can draft."""
        models = sorted(library.models.values(), key=lambda entry: entry.name.casefold())
        self._model.offer([(entry.id, entry.name) for entry in models])
        self._models = library.models
        self._first_model = models[0].id if models else ""

    def present(self, values: Any, defaults: Any) -> None:
        self._draft = values.get(DRAFT)
        kind = self._draft
        if isinstance(kind, dict):
            kind = "model" if "id" in kind else "typed"
        shown = {**values, DRAFT: kind}
        release = self._offer_weights(values.get(self.MODEL), values.get(self.WEIGHTS))
        super().present(shown, {**defaults, self.WEIGHTS: release})
        self.mark(key for key in (self.TOKENS, self.ALPHA, self.RHO, DRAFT) if shown.get(key))
        on = values.get(self.TOKENS) is not None
        for key in self.keys:
            wanted = on
            if key in (self.MODEL, self.WEIGHTS):
                wanted = on and kind == "model"
            elif key.startswith(DRAFT + "."):
                wanted = on and kind == "typed"
            self.show_row(key, wanted or key == self.TOKENS)

    def commit(self, key: str, value: Any) -> None:
        self._accepted(key)
        changes: dict[str, Any] = {key: value}
        if key == self.TOKENS:
            if not value:
                changes = {"speculation": None}
            elif not self._is_on():
                changes[self.ALPHA] = ACCEPTANCE
        elif key in (self.ALPHA, self.RHO):
            # One of the two must stand; the other gives way.
            other = self.RHO if key == self.ALPHA else self.ALPHA
            changes = {self.ALPHA: ACCEPTANCE} if value is None else {key: value}
            changes[other if value is not None else self.RHO] = None
        elif key == DRAFT:
            changes = {DRAFT: self._whole_draft(value)}
        elif key == self.MODEL:
            changes = {DRAFT: {"id": value}}
        elif key == self.WEIGHTS:
            pass
        elif key.startswith(DRAFT + "."):
            figures = self._draft if isinstance(self._draft, dict) else {}
            name = key.removeprefix(DRAFT + ".")
            changes = {DRAFT: {**figures, name: 0.0 if value is None else value}}
        self.edited.emit(changes)

    def _offer_weights(self, model_id: str | None, chosen: str | None) -> str | None:
        """The formats of the draft model; returns the release's own."""
        entry = self._models.get(model_id or "")
        if entry is None:
            self._weights.offer([(chosen, chosen or tr("as released"))])
            return None
        choices = list(weight_choices(entry.record))
        if chosen and chosen not in dict(choices):
            choices.append((chosen, chosen))
        self._weights.offer(choices)
        return default_weights(entry.record)

    def _whole_draft(self, kind: str | None) -> Any:
        if kind == "model":
            return {"id": self._first_model}
        if kind == "typed":
            return dict.fromkeys(TYPED_KEYS, 0.0)
        return kind

    def _is_on(self) -> bool:
        return self.TOKENS in self._set

    def _reset(self) -> None:
        for key in self.keys:
            self._accepted(key)
        self.edited.emit({"speculation": None})


def _search_inside(field: ChoiceField) -> None:
    """Let a long list be searched by typing any part of a name."""
    field.setEditable(True)
    field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    completer = QCompleter(field.model(), field)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
    field.setCompleter(completer)
    line = field.lineEdit()
    assert line is not None  # an editable box has one
    # What was typed to search is not a choice; leaving the field shows the choice again.
    line.editingFinished.connect(lambda: line.setText(field.itemText(field.currentIndex())))
