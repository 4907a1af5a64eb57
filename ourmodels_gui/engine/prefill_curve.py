"""Prefill ceilings over prompt length, for a plot or a table."""

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from .placement import prompt_policy
from .setup import Setup


class PrefillCurve(msgspec.Struct, frozen=True, eq=False):
    """Ceilings at each length, at one batch and one chunk policy; None where a side is unknown.

    memory, compute, combined [tokens/s]; time_s, of the whole batch. link [tokens/s]: between the
    devices of a composition, None where none is charged. fitting: the most prompts of each length
    that fit when each reserves no more.
    """

    lengths: np.ndarray
    memory: np.ndarray | None
    compute: np.ndarray | None
    combined: np.ndarray | None
    time_s: np.ndarray | None
    link: np.ndarray | None
    fitting: np.ndarray


def ceilings_over_length(
    setup: Setup,
    lengths: ArrayLike,
    batch: int = 1,
    chunk_tokens: int | None = None,
    policy: str | None = None,
) -> PrefillCurve:
    """Each resource's ceiling, their minimum and the time at each prompt length.

    R / q_pf, F / a_pf and b L / max(Q_pf / R, t_compute), without a cached prefix and without the
    capacity gate: what fits is a question of the reservation, not of the curve. In pools of unlike
    speed what does not fit has no time: NaN.

    Parameters: setup; lengths, L [tokens]; batch, b; chunk_tokens, c, None for one shot; policy,
    the name of one way of using the pools of a composition, that of the prefill figures unless
    given.
    Errors: ValueError for a policy that the composition does not have.
    References: formulation, "Combined ceiling and crossover" and "One formula for both phases".
    """
    tokens = np.asarray(lengths, dtype=np.float64)
    way = prompt_policy(setup, policy)
    costs = way.costs(tokens, chunk_tokens)
    memory = compute = combined = time_s = None
    if costs.private_bytes is not None:
        memory = costs.memory_tokens_per_s(batch)
        if not way.beyond:
            memory = np.where(way.fitting(way.reserved(tokens)) >= batch, memory, np.nan)
    if costs.compute_s is not None:
        compute = costs.compute_tokens_per_s(batch)
    if memory is not None and compute is not None:
        time_s = np.where(np.isnan(memory), np.nan, costs.time_s(batch))
        combined = batch * tokens / time_s
    link = None if costs.link_s is None else tokens / costs.link_s
    return PrefillCurve(tokens, memory, compute, combined, time_s, link, way.fitting(tokens))


def doubling_lengths(limit: int) -> tuple[int, ...]:
    """Prompt lengths for a table: 1024, 2048, 4096, ... and the limit itself.

    >>> doubling_lengths(5000)
    (1024, 2048, 4096, 5000)
    """
    doubled = [1024 << step for step in range(max(limit // 1024, 1).bit_length())]
    return (*(length for length in doubled if length < limit), limit)
