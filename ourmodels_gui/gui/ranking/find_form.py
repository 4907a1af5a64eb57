"""The needs of a reverse search: a form over a requirements file."""

from typing import Any

import msgspec
from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from ...language import tr
from ...library.encodings import CACHE_FORMATS
from ...library.load import Library
from ...problem import BadInput
from ...ranking import requirements as files
from ...ranking.requirements import Requirements
from ...scenario import RESERVED_CONTEXT_TOKENS, InlineModel, ModelRef, Scenario
from ...settings import Settings
from .. import typed
from ..asked.search import natural
from ..asked.weight_choices import format_choices
from ..form import Group
from ..theme import SCROLL_PX, px

NUMBERS = (
    "context_tokens",
    "users",
    "tokens_per_s_each",
    "first_token_s",
    "prompt_tokens",
    "budget",
    "watts",
)
CONTEXT_TOKENS = 32_000
LEAST_PX = 120
"""The height of the first fields."""


class FindForm(QScrollArea):
    """Holds the needs, as plain values by key of the file; `changed` after each edit.

    The model is the one of the scenario unless another is chosen or read from a file.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(self.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("What is needed"))
        self.values: dict[str, Any] = {"context_tokens": CONTEXT_TOKENS, "users": 1}
        self._followed: ModelRef | InlineModel | None = None
        self._taken: int | None = None
        self.group = group = Group(foldable=False, has_defaults=False)
        group.set_title(tr("What is needed"))
        self._models = group.choice(
            "model", tr("Model"), tr("The one chosen at the left, or another")
        )
        self._weights = group.choice(
            "weights",
            tr("Weights"),
            tr("Open: of several formats the one of most bytes that meets every need"),
        )
        group.number(
            "context_tokens",
            tr("Context"),
            tr("Reserved for each user"),
            parse=typed.whole,
            unit=tr("tokens"),
        )
        group.number("users", tr("Users"), tr("Sessions at the same time"), parse=typed.whole)
        none = tr("any")
        group.number(
            "tokens_per_s_each",
            tr("Rate each"),
            tr("Least tokens per second of each user while all are active"),
            unit=tr("tok/s"),
            empty=none,
        )
        group.number(
            "first_token_s",
            tr("First token"),
            tr("Longest wait for the first token, alone on the machine"),
            unit=tr("s"),
            empty=none,
        )
        group.number(
            "prompt_tokens",
            tr("Prompt"),
            tr("Its length, for the first token"),
            parse=typed.whole,
            unit=tr("tokens"),
        )
        group.number("budget", tr("Budget"), tr("Most that the machine may cost"), empty=none)
        group.number(
            "watts",
            tr("Power"),
            tr("Most that the device may draw"),
            unit=tr("W"),
            empty=none,
        )
        self._cache = group.choice(
            "cache_format", tr("Cache format"), tr("Format that the cache is stored in")
        )
        self._cache.offer(
            [(None, "fp16"), *((name, name) for name in CACHE_FORMATS if name != "fp16")]
        )
        self._weights.offer([(None, tr("any that suits")), *format_choices()])
        group.edited.connect(self._edit)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(group)
        column.addStretch(1)
        self.setWidget(inside)

    def minimumSizeHint(self) -> QSize:
        """It scrolls, but not sideways."""
        inside = self.widget()
        assert inside is not None
        return QSize(inside.minimumSizeHint().width() + SCROLL_PX, px(LEAST_PX))

    def offer(self, library: Library) -> None:
        """The models that can be asked for; the scenario's own stands first."""
        entries = sorted(library.models.values(), key=lambda entry: natural(entry.name))
        self._models.offer(
            [(None, tr("as chosen at the left")), *((one.id, one.name) for one in entries)]
        )

    def follow(self, scenario: Scenario, context_tokens: int | None) -> bool:
        """Take the scenario's model where no other is chosen; whether that is another one.

        context_tokens: what a session reserves within the model's limit, which is taken as well
        where no other context was typed.
        """
        model = scenario.model
        if isinstance(model, ModelRef):
            model = msgspec.structs.replace(model, weights=None)
        if model == self._followed:
            return False
        self._followed = model
        followed = "model" not in self.values
        if followed and context_tokens and self._taken and self._taken != context_tokens:
            if self.values.get("context_tokens") == self._taken:
                self._put(self.values | {"context_tokens": context_tokens})
            self._taken = context_tokens
        return followed

    def take(self, scenario: Scenario, context_tokens: int | None) -> None:
        """The workload of a scenario as needs; the context as it is within the model's limit."""
        workload, prefill = scenario.workload, scenario.prefill
        context = context_tokens or workload.reserved_context_tokens or RESERVED_CONTEXT_TOKENS
        self._taken, read = context, workload.read_context_tokens
        taken = {
            "context_tokens": context,
            "read_context_tokens": None if read is None else min(read, context),
            "users": workload.batch or 1,
            "tokens_per_s_each": 20.0
            if workload.floor_tokens_per_s is None
            else workload.floor_tokens_per_s or None,
            "prompt_tokens": prefill.prompt_tokens if prefill else None,
            "first_token_s": prefill.ttft_budget_s if prefill else None,
            "cache_format": workload.cache_format,
            "cache_read_format": workload.cache_read_format,
            "cache_policy": workload.cache_policy,
            "routing": workload.routing,
            "overhead_gb": workload.overhead_gb,
        }
        kept = {
            key: self.values[key]
            for key in ("model", "weights", "budget", "watts")
            if key in self.values
        }
        self._put(kept | taken)

    def open(self, needs: Requirements) -> None:
        """Show what a file asks for."""
        found = msgspec.to_builtins(needs)
        model = needs.model
        if isinstance(model, ModelRef):
            found["weights"] = model.weights
            found["model"] = msgspec.structs.replace(model, weights=None)
        else:
            found["model"] = model
        self._put(found)

    def needs(self) -> Requirements | None:
        """What is needed; None where the values contradict each other, which a field then says."""
        model = self.values.get("model", self._followed)
        if model is None:
            return None
        document: dict[str, Any] = {"format": files.FORMAT, "version": files.VERSION}
        document |= {key: value for key, value in self.values.items() if key != "weights"}
        document["model"] = msgspec.to_builtins(model)
        if isinstance(model, ModelRef) and self.values.get("weights"):
            document["model"]["weights"] = self.values["weights"]
        try:
            return files.read(msgspec.json.encode(document))
        except BadInput as bad:
            self.refuse(bad.problem.key, bad.problem.message)
            return None

    def refuse(self, key: str, words: str) -> bool:
        """Say at a field why its value cannot stand; False where no field is to blame."""
        if key == "read_context_tokens":
            key = "context_tokens"
        return self.group.refuse(key, words)

    def show_values(self, settings: Settings) -> None:
        """Show the values; a field that is being typed into keeps its text."""
        model = self.values.get("model")
        shown = {key: self.values.get(key) for key in NUMBERS}
        shown["model"] = model.id if isinstance(model, ModelRef) else None
        shown |= {key: self.values.get(key) for key in ("weights", "cache_format")}
        context = int(self.values.get("context_tokens") or CONTEXT_TOKENS)
        self.group.present(shown, {"prompt_tokens": min(8192, context)})
        waits = self.values.get("first_token_s") is not None
        self.group.show_row("prompt_tokens", waits)
        words = tr("Most that the machine may cost, in {currency}")
        self.group.set_tip("budget", words.format(currency=settings.currency))

    def _edit(self, changes: dict[str, Any]) -> None:
        changed = dict(self.values)
        for key, value in changes.items():
            changed.pop(key, None)
            if value is not None:
                changed[key] = ModelRef(value) if key == "model" else value
        changed.setdefault("context_tokens", CONTEXT_TOKENS)
        context = changed["context_tokens"]
        read = changed.get("read_context_tokens")
        if read is not None and "context_tokens" in changes and read > context:
            changed["read_context_tokens"] = context
        self._put(changed)

    def _put(self, values: dict[str, Any]) -> None:
        self.values = {key: value for key, value in values.items() if value is not None}
        self.values.setdefault("users", 1)
        self.changed.emit()
