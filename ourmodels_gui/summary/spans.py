"""How far a plot of sessions or of prompt lengths reaches."""

from math import ceil, log2

from ..engine.result import Result
from ..engine.setup import Setup

SHORTEST_TOKENS = 16
UNLIMITED_TOKENS = 2**20


def batch_span(result: Result) -> int:
    """The largest batch to draw: past every limit that is not far from the others.

    A power of two, so that the axis stands still while a limit moves a little.
    """
    decode = result.decode
    high = max(4, decode.memory_batch or 1)
    if decode.forced is not None:
        high = max(high, decode.forced.batch)
    limit = rate_limit(result)
    if limit is not None:
        high = max(high, min(limit, 4 * high))
    return 1 << ceil(log2(high * 1.05))


def rate_limit(result: Result) -> int | None:
    """Where the floor ends the batches of the drawn ceiling; None where it never does.

    For one pool the rate-limited batch. That of all pools together is none of a policy's curve,
    which ends at its last usable batch.
    """
    if result.placement is None:
        return result.decode.rate_limited_batch
    last = result.placement.in_use.last_usable_batch
    return None if last == result.decode.memory_batch else last


def length_span(setup: Setup) -> int:
    """The longest prompt to draw: the model's limit, or past the scenario's prompt without one."""
    assert setup.prompt is not None
    if setup.model.max_context_tokens is not None:
        return max(setup.model.max_context_tokens, 2 * SHORTEST_TOKENS)
    return 1 << ceil(log2(max(UNLIMITED_TOKENS, setup.prompt.prompt_tokens)))
