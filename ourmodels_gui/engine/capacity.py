"""Gates: whether the model fits, and how many sessions fit beside it. Exact, in whole bytes.

Each amount is rounded to whole bytes once, after summing, so that "the batch fits, one more does
not" is exact. Rates never use the rounded amounts.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from .costs import Tokens, cache_alloc_bytes, draft_alloc_bytes
from .setup import Setup


class Capacity(msgspec.Struct, frozen=True):
    """Room for sessions, in whole bytes.

    margin_bytes: C - W_resident - O, less a draft's residency; negative when the model does not
        fit.
    session_bytes: K_alloc of one session, with a draft's cache.
    """

    margin_bytes: int
    session_bytes: int

    @property
    def memory_batch(self) -> int:
        """Sessions that fit, b_mem = floor(margin / K_alloc); 0 when the model does not fit.

        >>> Capacity(margin_bytes=10, session_bytes=3).memory_batch
        3
        """
        return max(self.margin_bytes // self.session_bytes, 0)

    def fits(self, batch: int) -> bool:
        """Whether the model and `batch` sessions fit."""
        return self.spare_bytes(batch) >= 0

    def spare_bytes(self, batch: int) -> int:
        """What `batch` sessions leave free; negative is what is missing [bytes]."""
        return self.margin_bytes - batch * self.session_bytes


def capacity(setup: Setup) -> Capacity:
    """The capacity gate of decode at the reserved context.

    W_resident + W_draft,res + O + b (K_alloc + K_draft,alloc) <= C

    Errors: ValueError for a session that reserves nothing; such a model is not a decoder.
    References: formulation, "Memory-fit batch" and "Speculative decoding".
    """
    session = int(session_bytes(setup, setup.workload.reserved_context_tokens))
    if session <= 0:
        raise ValueError("a session reserves no cache: K_alloc must be at least one byte")
    return Capacity(resident_margin_bytes(setup), session)


def resident_margin_bytes(setup: Setup) -> int:
    """What weights and overhead leave for sessions, C - W_resident - W_draft,res - O.

    Negative when the model does not fit.

    References: formulation, "Calculator procedure", step 1.
    """
    draft_bytes = setup.speculation.draft.resident_bytes if setup.speculation else 0.0
    return (
        round(setup.machine.capacity_bytes)
        - round(setup.model.resident_bytes)
        - round(draft_bytes)
        - round(setup.workload.overhead_bytes)
    )


def session_bytes(setup: Setup, tokens: Tokens) -> Tokens:
    """Cache that one session reserves, K_alloc(L) + K_draft,alloc(L), in whole bytes.

    Parameters: setup; tokens, the reserved context L, a number or an array.
    References: formulation, "Memory-fit batch" and "Speculative decoding".
    """
    policy = setup.workload.cache_policy
    whole_bytes: Tokens = np.rint(cache_alloc_bytes(setup.model.cache, tokens, policy))
    if setup.speculation:
        whole_bytes += np.rint(draft_alloc_bytes(setup.speculation.draft, tokens, policy))
    return whole_bytes


def fitting_batch(setup: Setup, tokens: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """The memory-fit batch b_mem(L) over many reserved contexts; 0 where nothing fits.

    b_mem(L) = floor((C - W_resident - O) / K_alloc(L)), exact below 2^53 bytes

    A session holds at least one byte, however short its context.

    References: formulation, "Memory-fit batch".
    """
    margin_bytes = float(max(resident_margin_bytes(setup), 0))
    held_bytes = session_bytes(setup, np.asarray(tokens, dtype=np.float64))
    return np.floor(margin_bytes / np.maximum(held_bytes, 1.0))


MOST_TOKENS = 2**31
"""The longest context that can be asked for."""


def longest_context(setup: Setup, batch: int = 1) -> int | None:
    """The longest reservation with which `batch` sessions still fit, to the token.

    The largest L with W_resident + O + b K_alloc(L) <= C; 0 where even one token does not fit, None
    where nothing grows beyond the memory, up to 2^31 tokens. A draft's cache grows with it
    up to the draft's own limit; the model's is another question.

    Parameters: setup; batch, b >= 1.
    References: formulation, "Memory-fit batch".
    """
    margin_bytes = resident_margin_bytes(setup)

    def fits(tokens: int) -> bool:
        return batch * int(session_bytes(setup, tokens)) <= margin_bytes

    if fits(MOST_TOKENS):
        return None
    low, high = 0, MOST_TOKENS
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
