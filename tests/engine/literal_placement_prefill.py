"""The judge of prompts over several pools: schedules run piece by piece, placements tried.

Nothing comes from the engine but its inputs; costs are those of the literal judge of one pool.
"""

import math
from itertools import product

import literal_prefill as judge
import numpy as np
from literal_program import least_greatest
from msgspec.structs import replace

from ourmodels_gui.engine.setup import TypedCache


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


def rows(setup, batch, reserved, sweeps=None):
    """(class, bytes held, bytes moved, linear FLOPs, attention FLOPs) of every part, all chunks.

    sweeps: positions of each sweep of the weights, one for each chunk unless given.
    """
    model, routing, prompt = setup.model, setup.workload.routing, setup.prompt
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    width = min(prompt.chunk_tokens or tokens, tokens)
    chunks = list(judge.chunks(tokens, width, prefix))
    sweeps = sweeps or [batch * step for _, step in chunks]
    full = model.always_bytes + sum(g.routed * g.expert_bytes for g in model.experts)
    scale = (model.prefill_sweep_bytes or full) / full
    held = min(1.0, model.resident_bytes / full)
    shape = setup.composition.shape
    inside = shape.expert_parameters or 0.0 if model.experts else 0.0
    linear = 2 * model.linear_active_parameters * batch * tokens
    chosen = 2 * inside * batch * tokens
    head = shape.head_bytes
    rest = model.always_bytes - head
    found = [
        ("weights", head * held, len(sweeps) * head * scale, 0.0, 0.0),
        ("weights", rest * held, len(sweeps) * rest * scale, linear - chosen, 0.0),
    ]
    active = sum(g.per_token * g.expert_bytes for g in model.experts)
    for group in model.experts:
        share = chosen * group.per_token * group.expert_bytes / active
        size, one = group.routed * group.expert_bytes, group.expert_bytes
        if routing == "floor":
            hot = group.per_token * one
            found.append(("routed_experts", hot * held, len(sweeps) * hot * scale, share, 0.0))
            found.append(("routed_experts", (size - hot) * held, 0.0, 0.0, 0.0))
            continue
        missed = 1 - group.per_token / group.routed
        moved = sum(group.routed * (1 - missed**positions) for positions in sweeps) * one
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
    if setup.speculation is not None:
        draft = setup.speculation.draft
        held = draft.resident_bytes + batch * draft_bytes(setup, draft, reserved)
        found.append(("draft", held, 0.0, 0.0, 0.0))
    return [row for row in found if any(row[1:])]


def draft_bytes(setup, draft, context):
    """What a draft keeps of each prompt, no longer than its own limit."""
    if isinstance(draft.cache, TypedCache):
        return draft.cache.alloc_bytes_per_session
    within = min(context, draft.max_context_tokens or context)
    return sum(cache_bytes(setup, layer, within) for layer in draft.cache)


def one_layer(setup, layer):
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


def mode_of(setup):
    """How the pools are used, and how many pieces of prompts are on their way at once."""
    made = setup.composition
    if made.host is not None:
        return made.pools, 1
    count = sum(device.count for device in made.devices)
    groups = min(made.groups or count, count)
    return ("sequential" if groups == 1 and made.groups == 1 else "groups"), groups


def pools_of(setup):
    """Rooms, seconds for a byte in one device of each pool, and in all of them at once."""
    made, (mode, _) = setup.composition, mode_of(setup)
    rooms, one_s, all_s = [], [], []
    for device in (*made.devices, *((made.host,) if made.host else ())):
        rooms.append(device.count * (device.machine.capacity_bytes - device.overhead_bytes))
        rate = device.machine.bandwidth_bytes_per_s
        if device is made.host and mode == "streamed":
            rate = min(rate, made.link_bytes_per_s * sum(d.count for d in made.devices))
        all_s.append(1 / rate / device.count)
        one_s.append(1 / rate if made.split == "layers" else all_s[-1])
    return np.maximum(rooms, 0.0), np.array(one_s), np.array(all_s)


def least_s(setup, parts, each_s, alone=False, rooms=None):
    """The least time of (class, held, amount) over fractional placements: a linear program."""
    (one_s, all_s), (mode, groups) = each_s, mode_of(setup)
    held, amount = (np.array([part[place] for part in parts]) for place in (1, 2))
    fixed = setup.composition.placement if rooms is None else {}
    rooms = pools_of(setup)[0] if rooms is None else rooms
    loads = []
    if mode in ("sequential", "groups"):
        loads.append(np.outer(one_s, amount) / (1 if alone else groups))
    if mode != "sequential" and not alone:
        for pool in range(len(rooms)):
            load = np.zeros((len(rooms), len(parts)))
            load[pool] = all_s[pool] * amount
            loads.append(load)
    if not amount.any():
        return 0.0
    shares = [fixed.get(part[0], np.nan) for part in parts]
    return least_greatest(held, rooms, loads, shares)


def whole_layers(setup):
    return setup.composition.host is None and setup.composition.shape.alike


def together(setup, parts):
    """Parts whose layers stay whole where all are alike: the head, the layers, the tables."""
    if not whole_layers(setup):
        return parts
    shape, model = setup.composition.shape, setup.model
    head = [0.0, 0.0]
    if model.always_bytes:
        share = shape.head_bytes / model.always_bytes
        moved = sum(part[2] for part in parts if part[0] == "weights")
        head = [shape.head_bytes, share * moved]
    rest = [part for part in parts if part[0] not in ("embedding", "draft")]
    sums = [sum(part[place] for part in rest) - head[place - 1] for place in (1, 2)]
    apart = [part for part in parts if part not in rest]
    return [("weights", *head), ("layers", *sums), *apart]


def memory_s(setup, batch, reserved):
    """The least memory time of a batch over every placement, as the policy works."""
    mode, groups = mode_of(setup)
    _, *each_s = pools_of(setup)

    def least(setup, batch, sweeps=None, alone=False):
        parts = [part[:3] for part in rows(setup, batch, reserved, sweeps)]
        return least_s(setup, together(setup, parts), each_s, alone)

    found = least(setup, batch)
    if mode != "groups":
        return found
    prompt = setup.prompt
    shot = replace(setup, prompt=replace(prompt, chunk_tokens=None))
    share = [batch * prompt.prompt_tokens / groups] * groups
    found = max(found, least(shot, batch, share, alone=True) / groups)
    if prompt.chunk_tokens is not None:
        found = max(found, *(least(chunk, 1, alone=True) for chunk in chunks_alone(setup)))
    return found


def chunks_alone(setup):
    """Every chunk as a prompt of its own behind what came before it."""
    prompt = setup.prompt
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    width = min(prompt.chunk_tokens or tokens, tokens)
    for start, step in judge.chunks(tokens, width, prefix):
        alone = replace(prompt, prompt_tokens=step, cached_prefix_tokens=start, chunk_tokens=None)
        yield replace(setup, prompt=alone)


def work_s(setup, batch):
    """The least time of the arithmetic: done where the weights lie, of attention anywhere.

    For devices whose rates differ alike in all modes.
    """
    made, model, (mode, _) = setup.composition, setup.model, mode_of(setup)
    doing = made.devices
    if made.host is not None and mode != "streamed":
        doing = (*doing, made.host)
    linear_s = np.array(
        [judge.seconds(replace(setup, machine=d.machine), 1.0, setup.linear_mode) for d in doing]
    )
    attention_s = judge.seconds(replace(setup, machine=doing[0].machine), 1.0, setup.attention_mode)
    all_s = linear_s / [device.count for device in doing]
    one_s = linear_s if made.split == "layers" else all_s
    rooms = None if len(doing) == len(pools_of(setup)[0]) else np.full(len(doing), 1e15)

    def least(setup, alone=False):
        parts = []
        for name, held, _, linear, attention in rows(setup, 1, 1):
            kept = held if name in ("weights", "routed_experts") and linear else 0.0
            if model.experts and made.shape.expert_parameters is None:
                kept = 0.0
            if linear or attention:
                parts.append((name, kept, linear + attention * attention_s / linear_s[0]))
        if whole_layers(setup):
            sizes = [part[1] for part in rows(setup, 1, 1) if part[0] == "routed_experts"]
            rest = [part[1] for part in rows(setup, 1, 1) if part[0] == "weights"][-1]
            parts = [("layers", rest + sum(sizes), sum(part[2] for part in parts))]
        return least_s(setup, parts, (one_s, all_s), alone, rooms)

    found = batch * least(setup)
    if mode == "groups" and setup.prompt.chunk_tokens is not None:
        found = max(found, *(least(chunk, alone=True) for chunk in chunks_alone(setup)))
    return found


def on_one_device(setup):
    return replace(setup, machine=setup.composition.devices[0].machine)


def layered(setup, batch):
    """Memory and arithmetic of a split by layers over devices of one kind, and the chunk width."""
    (device,), prompt = setup.composition.devices, setup.prompt
    one, groups = on_one_device(setup), min(setup.composition.groups or device.count, device.count)
    tokens, prefix, chunk = prompt.prompt_tokens, prompt.cached_prefix_tokens, prompt.chunk_tokens
    shared = groups * judge.sweep_bytes(setup, batch * tokens / groups)
    each = (judge.read_bytes(setup, prefix) if prefix else 0.0) + (
        setup.model.cache_write_bytes_per_token * tokens
    )
    memory = [(shared + batch * each) / groups / one.machine.bandwidth_bytes_per_s]
    work = [batch * judge.compute_s(one, 1, tokens, prefix) / groups]
    if chunk is None:
        return max(memory), max(work), math.ceil(tokens * min(batch / groups, 1))
    width = min(chunk, tokens)
    memory.append(judge.memory_s(one, batch, tokens, width, prefix) / groups)
    for start, step in judge.chunks(tokens, width, prefix):
        memory.append(judge.memory_s(one, 1, step, step, start))
        work.append(judge.compute_s(one, 1, step, start))
    return max(memory), max(work), width


def replicated(setup, batch):
    """Memory and arithmetic of experts divided, everything else on each of equal devices."""
    (device,), prompt, model = setup.composition.devices, setup.prompt, setup.model
    one, many = on_one_device(setup), device.count
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    width = min(prompt.chunk_tokens or tokens, tokens)
    rate = one.machine.bandwidth_bytes_per_s
    whole = judge.memory_s(one, batch, tokens, width, prefix) * rate
    private = (
        whole
        - judge.memory_s(replace(one, model=without_cache(model)), batch, tokens, width, prefix)
        * rate
    )
    full = model.always_bytes + sum(g.routed * g.expert_bytes for g in model.experts)
    always = model.always_bytes * (model.prefill_sweep_bytes or full) / full
    always *= len(list(judge.chunks(tokens, width, prefix)))
    moved = always + (whole - private - always) / many + max(batch / many, 1) * private / batch
    # One prompt is on one device but for its experts.
    inside = setup.composition.shape.expert_parameters
    outside = model.linear_active_parameters - inside if inside is not None else 0.0
    alone = judge.compute_s(
        replace(one, model=replace(model, linear_active_parameters=outside)), 1, tokens, prefix
    )
    work = batch * judge.compute_s(one, 1, tokens, prefix) / many
    return moved / rate, max(work, alone)


def without_cache(model):
    return replace(model, cache=(), cache_write_bytes_per_token=0.0)


def by_heads(setup, reserved):
    """Private bytes of each prompt, and the most prompts, where a head lies on one device."""
    (device,), prompt, model = setup.composition.devices, setup.prompt, setup.model
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    width = min(prompt.chunk_tokens or tokens, tokens)
    stored = [layer.count * layer.bytes_per_token for layer in model.cache]
    moved, more = 0.0, 0.0
    for layer, size, heads in zip(
        model.cache, stored, setup.composition.shape.key_heads, strict=True
    ):
        copies = device.count / min(device.count, heads) if heads else 1.0
        one = one_layer(setup, layer)
        write = model.cache_write_bytes_per_token * tokens
        write *= size / sum(stored) if sum(stored) else 1 / len(stored)
        read = sum(
            judge.read_bytes(one, start)
            for start, _ in judge.chunks(tokens, width, prefix)
            if start
        )
        moved += copies * (write + read)
        more += (copies - 1) * cache_bytes(setup, layer, reserved)
    session = judge.session_bytes(setup, reserved) + round(more)
    return moved, max(judge.margin_bytes(setup), 0) // session


def pinned_fitting(setup, reserved):
    """The most prompts for which the fixed shares of each class fit in both pools."""
    made, model = setup.composition, setup.model
    fixed, draft = made.placement, setup.speculation and setup.speculation.draft
    full = model.always_bytes + sum(g.routed * g.expert_bytes for g in model.experts)
    held = min(1.0, model.resident_bytes / full)
    sizes = {
        "weights": model.always_bytes * held,
        "routed_experts": (full - model.always_bytes) * held,
        "embedding": max(model.resident_bytes - full, 0.0),
        "draft": draft.resident_bytes if draft else 0.0,
    }
    cache = sum(cache_bytes(setup, layer, reserved) for layer in model.cache)
    drafted = judge.session_bytes(setup, reserved) - round(cache)
    rooms = pools_of(setup)[0]
    batch = judge.fitting_batch(setup, reserved)
    for pool, room in enumerate(rooms):
        share = {name: (each, 1 - each)[pool] for name, each in fixed.items()}
        kept = sum(share.get(name, 0.0) * size for name, size in sizes.items())
        each = round(share.get("cache", 0.0) * cache + share.get("draft", 0.0) * drafted)
        while batch and batch * each > max(round(room) - round(kept), 0):
            batch -= 1
    return batch
