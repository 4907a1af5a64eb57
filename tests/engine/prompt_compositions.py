"""Prompts over several devices and pools for the tests: ordinary setups divided over them."""

import random

import msgspec
from prefill_setups import random_setup

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.setup import Composition, Device, Machine, ModelShape

replace = msgspec.structs.replace


def shape_of(setup, **more):
    """A shape that fits the model; all of its experts' parameters are known."""
    model = setup.model
    fields = {
        "hidden_width": 64,
        "summed_blocks": 8,
        "expert_layers": tuple(2 for _ in model.experts),
    }
    if model.experts:
        fields["expert_parameters"] = 0.5 * model.linear_active_parameters
    if isinstance(model.cache, tuple):
        fields["key_heads"] = tuple(2 for _ in model.cache)
    return ModelShape(**(fields | more))


def composed(ordinary, devices, shape=None, **asked):
    """The model, the workload and the prompt of a setup on several devices or pools instead."""
    made = Composition(devices=tuple(devices), shape=shape or shape_of(ordinary), **asked)
    pools = placement.pools_of(made)
    return replace(
        ordinary,
        machine=placement.together(pools),
        workload=replace(ordinary.workload, overhead_bytes=placement.overhead_bytes(made)),
        composition=made,
    )


def part_of(machine, share, slower=1.0):
    return Machine(
        machine.capacity_bytes * share,
        machine.bandwidth_bytes_per_s * share / slower,
        {mode: rate * share / slower for mode, rate in machine.compute_flop_per_s.items()},
    )


def split(ordinary, count, kind, **asked):
    """The machine cut into equal devices."""
    overhead = ordinary.workload.overhead_bytes / count
    device = Device("d", part_of(ordinary.machine, 1 / count), overhead, count)
    return composed(ordinary, [device], split=kind, **asked)


def with_host(ordinary, share, slower, pools, **asked):
    """The machine as a device of a share of its memory, and a slower host of the rest."""
    first = Device("card", part_of(ordinary.machine, share), ordinary.workload.overhead_bytes)
    machine = part_of(ordinary.machine, 1 - share, slower)
    asked = {"link_bytes_per_s": 2e8} | asked
    return composed(ordinary, [first], host=Device("host", machine), pools=pools, **asked)


def without_draft(setup):
    return replace(setup, speculation=None)


def prompts_of(setup, name=None):
    return placement.prompt_policy(setup, name)


def own_costs(setup, name=None):
    prompt = setup.prompt
    return prompts_of(setup, name).costs(
        prompt.prompt_tokens, prompt.chunk_tokens, prompt.cached_prefix_tokens
    )


def any_composition(seed):
    """A random composition of a random prompt, two or three unlike pools among them."""
    rng = random.Random(seed)
    ordinary = random_setup(seed, 90)
    kind = rng.choice(["tensor", "layers", "experts", "host", "unlike", "three"])
    if kind == "host":
        pools = rng.choice(["sequential", "both", "streamed"])
        return with_host(ordinary, rng.uniform(0.05, 0.9), rng.choice((0.5, 3.0, 20.0)), pools)
    if kind in ("unlike", "three"):
        shares = [0.5, 0.3, 0.2] if kind == "three" else [0.6, 0.4]
        devices = [
            Device(
                str(i),
                part_of(ordinary.machine, share, rng.choice((0.5, 1.0, 4.0))),
                ordinary.workload.overhead_bytes * share,
            )
            for i, share in enumerate(shares)
        ]
        shape = shape_of(ordinary, alike=rng.random() < 0.5)
        return composed(ordinary, devices, shape=shape, groups=rng.choice((None, None, 2)))
    groups = rng.choice((None, 2)) if kind == "layers" else None
    return split(
        ordinary,
        rng.choice((2, 3, 8)),
        kind,
        link_bytes_per_s=rng.choice((1e5, 1e9)),
        groups=groups,
    )
