"""Which of a model's formats a pair takes, where several may do.

The one of most bytes that serves at least one session above the floor; failing that, the one of
most bytes in which a session fits; failing that, the smallest.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def in_one_format(models: int, rungs: int, figures: list[Floats]) -> list[NDArray[Any]]:
    """The rung of each pair, then each figure in that format, by [model, machine].

    Parameters: models; rungs, the formats of each, of most bytes first; figures by [format and
    model, machine], every model in its first format, and so on: the memory batch, the best batch,
    and what else there is.
    """
    machines = figures[0].shape[1]
    if rungs <= 1:
        return [np.zeros((models, machines), dtype=np.int8), *figures]
    rung = _largest_that_serves(rungs, figures[0], figures[1])
    pair = np.arange(rung.size).reshape(rung.shape) + rung * np.intp(rung.size)
    return [rung, *(figure.ravel().take(pair) for figure in figures)]


def _largest_that_serves(rungs: int, memory: Floats, best: Floats) -> NDArray[np.int8]:
    """The rung of each pair, from its batches in every format."""
    shape = (rungs, memory.shape[0] // rungs, memory.shape[1])
    rung = np.full(shape[1:], rungs - 1, dtype=np.int8)
    for batch in (memory.reshape(shape), best.reshape(shape)):
        for place in reversed(range(rungs)):
            np.copyto(rung, place, where=batch[place] >= 1.0)
    return rung
