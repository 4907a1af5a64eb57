"""The judge of prompts over several pools: schedules run piece by piece, placements tried.

Nothing comes from the engine but its inputs; costs are those of the literal judge of one pool.
"""

from itertools import product

import literal_prefill as judge
import numpy as np


class Piece:
    """Chunks that pass through the devices together: start, width and prompts of each."""

    def __init__(self, *chunks):
        self.chunks = chunks

    @property
    def positions(self):
        return sum(width for _, width in self.chunks)

    def moved_bytes(self, setup):
        """On one device that holds every layer."""
        written = setup.model.cache_write_bytes_per_token
        moved = judge.sweep_bytes(setup, self.positions)
        for start, width in self.chunks:
            moved += written * width + (judge.read_bytes(setup, start) if start else 0.0)
        return moved

    def flop(self, setup):
        linear = 2 * setup.model.linear_active_parameters * self.positions
        attention = sum(
            judge.attention_flop_of_token(setup, start + j)
            for start, width in self.chunks
            for j in range(1, width + 1)
        )
        return linear, attention


def rounds(tokens, width, prompts, groups):
    """Every chunk of every prompt: in each round of chunks, so many groups of the prompts."""
    pieces = []
    for start, step in judge.chunks(tokens, width, 0):
        sizes = [prompts // groups + (i < prompts % groups) for i in range(groups)]
        pieces += [Piece(*[(start, step)] * size) for size in sizes if size]
    return pieces


def durations(setup, pieces, layers, machines):
    """Seconds of each piece on each device, which has so many of the layers."""
    total = sum(layers)
    found = np.zeros((len(pieces), len(machines)))
    for row, piece in enumerate(pieces):
        moved, (linear, attention) = piece.moved_bytes(setup), piece.flop(setup)
        for column, (count, machine) in enumerate(zip(layers, machines, strict=True)):
            modes = machine.compute_flop_per_s
            worked = sum(linear * s / modes[m] for m, s in setup.linear_mode.items())
            worked += sum(attention * s / modes[m] for m, s in setup.attention_mode.items())
            moving = moved / machine.bandwidth_bytes_per_s
            found[row, column] = count / total * max(moving, worked)
    return found


def run(seconds, at_once=None):
    """When the last piece has passed the last device; no more than `at_once` are on their way."""
    ends = np.zeros(seconds.shape)
    for piece in range(len(seconds)):
        entry = 0.0
        if at_once is not None and piece >= at_once:
            entry = ends[piece - at_once, -1]
        for device in range(seconds.shape[1]):
            free = ends[piece - 1, device] if piece else 0.0
            entry = max(entry, free) + seconds[piece, device]
            ends[piece, device] = entry
    return ends[:, -1]


def period(seconds, at_once):
    """Seconds for each batch of pieces when batches follow each other without a break."""
    half = 8 * at_once  # as many as bring the pieces back into the same places
    ends = run(np.tile(seconds, (2 * half, 1)), at_once)
    return (ends[-1] - ends[half * len(seconds) - 1]) / half


def rows(setup, batch, reserved):
    """(class, bytes held, bytes moved, linear FLOPs, attention FLOPs) of every part, all chunks."""
    model, routing, prompt = setup.model, setup.workload.routing, setup.prompt
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    width = min(prompt.chunk_tokens or tokens, tokens)
    chunks = list(judge.chunks(tokens, width, prefix))
    full = model.always_bytes + sum(g.routed * g.expert_bytes for g in model.experts)
    scale = (model.prefill_sweep_bytes or full) / full
    held = min(1.0, model.resident_bytes / full)
    shape = setup.composition.shape
    inside = shape.expert_parameters if shape is not None and model.experts else 0.0
    linear = 2 * model.linear_active_parameters * batch * tokens
    chosen = 2 * inside * batch * tokens
    head = shape.head_bytes
    rest = model.always_bytes - head
    found = [
        ("weights", head * held, len(chunks) * head * scale, 0.0, 0.0),
        ("weights", rest * held, len(chunks) * rest * scale, linear - chosen, 0.0),
    ]
    active = sum(g.per_token * g.expert_bytes for g in model.experts)
    for group in model.experts:
        share = chosen * group.per_token * group.expert_bytes / active
        size, one = group.routed * group.expert_bytes, group.expert_bytes
        if routing == "floor":
            hot = group.per_token * one
            found.append(("routed_experts", hot * held, len(chunks) * hot * scale, share, 0.0))
            found.append(("routed_experts", (size - hot) * held, 0.0, 0.0, 0.0))
            continue
        missed = 1 - group.per_token / group.routed
        moved = sum(group.routed * (1 - missed ** (batch * step)) for _, step in chunks) * one
        found.append(("routed_experts", size * held, moved * scale, share, 0.0))
    found.append(("embedding", max(model.resident_bytes - full, 0.0), 0.0, 0.0, 0.0))
    stored = sum(layer.count * layer.bytes_per_token for layer in model.cache)
    attention = batch * sum(
        judge.attention_flop_of_token(setup, prefix + j) for j in range(1, tokens + 1)
    )
    for place, layer in enumerate(model.cache):
        one = one_layer(setup, layer)
        write = model.cache_write_bytes_per_token * tokens
        write *= layer.count * layer.bytes_per_token / stored if stored else 1 / len(model.cache)
        read = sum(judge.read_bytes(one, start) for start, _ in chunks if start)
        whole, filled = (
            cache_bytes(setup, layer, context)
            for context in (reserved, min(prefix + tokens, reserved))
        )
        # Attention is done with one of the caches, whichever: it is the same in every pool.
        found.append(
            ("cache", batch * filled, batch * (write + read), 0.0, 0.0 if place else attention)
        )
        found.append(("cache", batch * (whole - filled), 0.0, 0.0, 0.0))
    return [row for row in found if any(row[1:])]


def one_layer(setup, layer):
    from msgspec.structs import replace  # noqa: PLC0415

    return replace(setup, model=replace(setup.model, cache=(layer,)))


def cache_bytes(setup, layer, context):
    tokens = context
    if layer.kind == "window" and setup.workload.cache_policy == "windowed":
        tokens = min(context, layer.window_tokens)
    each = (layer.bytes_per_token + layer.index_bytes_per_token) * tokens
    return layer.count * (each + layer.state_bytes)


def seconds_of(mode, fast, slow, setup):
    """Seconds of a placement: bytes, linear and attention FLOPs in each of two pools."""

    def worked(machine, linear, attention):
        modes = machine.compute_flop_per_s
        return sum(linear * s / modes[m] for m, s in setup.linear_mode.items()) + sum(
            attention * s / modes[m] for m, s in setup.attention_mode.items()
        )

    rate = slow.bandwidth_bytes_per_s
    if mode == "streamed":
        rate = min(rate, setup.composition.link_bytes_per_s)

    def seconds(first, second):
        moving = first[0] / fast.bandwidth_bytes_per_s, second[0] / rate
        working = worked(fast, *first[1:]), worked(slow, *second[1:])
        if mode == "streamed":
            working = worked(fast, first[1] + second[1], first[2] + second[2]), 0.0
        if mode == "sequential":
            return max(moving[0], working[0]) + max(moving[1], working[1])
        return max(*moving, *working)

    return seconds


def grid(parts, rooms, seconds, steps=4):
    """The least seconds of every placement in quarters of a part that fits in two pools."""
    held = np.array([part[1] for part in parts])
    rest = np.array([part[2:] for part in parts])
    best = np.inf
    for chosen in product(range(steps + 1), repeat=len(parts)):
        x = np.array(chosen) / steps
        if x @ held > rooms[0] or (1 - x) @ held > rooms[1]:
            continue
        best = min(best, seconds(x @ rest, (1 - x) @ rest))
    return best
