"""The prompt that prefill processes, and the arithmetic it runs in."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...scenario import PrefillChoice
from .. import typed
from ..elided import ElidedLabel
from ..form import Group
from ..theme import sized
from .mode_fields import ModeFields

ANSWER = "prefill.answer_tokens"
TURN_ROWS, TURN_LINES = 3, 5
"""What the turn takes stands beside so many numbers, where there is room for so many lines."""
MODE_PATHS = ("prefill.linear_mode", "prefill.attention_mode")


class PromptGroup(Group):
    """Prompt, prefix, chunk, budget, cache growth, modes of the two compute paths."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(tr("Prompt"))
        self.number(
            "prefill.prompt_tokens",
            tr("Prompt"),
            tr("New tokens of the prompt, processed before the first token of the answer."),
            parse=typed.whole,
            unit=tr("tokens"),
            slider=(16, 1_048_576),
        )
        self.number(
            "prefill.cached_prefix_tokens",
            tr("Cached prefix"),
            tr(
                "Tokens before the prompt that are in the cache already. They are not processed "
                "again, but the prompt attends to them."
            ),
            parse=typed.whole,
            unit=tr("tokens"),
        )
        self.number(
            ANSWER,
            tr("Answer"),
            tr(
                "Length of the answer. With it, the whole turn is told: the wait for the first "
                "token and the rest of the answer."
            ),
            parse=typed.whole,
            unit=tr("tokens"),
            empty=tr("not asked"),
        )
        self.turn = ElidedLabel(self._body, lines=TURN_LINES)
        self.turn.setFont(sized("caption"))
        self.turn.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        beside = self.grid.rowCount() - 1
        self.grid.addWidget(self.turn, beside, 2, TURN_ROWS, 1, Qt.AlignmentFlag.AlignTop)
        self.number(
            "prefill.chunk_tokens",
            tr("Chunk"),
            tr(
                "Tokens processed at once. Empty is one shot: the whole prompt in one pass, the "
                "ceiling over all policies."
            ),
            parse=typed.whole,
            unit=tr("tokens"),
            empty=tr("one shot"),
        )
        self.number(
            "prefill.ttft_budget_s",
            tr("Time budget"),
            tr("The longest wait for the first token, in seconds. Empty is no budget."),
            unit=tr("s"),
            empty=tr("none"),
        )
        self.number(
            "prefill.batch",
            tr("Prompts"),
            tr("Forces the number of prompts processed together."),
            parse=typed.whole,
            empty=tr("best batch"),
        )
        self.choice(
            "prefill.cache_growth",
            tr("Cache grows"),
            tr("Reserve the full context before the prompt, or only what it fills."),
        ).offer(
            (
                ("reserved", tr("reserved at the start")),
                ("on_demand", tr("on demand")),
            )
        )
        self._paths = (
            ModeFields(
                self,
                MODE_PATHS[0],
                tr("Linear layers"),
                tr(
                    "Arithmetic of the weight multiplications: operands and accumulator. The "
                    "format the weights are stored in does not decide it; the runtime does."
                ),
            ),
            ModeFields(
                self,
                MODE_PATHS[1],
                tr("Attention"),
                tr("Arithmetic of the attention products."),
            ),
        )

    def tell_turn(self, evaluation: Evaluation) -> None:
        """Say what the whole turn takes, where an answer length is asked about."""
        if evaluation.setup is None or evaluation.setup.prompt is None:
            self.turn.say("")
            return
        from ..telling import told  # noqa: PLC0415 - the summary imports numpy, after the start

        summary = told(evaluation)
        rows = [summary.row(name) for name in ("single_prompt", "turn_s", "turn_beside_s")]
        alone = rows[1]
        lines = []
        if alone is not None and alone.value is None:
            lines = [alone.note]
        elif alone is not None and rows[0] is not None:
            first = f"{rows[0].text} {rows[0].unit.partition(',')[0]}"
            lines = [tr("first token {first}").format(first=first)]
            lines += [f"{row.label.lower()}: {row.text} {row.unit}" for row in rows[1:] if row]
        self.turn.say("; ".join(lines))

    def offer(self, evaluation: Evaluation) -> None:
        """Offer the modes whose rate the machine gives, and the ones chosen in any case."""
        self.tell_turn(evaluation)
        setup, prefill = evaluation.setup, evaluation.scenario.prefill
        rates = setup.machine.compute_flop_per_s if setup else {}
        linear, attention = self._paths
        chosen = prefill or PrefillChoice()
        linear.offer(chosen.linear_mode, rates, setup.linear_mode if setup else {})
        attention.offer(chosen.attention_mode, rates, setup.attention_mode if setup else {})

    def present(self, values: Any, defaults: Any) -> None:
        shown = dict(values)
        for path in self._paths:
            shown |= path.shown()
        super().present(shown, defaults)
        for path in self._paths:
            path.show_rows()
        self.mark(key for key in self._set if ":" not in key)

    def commit(self, key: str, value: Any) -> None:
        for path in self._paths:
            if key in path.keys:
                self._accepted(key)
                self.edited.emit({path.path: path.changed(key, value)})
                return
        super().commit(key, value)
