"""Which batches of prompts a setting admits, and which of them is the best.

Both times of a batch of prompts rise with the batch, and the memory time per prompt falls with
it; so every test below holds up to some batch and fails beyond. The sweep lies between that of one
prompt and that of every expert, which brackets the batch; bisection settles it with the test.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .prompt_costs import Floats, PromptCosts

SLACK = 1e-9
"""Widens a bracket, relative to its terms, beyond what rounding can do to it."""


def last_batches(holds: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """The largest batches for which `holds`, given that it holds at `low` and not at `high`.

    >>> float(last_batches(lambda b: b * b <= 200, np.asarray(1.0), np.asarray(1e9)))
    14.0
    """
    while True:
        middle = np.floor((low + high) / 2)
        between = (low < middle) & (middle < high)  # past 2^53 neighbours may be two apart
        if not np.any(between):
            return low
        good = holds(middle)
        low = np.where(between & good, middle, low)
        high = np.where(between & ~good, middle, high)


def _ratio(amount: ArrayLike, each: ArrayLike) -> Floats:
    """amount / each, unlimited where `each` is not positive; 0 where the amount is negative."""
    unlimited = np.full(np.broadcast(amount, each).shape, np.inf)
    ratio = np.divide(amount, each, out=unlimited, where=np.asarray(each) > 0)
    return np.where(np.asarray(amount) >= 0, ratio, 0.0)


def largest_batch(costs: PromptCosts, fitting: Floats, budget_s: float | None) -> Floats:
    """The largest batch that fits and whose known time keeps the budget, 0 when none does.

    max b <= b_mem with t_pf,min(b, c) <= tau_star

    Parameters: costs; fitting, b_mem; budget_s, tau_star [s] or None.
    References: formulation, "TTFT floor".
    """
    if budget_s is None or (costs.private_bytes is None and costs.compute_s is None):
        return fitting
    low, high = np.zeros(np.shape(fitting)), fitting + 1.0
    if costs.closed:
        low, high = _bracket(costs, fitting, budget_s)
    return last_batches(lambda batch: costs.time_s(batch) <= budget_s, low, high)


def _bracket(costs: PromptCosts, fitting: Floats, budget_s: float) -> tuple[Floats, Floats]:
    """A batch whose known time keeps the budget, and one whose time does not or that is unfit."""
    low = high = fitting
    each_s = costs.link_s if costs.compute_s is None else costs.each_s
    if each_s is not None:
        low = high = np.minimum(fitting, _ratio(budget_s, each_s))
    if costs.private_bytes is not None:
        moved = costs.bandwidth_bytes_per_s * budget_s
        least, most = costs.sweeps_bytes(1.0), costs.most_sweeps_bytes()
        low = np.minimum(low, _ratio(moved * (1 - SLACK) - most, costs.private_bytes))
        high = np.minimum(high, _ratio(moved * (1 + SLACK) - least, costs.private_bytes))
    low = np.maximum(np.floor(low) - 1.0, 0.0)
    return low, np.minimum(np.floor(high) + 2.0, fitting + 1.0)


def best_batch(costs: PromptCosts, largest: Floats) -> Floats:
    """The smallest batch whose shared time is within that of its prompts, else the largest.

    min b with Q_pf(b) / R <= b t_compute(1). From there on the ceiling is the compute ceiling, or
    that of a link, so a larger batch only waits longer. Without a compute side, the largest.

    References: formulation, "Combined ceiling and crossover"; decisions, "Prefill".
    """
    each_s = costs.each_s
    if each_s is None or costs.private_bytes is None:
        return largest
    low, high = np.zeros(np.shape(largest)), largest
    if costs.closed:
        covered = costs.bandwidth_bytes_per_s * each_s
        low = _ratio(costs.sweeps_bytes(1.0), covered * (1 + SLACK) - costs.private_bytes)
        high = _ratio(costs.most_sweeps_bytes(), covered * (1 - SLACK) - costs.private_bytes)
        low = np.minimum(np.maximum(np.ceil(low) - 2.0, 0.0), np.maximum(largest - 1.0, 0.0))
        high = np.minimum(np.ceil(high) + 1.0, largest)
    waiting = last_batches(lambda b: costs.shared_s(b) > b * each_s, low, high)
    return np.minimum(waiting + 1.0, largest)
