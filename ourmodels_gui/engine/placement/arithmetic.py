"""The arithmetic of an iteration by the part whose bytes it is done with."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..costs import attention_flop
from ..setup import AttentionLayer, ModelCosts, Setup, TypedCache
from ..step import Step
from .parts import Parts, part_rows
from .together import shape_of

Values = NDArray[np.float64]
ANYWHERE = "arithmetic"
"""The class of arithmetic that is known to belong to no bytes: it may be done in any pool."""


class Work(msgspec.Struct, frozen=True):
    """Parts, and the FLOPs of each on both paths, parts by batches."""

    parts: Parts
    linear_flop: Values
    attention_flop: Values

    def at_rates(self, attention_for_linear: Values) -> Parts:
        """The parts with their arithmetic as what they move, in FLOPs of the linear path."""
        flop = self.linear_flop + attention_for_linear * self.attention_flop
        return Parts(self.parts.classes, self.parts.held_bytes, flop)


def counted(model: ModelCosts) -> bool:
    """Whether the arithmetic of a model is known."""
    return model.linear_active_parameters is not None and model.attention is not None


def work(
    setup: Setup, step: Step, sessions: tuple[Values, Values], whole_layers: bool
) -> Work | None:
    """The parts of `parts.parts` with n = b (gamma + 1) positions of arithmetic.

    Weights: 2 n (P_lin,active + P_head) less what the chosen experts have; routed experts: 2 n k p;
    a cache: n a_attn(1, L_read) of the layers that read it. Within a part arithmetic is spread
    evenly over the bytes. What is not known to belong to a part is held nowhere, and a draft's own
    is left out: both only loosen a ceiling.

    Parameters: sessions held and working. Returns None where a count is unknown.
    """
    model, shape = setup.model, shape_of(setup)
    parameters, layers = model.linear_active_parameters, model.attention
    if parameters is None or layers is None:
        return None
    rows = part_rows(setup, step, sessions, whole_layers)
    # Of one position, so that many are to the last bit as often as much.
    linear, attention = np.zeros((2, len(rows), 1))
    read = setup.workload.read_context_tokens
    head, chosen = model.head_parameters, None if shape is None else shape.expert_parameters
    if rows[1][0] == "layers":
        linear[0], linear[1] = 2.0 * head, 2.0 * parameters
        attention[1] = float(attention_flop(layers, read, 1))
    else:
        if chosen is not None or not model.experts:
            linear[0] = 2.0 * (parameters + head - (chosen or 0.0))
        active = sum(group.per_token * group.expert_bytes for group in model.experts)
        place = 1
        for group in model.experts:
            share = (chosen or 0.0) * group.per_token * group.expert_bytes / max(active, 1e-300)
            linear[place] = 2.0 * share
            place += 2 if step.routing == "floor" else 1
        for reading in readers(model):
            place += 1
            attention[place] = float(attention_flop(reading, read, 1))
            place += 1
    rest = 2.0 * (parameters + head) - linear.sum(axis=0)
    apart = float(attention_flop(layers, read, 1)) - attention.sum(axis=0)
    positions = sessions[1] * (step.draft_tokens + 1)
    none = np.zeros((1, len(positions)))
    found = Parts(
        (*(row[0] for row in rows), ANYWHERE),
        np.concatenate([[row[1] for row in rows], none]),
        np.concatenate([[row[2] for row in rows], none]),
    )
    linear, attention = np.vstack([linear, rest]), np.vstack([attention, apart])
    return Work(found, np.maximum(linear, 0.0) * positions, np.maximum(attention, 0.0) * positions)


def readers(model: ModelCosts) -> tuple[tuple[AttentionLayer, ...], ...]:
    """The layers that read each cache of a model, where each of their kind reads its own."""
    layers = model.attention or ()
    if isinstance(model.cache, TypedCache):
        return ((),)
    found: list[tuple[AttentionLayer, ...]] = []
    for index, cache in enumerate(model.cache):
        owners = [(one.count, one.window_tokens) for one in model.cache if one.kind == cache.kind]
        reading = [one for one in layers if one.kind == cache.kind]
        if [(one.count, one.window_tokens) for one in reading] != owners:
            found.append(())
            continue
        place = sum(one.kind == cache.kind for one in model.cache[:index])
        found.append((reading[place],))
    return tuple(found)
