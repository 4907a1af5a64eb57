"""The capacity gate: what is left for sessions, and what one session takes.

Each amount is rounded to whole bytes once, after summing, so that "the batch fits, one more does
not" is exact. Rates never use the rounded amounts.
"""

import numpy as np
from numpy.typing import ArrayLike

from .costs import cache_alloc_bytes
from .setup import Setup


def resident_margin_bytes(setup: Setup) -> int:
    """What the weights and the overhead leave for sessions, C - W_resident - W_draft,res - O.

    Negative when the model does not fit.

    References: formulation, "Memory-fit batch" and "Speculative decoding"; decisions, "Capacity
    gate".
    """
    draft = setup.speculation.draft.resident_bytes if setup.speculation else 0.0
    return (
        round(setup.machine.capacity_bytes)
        - round(setup.model.resident_bytes)
        - round(draft)
        - round(setup.workload.overhead_bytes)
    )


def session_bytes(setup: Setup, tokens: ArrayLike) -> np.ndarray:
    """Cache that one session reserves, K_alloc(L) + K_draft,alloc, in whole bytes, at least one.

    Parameters: tokens, the reserved context [tokens], a number or an array.
    References: formulation, "Memory-fit batch" and "Speculative decoding".
    """
    draft = setup.speculation.draft.cache_alloc_bytes if setup.speculation else 0.0
    own = cache_alloc_bytes(setup.model.cache, tokens, setup.workload.cache_policy)
    return np.maximum(np.rint(own) + round(draft), 1.0)


def fitting_batch(setup: Setup, tokens: ArrayLike) -> np.ndarray:
    """The memory-fit batch b_mem(L), 0 when nothing fits; exact below 2^53 bytes.

    b_mem(L) = floor((C - W_resident - O) / K_alloc(L))

    References: formulation, "Memory-fit batch".
    """
    margin = float(max(resident_margin_bytes(setup), 0))
    return np.floor(margin / session_bytes(setup, tokens))
