"""The quantities that the formulas of a ledger take, as numbers and as text."""

from collections.abc import Mapping

import msgspec

from .. import units
from ..engine.capacity import Capacity, capacity
from ..engine.costs import (
    active_bytes,
    cache_alloc_bytes,
    cache_read_bytes,
    draft_alloc_bytes,
    draft_read_bytes,
)
from ..engine.memory_power import memory_power_bytes2_per_s
from ..engine.result import Result
from ..engine.setup import Setup
from ..engine.step import Step, decode_step
from ..language import signed, tr, trn
from ..units import Separators
from .shapes import Input, Row

NONE = "-"


def split(text: str) -> tuple[str, str]:
    """A figure and the unit behind it."""
    figure, _, unit = text.partition(" ")
    return figure, unit


class Figures(msgspec.Struct, frozen=True):
    """A setup with its result and the adapter's values at the chosen lengths.

    alloc_bytes: K_alloc(L_alloc) of the model alone. read_bytes: K_read(L_read). active_bytes:
    W_active. step: the iteration in use, with speculation where there is any. gate: the same for
    the capacity gate. symbols: the inputs of formulas, as they are told.
    """

    setup: Setup
    result: Result
    separators: Separators
    alloc_bytes: float
    read_bytes: float
    active_bytes: float
    step: Step
    gate: Capacity
    symbols: dict[str, Input] = {}

    @property
    def one_gate(self) -> bool:
        """Whether all memory together decides what fits, not what has to lie in one of several."""
        return self.result.decode.resident_margin_bytes == self.gate.margin_bytes

    def size(self, value: float) -> str:
        return units.size(value, self.separators)

    def rate(self, value: float) -> str:
        return units.rate(value, self.separators)

    def tokens(self, value: float) -> str:
        return units.tokens(value, self.separators)

    def count(self, value: int) -> str:
        return units.number(value, 0, self.separators)

    def gb(self, value: float) -> str:
        """Bytes in GB with enough digits to redo the arithmetic."""
        return f"{self.digits(value / 1e9)} GB"

    def sessions(self, count: int | None) -> tuple[str, str] | None:
        """A batch with its unit; None where it does not exist."""
        if count is None:
            return None
        return self.count(count), trn("session", "sessions", count)

    def memory_power(self) -> str:
        """D, with its unit."""
        return f"{self.digits(memory_power_bytes2_per_s(self.setup.machine) / 1e18)} GB²/s"

    def gflop(self, value: float) -> str:
        return f"{self.digits(value / 1e9)} GFLOP"

    def digits(self, value: float) -> str:
        """Six significant digits, in the separators in use."""
        text = f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
        return text if "e" in text else signed(text, self.separators)

    def source(self, name: str) -> str:
        """Where the assumption whose name starts so comes from."""
        for told in self.setup.assumptions:
            if told.name.startswith(name):
                return tr(told.source)
        return ""

    def given(self, symbol: str) -> Input:
        """One input of a formula by its symbol."""
        return self.symbols[symbol]

    def inputs(self, symbols: str) -> tuple[Input, ...]:
        return tuple(self.given(symbol) for symbol in symbols.split())

    def row(
        self,
        name: str,
        label: str,
        shown: tuple[str, str] | None,
        value: float | int | None,
        *,
        kinds: Mapping[str, str],
        formula: str = "",
        worked: str = "",
        symbols: str = "",
        note: str = "",
    ) -> Row:
        """A row; shown is text and unit, None where the figure does not exist."""
        text, unit = shown or (NONE, "")
        exists = value is not None
        return Row(
            name=name,
            label=label,
            text=text,
            unit=unit,
            value=value,
            kind=kinds.get(name, "") if exists else "",
            formula=formula,
            worked=worked if exists else "",
            inputs=self.inputs(symbols),
            note="" if exists else note,
        )


def figures(setup: Setup, result: Result, separators: Separators) -> Figures:
    """The quantities of one evaluation."""
    model, workload = setup.model, setup.workload
    known = Figures(
        setup=setup,
        result=result,
        separators=separators,
        alloc_bytes=float(
            cache_alloc_bytes(model.cache, workload.reserved_context_tokens, workload.cache_policy)
        ),
        read_bytes=float(cache_read_bytes(model.cache, workload.read_context_tokens)),
        active_bytes=float(active_bytes(model.always_bytes, model.experts)),
        step=decode_step(setup, setup.speculation),
        gate=capacity(setup),
    )
    known.symbols.update(_symbols(known))
    return known


def _symbols(known: Figures) -> dict[str, Input]:
    """Every input of the formulas of decode by its symbol."""
    setup, workload = known.setup, known.setup.workload
    context = known.tokens(workload.reserved_context_tokens)
    read = known.tokens(workload.read_context_tokens)
    routing = {
        "expected": tr("the adapter, expected routing"),
        "floor": tr("the adapter, floor routing"),
    }
    adapter = routing[workload.routing] if setup.model.experts else tr("the adapter")
    draft = known.step.draft
    draft_cache = (
        draft_alloc_bytes(draft, workload.reserved_context_tokens, workload.cache_policy),
        draft_read_bytes(draft, workload.read_context_tokens),
    )
    table = {
        "C": (known.gb(setup.machine.capacity_bytes), known.source("memory capacity")),
        "R": (
            f"{known.digits(setup.machine.bandwidth_bytes_per_s / 1e9)} GB/s",
            known.source("memory bandwidth"),
        ),
        "O": (known.gb(workload.overhead_bytes), known.source("runtime overhead")),
        "W_resident": (known.gb(setup.model.resident_bytes), known.source("resident weights")),
        "W_active": (known.gb(known.active_bytes), tr("the adapter at one token")),
        "W_batch": (
            tr("rises with the batch") if setup.model.experts else tr("constant"),
            adapter,
        ),
        "K_alloc": (
            known.gb(known.alloc_bytes),
            tr("the adapter at {length} tokens").format(length=context),
        ),
        "K_read": (
            known.gb(known.read_bytes),
            tr("the adapter at {length} tokens").format(length=read),
        ),
        "r_star": (
            f"{known.digits(workload.floor_tokens_per_s)} tok/s",
            known.source("per-session floor"),
        ),
        "rho": (known.digits(known.step.emitted_tokens), known.source("emitted tokens")),
        "gamma": (known.count(known.step.draft_tokens), known.source("draft tokens")),
        "W_draft,res": (known.gb(draft.resident_bytes), known.source("draft")),
        "K_draft,alloc": (known.gb(draft_cache[0]), known.source("draft")),
        "K_draft,read": (known.gb(draft_cache[1]), known.source("draft")),
    }
    return {symbol: Input(symbol, text, source) for symbol, (text, source) in table.items()}
