"""How far a plot of sessions or of prompt lengths reaches."""

from math import ceil, log2

from ..engine.result import Decode
from ..engine.setup import Setup

SHORTEST_TOKENS = 16
UNLIMITED_TOKENS = 2**20


def batch_span(decode: Decode) -> int:
    """The largest batch to draw: past every limit that is not far from the others.

    A power of two, so that the axis stands still while a limit moves a little.
    """
    high = max(4, decode.memory_batch or 1)
    if decode.forced is not None:
        high = max(high, decode.forced.batch)
    if decode.rate_limited_batch is not None:
        high = max(high, min(decode.rate_limited_batch, 4 * high))
    return 1 << ceil(log2(high * 1.05))


def length_span(setup: Setup) -> int:
    """The longest prompt to draw: the model's limit, or past the scenario's prompt without one."""
    assert setup.prompt is not None
    if setup.model.max_context_tokens is not None:
        return max(setup.model.max_context_tokens, 2 * SHORTEST_TOKENS)
    return 1 << ceil(log2(max(UNLIMITED_TOKENS, setup.prompt.prompt_tokens)))
