"""Outputs of the engine, in SI units. A figure that does not exist is None, never 0."""

from typing import Literal

import msgspec

from .setup import Assumption

DecodeVerdict = Literal[
    "model does not fit",
    "no session fits",
    "fits, but no batch satisfies the floor",
    "serves",
]
PrefillVerdict = Literal[
    "model does not fit",
    "no prompt fits",
    "the batch does not fit",
    "no setting meets the budget",
    "serves",
]
Kind = Literal["bound", "estimate", "policy ceiling"]
Limit = Literal["memory", "compute", "link"]
"""A link limits only a composition."""


class Forced(msgspec.Struct, frozen=True):
    """Decode at a concurrency fixed by policy; given also when it does not fit."""

    batch: int
    aggregate_tokens_per_s: float
    per_session_tokens_per_s: float
    fits: bool
    clears_floor: bool


class SpeculationFigures(msgspec.Struct, frozen=True):
    """break_even_*: emitted tokens per iteration from which speculation gains (rho(b)).

    break_even_acceptance_*: the acceptance alpha that emits so many; None where there is none.
    loses_at: inclusive intervals of batches within the memory batch at which it loses.
    note_at_1, note_at_best: why no break-even exists there, "" where one does.
    """

    draft_tokens: int
    emitted_tokens_per_iteration: float
    break_even_at_1: float | None
    break_even_at_best: float | None
    break_even_acceptance_at_1: float | None
    break_even_acceptance_at_best: float | None
    note_at_1: str
    note_at_best: str
    loses_at: tuple[tuple[int, int], ...]


class Decode(msgspec.Struct, frozen=True):
    """Decode ceilings and gates; see `ourmodels_gui.engine.decode` for each formula.

    spare_bytes: margin - b* K_alloc when it serves, else margin - K_alloc; negative is missing.
    binding_gate: what keeps the best batch from growing: "memory", "floor", or "" when none serves.
    compute_time_s, memory_time_s: of one iteration at the best batch; None where unknown.
    kind: of each figure by name; kind_reasons: why any is no bound.
    """

    verdict: DecodeVerdict
    kind: dict[str, Kind]
    kind_reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    resident_margin_bytes: int
    spare_bytes: int
    memory_power_bytes2_per_s: float
    rate_limited_batch: int | None = None
    memory_batch: int | None = None
    usable_batch: int | None = None
    best_batch: int | None = None
    binding_gate: str = ""
    aggregate_tokens_per_s: float | None = None
    per_session_tokens_per_s: float | None = None
    single_session_tokens_per_s: float | None = None
    memory_power_tokens_per_s: float | None = None
    large_memory_limit_tokens_per_s: float | None = None
    crossover_tokens: float | None = None
    memory_time_s: float | None = None
    compute_time_s: float | None = None
    speculation: SpeculationFigures | None = None
    forced: Forced | None = None


class Binding(msgspec.Struct, frozen=True):
    """What keeps a figure of a composition from rising: a resource, and where."""

    resource: Limit
    place: str

    @property
    def words(self) -> str:
        """The same as people say it.

        >>> Binding("memory", "RTX 3090").words, Binding("link", "between devices").words
        ('memory of RTX 3090', 'link, between devices')
        """
        joined = ", " if self.resource == "link" else " of "
        return f"{self.resource}{joined}{self.place}"


class PrefillPoint(msgspec.Struct, frozen=True):
    """A prefill ceiling with the setting that reaches it."""

    batch: int
    tokens_per_s: float
    time_s: float


class RangeEnd(msgspec.Struct, frozen=True):
    """One end of the ceilings over all prompt lengths, T_pf,lo or T_pf,hi."""

    tokens_per_s: float
    prompt_tokens: int
    batch: int


class PromptRange(msgspec.Struct, frozen=True):
    low: RangeEnd
    high: RangeEnd


class Prefill(msgspec.Struct, frozen=True):
    """Prefill ceilings; see `ourmodels_gui.engine.prefill` for each formula.

    chunk_tokens: width in use (the prompt itself for one shot).
    unavailable: what is missing, "" when nothing is.
    binding: what the setting waits for, and where; the place is "" where there is one pool.
    unrestricted: the result without the time-to-first-token budget; None without a budget.
    """

    verdict: PrefillVerdict
    kind: dict[str, Kind]
    unavailable: str = ""
    batch: int | None = None
    chunk_tokens: int | None = None
    tokens_per_s: float | None = None
    time_s: float | None = None
    limit: Limit | None = None
    binding: Binding | None = None
    memory_ceiling_tokens_per_s: float | None = None
    compute_ceiling_tokens_per_s: float | None = None
    memory_power_tokens_per_s: float | None = None
    linear_ceiling_tokens_per_s: float | None = None
    flop_per_token: float | None = None
    bytes_per_token: float | None = None
    crossover_tokens: float | None = None
    range: PromptRange | None = None
    range_single: PromptRange | None = None
    single_prompt: PrefillPoint | None = None
    unrestricted: PrefillPoint | None = None


class PolicyPrompt(msgspec.Struct, frozen=True):
    """Prefill under one way of using the pools of a composition; the names are those of `Prefill`.

    kind: of the rate. binding: what the batch waits for.
    """

    verdict: PrefillVerdict
    kind: Kind
    batch: int | None = None
    tokens_per_s: float | None = None
    time_s: float | None = None
    binding: Binding | None = None


class PolicyFigures(msgspec.Struct, frozen=True):
    """Decode under one way of using the pools of a composition.

    kind: a policy ceiling holds only for runtimes that work this way. last_usable_*: of the largest
        batch that fits and clears the floor, which exceeds the best one where the aggregate falls.
        groups: of sessions at the best batch, in a split by layers. binding, single_binding: what
        binds at the best batch and at one session. prompt: None where no prompt is asked about.
    """

    name: str
    kind: Kind
    memory_batch: int
    best_batch: int | None = None
    aggregate_tokens_per_s: float | None = None
    per_session_tokens_per_s: float | None = None
    single_session_tokens_per_s: float | None = None
    last_usable_batch: int | None = None
    last_usable_per_session_tokens_per_s: float | None = None
    binding: Binding | None = None
    single_binding: Binding | None = None
    groups: int | None = None
    prompt: PolicyPrompt | None = None


class PoolShare(msgspec.Struct, frozen=True):
    """What lies in one pool at the best batch, or with one session where none serves.

    capacity_bytes, overhead_bytes: of all its devices. held_bytes: by class of bytes.
    traffic_bytes: moved by an iteration. time_s: that it works in an iteration.
    """

    name: str
    capacity_bytes: float
    overhead_bytes: float
    held_bytes: dict[str, float]
    traffic_bytes: float
    time_s: float


class Placement(msgspec.Struct, frozen=True):
    """How the pools of a composition are used; the decode figures are those of `policy`.

    policies: that one and the others, side by side. pools: what lies where.
    pushed_out_from_batch: the first batch at which the cache leaves less room for weights in the
        fastest pool than one session does; None where it never does, or there is one kind of pool.
    prompt_policy: whose the prefill figures are, "" without a prompt.
    """

    policy: str
    kind: Kind
    policies: tuple[PolicyFigures, ...]
    pools: tuple[PoolShare, ...] = ()
    binding: Binding | None = None
    single_binding: Binding | None = None
    pushed_out_from_batch: int | None = None
    prompt_policy: str = ""

    @property
    def in_use(self) -> PolicyFigures:
        """The figures of `policy`."""
        return self.policies[0]


class Result(msgspec.Struct, frozen=True):
    """placement: None for one pool."""

    decode: Decode
    prefill: Prefill | None
    assumptions: tuple[Assumption, ...]
    placement: Placement | None = None
