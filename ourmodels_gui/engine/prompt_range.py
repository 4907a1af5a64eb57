"""The range of the prefill ceiling over every prompt length, T_pf,lo and T_pf,hi.

The ceilings of an interval of lengths are bracketed from the costs at its ends; intervals that can
hold neither extreme are dropped whole, the others are cut up until single lengths remain. So the
result is exact over the integers without looking at every one of them.

What brackets an interval [a, z], with the admitted batch b(L) falling as L grows:

- The compute ceiling falls with L.
- The memory ceiling rises with the batch.
- Inside one chunk L / Q is a valley, because the sweep is concave in its tokens: its top is at an
  end. Inside the first chunk it rises.
- Over several chunks it is highest with the fewest whole chunks: later chunks reread more.
- It is lowest where chunks have just begun. Q rises with L, so L / Q is at least a / Q(z); this
  is sharp inside a chunk. Over many chunks the parts of Q / L are bounded one by one.

Where memory is not one sum over one pool, only this is used: no batch of longer prompts is sooner
done, so that the prompts per second fall with L. It brackets T(L) between a T(z) / z and
z T(a) / a; intervals are dropped that cannot pass what is found by a thousandth.
"""

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .admissible import largest_batch
from .ascending import ascending
from .kept import Kept
from .prompt_costs import Floats, PromptCosts
from .prompt_policy import PromptPolicy
from .result import PromptRange, RangeEnd
from .setup import Setup, TypedCache

Lengths = NDArray[np.int64]

PARTS = 16
"""Into how many intervals one is cut."""

ROUNDING = 1e-12
"""Ceilings that differ by less than this fraction differ by rounding alone, and count as equal."""

NEAR = 1e-3
"""What ceilings may differ by and count as equal, where only the loose brackets hold."""

TRIED = 128
"""How many lengths are tried at once for the longest that is admitted."""


def ranges(policy: PromptPolicy) -> tuple[PromptRange | None, PromptRange | None]:
    """The range at the best (or forced) batch of each length, and the range at a batch of one.

    T_pf,lo = min over L of T_pf,max(L), T_pf,hi = max over L of T_pf,max(L)

    over every integer length 1 <= L <= L_model,max at which a prompt fits. Each length reserves
    K_alloc(L) and has no cached prefix; the chunk width, the forced batch and the budget are the
    scenario's, in both ranges. Of several lengths with the same ceiling any may be named.

    None without a context limit, with typed cache figures, when a side is missing, or when no
    length is left.

    References: formulation, "Ceilings across prompt lengths"; decisions, "Prefill".
    """
    setup = policy.setup
    if (
        setup.prompt is None
        or setup.model.max_context_tokens is None
        or isinstance(setup.model.cache, TypedCache)
        or policy.missing_for_memory(several_chunks=True)
        or policy.missing_for_compute()
    ):
        return None, None

    def found() -> tuple[PromptRange | None, PromptRange | None]:
        single = prompt_range(policy, 1)
        return (single if forced == 1 else prompt_range(policy, forced)), single

    forced = setup.prompt.batch
    return _kept.of((type(policy), policy.name, _basis(setup)), found)


_kept: Kept[tuple[PromptRange | None, PromptRange | None]] = Kept()


def _basis(setup: Setup) -> Setup:
    """The setup without what does not matter over every length: the length itself, its prefix and
    reservation, and what only decode rests on."""
    work = msgspec.structs.replace(
        setup.workload,
        floor_tokens_per_s=0.0,
        reserved_context_tokens=0,
        read_context_tokens=0,
        batch=None,
    )
    prompt = setup.prompt and msgspec.structs.replace(
        setup.prompt, prompt_tokens=0, cached_prefix_tokens=0, answer_tokens=None
    )
    return msgspec.structs.replace(setup, workload=work, prompt=prompt, assumptions=())


def prompt_range(policy: PromptPolicy, batch: int | None) -> PromptRange | None:
    """The range at one batch, or at the best batch of each length when `batch` is None.

    For setups that `ranges` accepts. None when no length is admitted.
    """
    lengths = _Lengths(policy, batch)
    last = lengths.last_admitted()
    if last == 0:
        return None
    return lengths.range_between(_search(lengths, last))


class _Lengths:
    """Ceilings over lengths under one way of serving one setup."""

    def __init__(self, policy: PromptPolicy, batch: int | None) -> None:
        setup = policy.setup
        assert setup.prompt is not None and setup.model.max_context_tokens is not None
        self._policy = policy
        self._batch = batch
        self._chunk = setup.prompt.chunk_tokens
        self._budget_s = setup.prompt.ttft_budget_s
        self._written = setup.model.cache_write_bytes_per_token or 0.0
        self.limit: int = setup.model.max_context_tokens
        self.chunk = min(self._chunk or self.limit, self.limit)
        self._whole = self.costs(np.asarray(self.chunk))
        self.closed = self._whole.closed

    def costs(self, tokens: ArrayLike) -> PromptCosts:
        return self._policy.costs(tokens, self._chunk, reserved=tokens)

    def admitted(self, costs: PromptCosts) -> Floats:
        """The largest batch that may be used; the forced one where it may."""
        fitting = self._policy.fitting(costs.tokens)
        if self._batch is None:
            return largest_batch(costs, fitting, self._budget_s)
        kept = self._batch <= fitting
        if self._budget_s is not None:
            kept = kept & (costs.time_s(self._batch) <= self._budget_s)
        return np.where(kept, float(self._batch), 0.0)

    def near(self, costs: PromptCosts) -> tuple[Floats, Floats]:
        """A batch that comes near the best at each length, and the largest admitted."""
        admitted = self.admitted(costs)
        if self._batch:
            return admitted, admitted
        return self._policy.nearly_best(costs, admitted), admitted

    def last_admitted(self) -> int:
        """The longest length with a batch: gate and budget tighten with the length. 0 for none."""
        low, high = 0, self.limit + 1
        while high - low > 1:
            tried = np.linspace(low + 1, high - 1, min(TRIED, high - low - 1)).astype(np.int64)
            kept = int(np.count_nonzero(self._admits(tried)))
            if kept < tried.size:
                high = int(tried[kept])
            if kept > 0:
                low = int(tried[kept - 1])
        return low

    def _admits(self, tokens: Lengths) -> NDArray[np.bool_]:
        """Whether there is a batch at each length."""
        if self._budget_s is None:
            return self._policy.fitting(tokens) >= (self._batch or 1)
        return self.admitted(self.costs(tokens)) >= 1

    def least_over_chunks(
        self, begin: Lengths, end: Lengths, batch: Floats, private_bytes: Floats
    ) -> Floats:
        """What the memory ceiling of no length in an interval falls below, sharp for many chunks.

        Of a length L in N chunks of c: the sweeps are at most (L + c - 1) / c whole ones; the
        rereads S are shared by at least (N - 1) c + 1 tokens, and their share rises with N.

        Parameters: begin, end [tokens]; batch; private_bytes, rereads and writes of `end`.
        """
        chunk = self.chunk
        written = self._written
        sweep = self._whole.sweeps_bytes(batch) / (batch * chunk)
        reread = (private_bytes - written * end) / ((end - 1) // chunk * chunk + 1)
        moved = sweep * (1.0 + (chunk - 1) / begin) + reread + written
        return self._whole.bandwidth_bytes_per_s / moved

    def range_between(self, lengths: tuple[int, int]) -> PromptRange:
        """The range with its ends at these lengths, each at its best batch."""
        costs = self.costs(np.asarray(lengths))
        admitted = self.admitted(costs)
        batch = admitted if self._batch else self._policy.best(costs, admitted)
        rate = batch * costs.tokens / costs.time_s(batch)
        low, high = (
            RangeEnd(float(rate[i]), lengths[i], int(batch[i])) for i in range(len(lengths))
        )
        return PromptRange(low, high)


def _search(lengths: _Lengths, last: int) -> tuple[int, int]:
    """Lengths of the lowest and of the highest ceiling among 1..last."""
    chunk = min(lengths.chunk, last)
    low, high = (np.inf, 1), (-np.inf, 1)
    begin, end = _first_intervals(last, chunk)
    equal = ROUNDING if lengths.closed else NEAR
    while begin.size:
        if lengths.closed:
            at_begin, at_end, lower, upper = _ceilings(lengths, begin, end, chunk)
        else:
            at_begin, at_end, lower, upper = _loose_ceilings(lengths, begin, end)
        for at, where in ((at_begin, begin), (at_end, end)):
            least, most = int(np.argmin(at)), int(np.argmax(at))
            low = min(low, (float(at[least]), int(where[least])))
            if at[most] > high[0]:
                high = (float(at[most]), int(where[most]))
        beyond = (lower < low[0] * (1.0 - equal)) | (upper > high[0] * (1.0 + equal))
        alive = (end - begin > 1) & beyond
        begin, end = _cut(begin[alive], end[alive], chunk)
    return low[1], high[1]


def _first_intervals(last: int, chunk: int) -> tuple[Lengths, Lengths]:
    """1..last in intervals of about one ratio, cut at whole chunks beyond the first."""
    ends = ascending(np.geomspace(1, last, 64).round())
    ends = np.where(ends > chunk, -(-ends // chunk) * chunk, ends)
    ends = ascending(np.minimum(ends, last), chunk, last)
    return np.concatenate(([1], ends[:-1] + 1)), ends


def _cut(begin: Lengths, end: Lengths, chunk: int) -> tuple[Lengths, Lengths]:
    """Each interval in PARTS, at whole chunks while it is longer than a chunk."""
    unit = np.where(end - begin >= chunk, chunk, 1)[:, None]
    units = -(-(end - begin + 1)[:, None] // unit)
    share = -(-units * np.arange(1, PARTS + 1) // PARTS)
    ends = np.minimum(begin[:, None] - 1 + unit * share, end[:, None])
    begins = np.concatenate((begin[:, None], ends[:, :-1] + 1), axis=1)
    filled = begins <= ends
    return begins[filled], ends[filled]


def _ceilings(
    lengths: _Lengths, begin: Lengths, end: Lengths, chunk: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Ceilings at both ends of each interval, and what no length inside falls below or exceeds."""
    whole = np.maximum(begin // chunk, 1) * chunk
    costs = lengths.costs(np.stack((begin, end, whole, end, begin)))
    more, fewer = lengths.admitted(costs)[:2]
    at_begin, at_end, top, end_of_chunk, begin_of_chunk = costs.memory_tokens_per_s(
        np.stack((more, fewer, more, more, fewer))
    )
    fast, slow = _steady(costs)[:2]
    one_chunk = (begin - 1) // chunk == (end - 1) // chunk
    upper = np.where(one_chunk, np.maximum(at_begin, end_of_chunk), top)
    lower = np.where(end <= chunk, begin_of_chunk, at_end * begin / end)
    if np.any(end > chunk):
        assert costs.private_bytes is not None
        rough = lengths.least_over_chunks(begin, end, fewer, costs.private_bytes[1])
        lower = np.where(end <= chunk, lower, np.maximum(lower, rough))
    return (
        np.minimum(at_begin, fast),
        np.minimum(at_end, slow),
        np.minimum(lower, slow),
        np.minimum(upper, fast),
    )


def _loose_ceilings(
    lengths: _Lengths, begin: Lengths, end: Lengths
) -> tuple[Floats, Floats, Floats, Floats]:
    """The same where all that is known is that prompts per second fall with the length."""
    costs = lengths.costs(np.stack((begin, end)))
    batch = np.stack(lengths.near(costs))
    shared_s = costs.shared_s(batch)
    rates = batch[0] * costs.tokens / costs.longest_s(batch[0], shared_s[0])
    shared = np.max(batch * costs.tokens / shared_s, axis=0)
    steady = _steady(costs)
    lower = np.minimum(shared[1] * begin / end, steady[1])
    upper = np.minimum(rates[0] * end / begin, steady[0])
    return rates[0], rates[1], lower, upper


def _steady(costs: PromptCosts) -> Floats:
    """The ceiling of what no batch shares: falls with the length."""
    assert costs.each_s is not None
    return costs.tokens / costs.each_s
