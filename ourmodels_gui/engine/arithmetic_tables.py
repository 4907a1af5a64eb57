"""The compute side of machines and models as columns: time of a FLOP, FLOPs of a token."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .costs import attention_flop
from .crossover import seconds_per_flop
from .setup import Machine, ModelCosts

Floats = NDArray[np.float64]


def seconds_table(machines: Sequence[Machine], shares: Sequence[dict[str, float]]) -> Floats:
    """Time of one FLOP by machine, 1 / F; NaN where a rate is unknown [s/FLOP].

    Parameters: machines; shares by arithmetic mode, one for each machine.
    """
    times = (seconds_per_flop(*pair) for pair in zip(machines, shares, strict=True))
    return np.array([np.nan if time is None else time for time in times], dtype=np.float64)


def position_flop(
    models: Sequence[ModelCosts], read_tokens: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """FLOPs of one decoded position by model, linear and attention; NaN where a part is unknown.

    2 (P_lin,active + P_head) and a_attn(1, L_read), as in `step.position_compute_s`.

    Parameters: models; read_tokens, L_read of each, which may go on for other models.
    """
    linear, attention = np.full((2, len(models)), np.nan)
    for row, model in enumerate(models):
        read = int(read_tokens[row])
        if model.linear_active_parameters is not None and model.attention is not None:
            linear[row] = 2.0 * (model.linear_active_parameters + model.head_parameters)
            attention[row] = attention_flop(model.attention, read, 1)
    return linear, attention
