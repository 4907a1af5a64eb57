"""Setups of several devices and pools for the tests, and literal judges of where bytes lie."""

from itertools import product

import msgspec
import numpy as np
from decode_setups import BF16, GB, setup
from hypothesis import assume
from hypothesis import strategies as st

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.placement.pools import Aggregates, PoolPolicy
from ourmodels_gui.engine.placement.search import highest
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Composition,
    Device,
    Experts,
    Machine,
    ModelCosts,
    ModelShape,
    Workload,
)

FAST = Device("card", Machine(24 * GB, 936 * GB), 1 * GB)
SLOW = Device("host", Machine(64 * GB, 80 * GB), 4 * GB)
SHAPE = ModelShape(hidden_width=5120, summed_blocks=128, key_heads=(8,))


def dense(layers=8, weights=18 * GB, per_token=250_000.0):
    """A model of equal layers; all of its resident bytes are swept."""
    each = per_token / layers
    return ModelCosts(weights, weights, (CacheLayer("full", layers, each, each),))


def sparse(always=2 * GB, experts=64, per_token=4, size=0.3 * GB, tables=0.5 * GB):
    return ModelCosts(
        always + experts * size + tables,
        always,
        (CacheLayer("full", 8, 30_000.0, 30_000.0),),
        (Experts(experts, per_token, size),),
    )


def composed(model, devices, speculation=None, **asked):
    """A setup of these devices; keys of a workload and of a composition mixed."""
    fields = Workload.__struct_fields__
    workload = {key: asked.pop(key) for key in list(asked) if key in fields}
    made = Composition(devices=tuple(devices), **asked)
    pools = (*made.devices, *(() if made.host is None else (made.host,)))
    workload["overhead_bytes"] = placement.overhead_bytes(made)
    found = setup(placement.together(pools), model, speculation, **workload)
    return msgspec.structs.replace(found, composition=made)


def with_pools(ordinary, devices, **asked):
    """An ordinary setup's model and workload on several devices instead."""
    work = msgspec.structs.asdict(ordinary.workload)
    work.pop("overhead_bytes")
    return composed(ordinary.model, devices, ordinary.speculation, **work, **asked)


def halves(machine, overhead, share):
    """One machine as a device of `share` of its memory and a host of the rest, equally fast."""
    one = Machine(machine.capacity_bytes * share, machine.bandwidth_bytes_per_s)
    rest = machine.capacity_bytes - one.capacity_bytes
    other = Machine(rest, machine.bandwidth_bytes_per_s)
    return Device("a", one, overhead), Device("b", other, 0.0)


def drawn_model(draw):
    """A model with one expert per token."""
    return sparse(
        always=draw(st.floats(1e7, 1e10)),
        experts=draw(st.integers(2, 128)),
        per_token=1,
        size=draw(st.floats(1e6, 3e8)),
        tables=draw(st.floats(0.0, 1e9)),
    )


@st.composite
def mixed_pools(draw, most=300):
    """A model, an accelerator and a host into which up to `most` sessions fit."""
    model = drawn_model(draw)
    reserved = draw(st.integers(1, 2000))
    session = 8 * 30_000.0 * reserved
    first = draw(st.floats(0.05, 1.5)) * model.resident_bytes
    whole = model.resident_bytes + session * draw(st.floats(0.0, most))
    card = Device("card", Machine(first, draw(st.floats(1e11, 4e12))))
    host = Device("host", Machine(max(whole - first, 1.0), draw(st.floats(1e10, 8e11))))
    return composed(
        model,
        [card],
        host=host,
        pools=draw(st.sampled_from(["sequential", "both", "streamed"])),
        link_bytes_per_s=draw(st.floats(1e9, 1e11)),
        reserved_context_tokens=reserved,
        read_context_tokens=draw(st.integers(1, reserved)),
        routing=draw(st.sampled_from(["expected", "floor"])),
        floor_tokens_per_s=0.0,
    )


@st.composite
def many_pools(draw, most=300):
    """A model with experts and a window, and three to five kinds of pools that just hold it."""
    model = drawn_model(draw)
    reserved = draw(st.integers(1, 2000))
    session = 8 * 30_000.0 * reserved
    whole = model.resident_bytes + session * draw(st.floats(1.0, most))
    shares = np.array(draw(st.lists(st.floats(0.05, 1.0), min_size=3, max_size=5)))
    counts = [draw(st.integers(1, 3)) for _ in shares]
    devices = [
        Device(str(i), Machine(whole * share / count, draw(st.floats(1e10, 4e12))), 0.0, count)
        for i, (share, count) in enumerate(zip(shares / shares.sum(), counts, strict=True))
    ]
    host = devices.pop() if draw(st.booleans()) else None
    if host is not None:
        host = msgspec.structs.replace(
            host,
            machine=Machine(
                host.count * host.machine.capacity_bytes, host.machine.bandwidth_bytes_per_s
            ),
            count=1,
        )
    return composed(
        model,
        devices,
        host=host,
        pools=draw(st.sampled_from(["sequential", "both", "streamed"])),
        link_bytes_per_s=draw(st.floats(1e9, 1e11)),
        reserved_context_tokens=reserved,
        read_context_tokens=draw(st.integers(1, reserved)),
        routing=draw(st.sampled_from(["expected", "floor"])),
        floor_tokens_per_s=0.0,
    )


RATES = ("fp8_fp32acc", BF16)


@st.composite
def with_work(draw, pools, known=None):
    """The same pools with everything that the arithmetic needs; known: rates of the host."""
    found = draw(pools)
    flop = st.floats(1e11, 1e14)
    same = draw(st.booleans())

    def rated(device, told=True):
        one, other = draw(flop), draw(flop)
        rates = dict(zip(RATES, (one, one if same else other), strict=True)) if told else {}
        return msgspec.structs.replace(
            device, machine=msgspec.structs.replace(device.machine, compute_flop_per_s=rates)
        )

    made = found.composition
    host = made.host
    if host is not None:
        told = draw(st.booleans()) if known is None else known
        host = rated(host, told)
    devices = tuple(rated(device) for device in made.devices)
    active = draw(st.floats(1e8, 1e10))
    inside = draw(st.one_of(st.none(), st.floats(0.0, 1.0)))
    shape = ModelShape(
        4096, 16, (8,), expert_parameters=None if inside is None else inside * active
    )
    width = draw(st.floats(100.0, 1e5))
    count = draw(st.sampled_from([8, 8, 7]))  # 7 belong to no cache that is known
    model = msgspec.structs.replace(
        found.model,
        linear_active_parameters=active,
        head_parameters=draw(st.floats(0.0, 1e8)),
        attention=(AttentionLayer("full", count, query_width=width),),
    )
    return msgspec.structs.replace(
        found,
        model=model,
        linear_mode={RATES[0]: 1.0},
        attention_mode={RATES[1]: 1.0},
        workload=msgspec.structs.replace(found.workload, decode_ceiling="combined"),
        composition=msgspec.structs.replace(made, devices=devices, host=host, shape=shape),
    )


def grid_seconds(held, moved, rooms, seconds_of, steps=4):
    """The least time of every placement in quarters of a part that fits in two pools."""
    best = np.inf
    for chosen in product(range(steps + 1), repeat=len(held)):
        x = np.array(chosen) / steps
        if x @ held > rooms[0] or (1 - x) @ held > rooms[1]:
            continue
        best = min(best, seconds_of(x @ moved, (1 - x) @ moved))
    return best


def layer_periods(layers, devices, layer, groups):
    """The least period of every whole-layer split; `layer` gives held and moved bytes of one."""
    held, moved = layer
    best = np.inf
    for counts in product(range(layers + 1), repeat=len(devices)):
        if sum(counts) != layers:
            continue
        rooms = [device.machine.capacity_bytes - device.overhead_bytes for device in devices]
        if any(count * held > room for count, room in zip(counts, rooms, strict=True)):
            continue
        times = [
            count * moved / device.machine.bandwidth_bytes_per_s
            for count, device in zip(counts, devices, strict=True)
        ]
        best = min(best, max(sum(times), groups * max(times)))
    return best


def check_search_against_a_scan(found):
    """The search for the best batch finds what a look at every batch finds."""
    way = PoolPolicy(found, found.composition.pools)
    high = way.memory_batch()
    assume(high > 0)
    batches = np.arange(1.0, high + 1)
    aggregate = batches * way.per_session(batches)
    best = highest(Aggregates(way), high, scanned=0)
    assert best == 1 + np.argmax(aggregate >= aggregate.max() * (1 - 1e-12))
