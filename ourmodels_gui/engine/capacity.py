"""Gates: whether the model fits, and how many sessions fit beside it. Exact, in whole bytes."""

import msgspec

from .costs import cache_alloc_bytes
from .setup import Setup


class Capacity(msgspec.Struct, frozen=True):
    """Room for sessions, every part rounded once to a whole number of bytes.

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
    """The capacity gate of decode.

    W_resident + W_draft,res + O + b (K_alloc + K_draft,alloc) <= C

    Errors: ValueError for a session that reserves nothing; such a model is not a decoder.
    References: formulation, "Memory-fit batch" and "Speculative decoding".
    """
    model, workload = setup.model, setup.workload
    margin_bytes = (
        round(setup.machine.capacity_bytes)
        - round(model.resident_bytes)
        - round(workload.overhead_bytes)
    )
    session_bytes = round(
        cache_alloc_bytes(model.cache, workload.reserved_context_tokens, workload.cache_policy)
    )
    if session_bytes <= 0:
        raise ValueError("a session reserves no cache: K_alloc must be at least one byte")
    if setup.speculation is not None:
        margin_bytes -= round(setup.speculation.draft.resident_bytes)
        session_bytes += round(setup.speculation.draft.cache_alloc_bytes)
    return Capacity(margin_bytes, session_bytes)
