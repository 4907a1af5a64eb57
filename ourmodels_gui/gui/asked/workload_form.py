"""What is asked of the machine: contexts, floor, runtime, prompt and speculation."""

from collections.abc import Iterable
from typing import Any

import msgspec
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from ... import scenario as scenarios
from ... import units
from ...engine.setup import Setup
from ...evaluation import Evaluation
from ...language import tr
from ...library.encodings import CACHE_FORMATS, cache_value_bytes
from ...library.load import Library
from ...problem import Problem
from .. import typed
from ..form import LABEL_PX, Group, align
from ..theme import CARD_PADDING, SCROLL_PX, UNIT, hairline, px
from .contexts import READ, RESERVED, SHARE, context_edit, follow_edit
from .preset_row import PresetRow
from .prompt_group import PromptGroup
from .runtime_group import RuntimeGroup
from .speculation_group import SpeculationGroup

LEAST_TOKENS = 256
MOST_TOKENS = 1_048_576
LEAST_PX = 80
"""The height of the first fields."""


class WorkloadGroup(Group):
    """The few numbers that everybody sets: contexts, floor, overhead, cache format."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(foldable=False, parent=parent)
        self.set_title(tr("Workload"))
        self.preset = PresetRow(self)
        self.preset.edited.connect(self.edited)
        self.put_first(self.preset)
        self._read = 0
        contexts = (LEAST_TOKENS, MOST_TOKENS)
        self.number(
            RESERVED,
            tr("Reserved"),
            tr(
                "Context that each session may grow to, in tokens. Memory is set aside for all of "
                "it. You can type 100k."
            ),
            parse=typed.whole,
            unit=tr("tokens"),
            slider=contexts,
        )
        self.number(
            READ,
            tr("Read"),
            tr(
                "Context that a session holds now, in tokens. All of it is read for each new "
                "token, so it decides the speed."
            ),
            parse=typed.whole,
            unit=tr("tokens"),
            slider=contexts,
        )
        self._follow = QCheckBox(tr("Read follows the reserved"), self._body)
        self._follow.setToolTip(
            tr(
                "The read context is a share of the reserved one, and at most 32,768 tokens "
                "less than it."
            )
        )
        self._follow.clicked.connect(self._follow_clicked)
        self.grid.addWidget(self._follow, self.grid.rowCount(), 1, 1, 2)
        self.number(
            SHARE,
            tr("Share read"),
            tr("Share of the reserved context that is read, from 0 to 1."),
        )
        self.number(
            "workload.floor_tokens_per_s",
            tr("Floor"),
            tr(
                "The least speed a session is worth running at, in tokens per second. 0 is no "
                "floor. The best batch keeps every session at it or above."
            ),
            unit=tr("tok/s"),
            slider=(1, 200),
        )
        self.number(
            "workload.overhead_gb",
            tr("Overhead"),
            tr(
                "Memory that neither weights nor caches can use: the system, the runtime, its "
                "buffers. It follows the kind of machine until you type a value; empty it to "
                "follow again. Of several devices, each keeps so much, and so does the system."
            ),
            unit=tr("GB"),
            slider=(0.5, 64),
            empty=tr("each its own"),
        )
        self.choice(
            "workload.cache_format",
            tr("Cache format"),
            tr("How the runtime stores the keys and values of the context."),
        ).offer([(name, self._cache_words(name)) for name in CACHE_FORMATS])

    def present(self, values: Any, defaults: Any) -> None:
        self._read = values.get(READ) or 0
        follows = values.get(SHARE) is not None
        self._follow.setChecked(follows)
        self.show_row(SHARE, follows)
        limit = defaults.get("model.max_context_tokens") or MOST_TOKENS
        self.slider(RESERVED).set_high(limit)
        reserved = defaults.get(RESERVED) or limit
        self.slider(READ).set_high(reserved)
        super().present(values, defaults)

    def commit(self, key: str, value: Any) -> None:
        self._accepted(key)
        self.edited.emit(context_edit(key, value, self._read))

    def _cache_words(self, name: str) -> str:
        bits = units.plain(8 * cache_value_bytes(name), typed.separators())
        return tr("{name}, {bits} bits a value").format(name=name, bits=bits)

    def _follow_clicked(self, on: bool) -> None:
        self.edited.emit(follow_edit(on))


class WorkloadForm(QScrollArea):
    """All the groups, one under the other, scrolled together."""

    edited = Signal(dict)

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Workload"))
        self._evaluation: Evaluation | None = None
        self.workload = WorkloadGroup()
        self.runtime = RuntimeGroup()
        self.prompt = PromptGroup()
        self.speculation = SpeculationGroup()
        self.groups: tuple[Group, ...] = (
            self.workload,
            self.runtime,
            self.prompt,
            self.speculation,
        )
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(CARD_PADDING, 0, CARD_PADDING, CARD_PADDING)
        layout.setSpacing(UNIT)
        for group in self.groups:
            if group is not self.workload:
                layout.addWidget(hairline(inside))
            layout.addWidget(group)
            group.edited.connect(self.edited)
        layout.addStretch(1)
        self.setWidget(inside)
        self.verticalScrollBar().rangeChanged.connect(self._keep_width)
        self._page = layout
        self.label_px = align(self.groups, px(LABEL_PX))
        self.workload.preset.field_left(self.label_px)
        self.offer(library)

    def minimumSizeHint(self) -> QSize:
        least = max(group.least_px() for group in self.groups)
        return QSize(least + 2 * CARD_PADDING, px(LEAST_PX))

    def offer(self, library: Library) -> None:
        """Take the choices that come from the library."""
        self.speculation.offer(library)

    def present(self, evaluation: Evaluation) -> None:
        """Show a scenario, its defaults as resolved, and the refused value if there is one."""
        self._evaluation = evaluation
        values = flat(msgspec.to_builtins(evaluation.scenario))
        defaults = resolved(evaluation)
        self.prompt.offer(evaluation)
        self.workload.preset.present(evaluation)
        for group in self.groups:
            group.present(values, defaults)
        if evaluation.setup is not None:
            self._tell_limit(values, evaluation.setup)
        problem = evaluation.problem
        if problem is not None:
            any(group.refuse(problem.key, problem.message) for group in self.groups)

    def _tell_limit(self, values: dict[str, Any], setup: Setup) -> None:
        """Say at a context that is longer than the model's limit what it is answered with."""
        limit, work = setup.model.max_context_tokens, setup.workload
        for key, used in (
            (RESERVED, work.reserved_context_tokens),
            (READ, work.read_context_tokens),
        ):
            words = ""
            if limit is not None and (values.get(key) or 0) > limit:
                words = tr("Over the model's {limit} tokens; answered for {used}.")
                words = words.format(limit=typed.show(limit), used=typed.show(used))
            self.workload.caution(key, words)

    def refuse(self, problem: Problem, changes: Iterable[str]) -> bool:
        """Show at its field a value that no scenario can hold; False if no field is to blame.

        What was typed for the keys in `changes` stays in the fields; sliders go back.
        """
        if self._evaluation is not None:
            values = flat(msgspec.to_builtins(self._evaluation.scenario))
            for group in self.groups:
                for key in set(changes).intersection(group.keys):
                    group.keep_text(key, values.get(key))
            self.present(self._evaluation)
        return any(
            group.refuse(problem.key, problem.message, until_retyped=True) for group in self.groups
        )

    def _keep_width(self, _: int, high: int) -> None:
        """A scroll bar that comes takes its room from the margin, so no field moves."""
        right = CARD_PADDING - (SCROLL_PX if high else 0)
        self._page.setContentsMargins(CARD_PADDING, 0, right, CARD_PADDING)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            # The page lies on the window's colour, not on a field's.
            self.viewport().setAutoFillBackground(False)


def flat(tree: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Every value of a nested mapping by its path; the mappings themselves as well.

    >>> flat({"workload": {"batch": 4}})
    {'workload': {'batch': 4}, 'workload.batch': 4}
    """
    out: dict[str, Any] = {}
    for key, value in tree.items():
        here = f"{path}.{key}" if path else key
        out[here] = value
        if isinstance(value, dict):
            out |= flat(value, here)
    return out


def resolved(evaluation: Evaluation) -> dict[str, Any]:
    """What each absent value means for this machine and model, by the scenario's keys.

    Without a setup, the defaults that hold for every scenario.
    """
    out: dict[str, Any] = {
        "workload.reserved_context_tokens": scenarios.RESERVED_CONTEXT_TOKENS,
        "workload.read_context_tokens": scenarios.READ_CONTEXT_TOKENS,
        "workload.floor_tokens_per_s": scenarios.FLOOR_TOKENS_PER_S,
        "workload.cache_format": "fp16",
        "workload.cache_policy": "windowed",
        "workload.routing": "expected",
        "workload.rates": "limit",
        "workload.decode_ceiling": "memory",
        "prefill.prompt_tokens": scenarios.PROMPT_TOKENS,
        "prefill.cached_prefix_tokens": 0,
        "prefill.cache_growth": "reserved",
    }
    setup = evaluation.setup
    if setup is None:
        return out
    work = setup.workload
    out |= {
        "model.max_context_tokens": setup.model.max_context_tokens,
        "workload.reserved_context_tokens": work.reserved_context_tokens,
        "workload.read_context_tokens": work.read_context_tokens,
        "workload.overhead_gb": _overhead_gb(setup),
    }
    return out


def _overhead_gb(setup: Setup) -> float | None:
    """The overhead of each device and of the host's memory; None where they differ."""
    made = setup.composition
    if made is None:
        return setup.workload.overhead_bytes / 1e9
    pools = made.devices if made.host is None else (*made.devices, made.host)
    each = {pool.overhead_bytes / 1e9 for pool in pools}
    return each.pop() if len(each) == 1 else None
