"""Random compositions, models and workloads of every kind for the sweep, from a given chance."""

import math

import msgspec
import numpy as np
from decode_setups import BF16, GB, within_limit

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Composition,
    Device,
    Experts,
    Machine,
    ModelCosts,
    ModelShape,
    Setup,
    TypedCache,
    Workload,
)

FP8 = "fp8_fp32acc"

KINDS = ("tensor", "experts", "layers", "host", "given", "unlike", "three")
LAYERS = (
    ("full",),
    ("state",),
    ("latent",),
    ("full", "window"),
    ("full", "state"),
    ("full", "sparse"),
)


def made_device(chance, name, gigabytes, speeds, count=1):
    """Memory and bandwidth between powers of two, in GB and GB/s."""
    machine = Machine(
        2 ** chance.uniform(*gigabytes) * GB,
        2 ** chance.uniform(*speeds) * GB,
        {BF16: 10 ** chance.uniform(13, 15)},
    )
    return Device(name, machine, chance.choice([0.0, 0.5 * GB, 1 * GB]), count)


def made_composition(chance, kinds=KINDS):
    card = made_device(chance, "card", (2, 7), (8, 12))
    host = made_device(chance, "host", (3, 10), (5, 9))
    other = made_device(chance, "other", (2, 7), (6, 11), chance.choice([1, 1, 2]))
    cards = msgspec.structs.replace(card, count=chance.choice([2, 3, 4, 8, 16]))
    asked = {"link_bytes_per_s": 10 ** chance.uniform(8.5, 11.5)}
    hosted = {**asked, "host": host, "pools": chance.choice(["both", "sequential", "streamed"])}
    match chance.choice(kinds):
        case "layers":
            groups = chance.choice([None, None, 1, 2, cards.count])
            return Composition((cards,), groups=groups, **asked)
        case "host":
            split = chance.choice(["layers", "layers", "tensor", "experts"])
            return Composition((chance.choice([card, cards]),), split=split, **hosted)
        case "given":
            classes = ("weights", "routed_experts", "embedding", "cache")
            named = chance.sample(classes, chance.randrange(1, 4))
            share = {name: chance.choice([0.0, 1.0, chance.random()]) for name in named}
            return Composition((card,), placement=share, **hosted)
        case "unlike":
            groups = chance.choice([None, 1, 2])
            return Composition((chance.choice([card, card, cards]), other), groups=groups, **asked)
        case "three":
            return Composition((card, other), **hosted)
        case split:
            return Composition((cards,), split=split, link_reduces=chance.random() < 0.3, **asked)


def made_model(chance):
    """A model with its shape; now and then with figures that do not fit each other."""
    always, sets = 10 ** chance.uniform(7, 10.7), ()
    for _ in range(chance.choice([0, 1, 1, 2])):
        routed = chance.choice([8, 16, 64, 128, 256])
        size = 10 ** chance.uniform(6, 9.5) * 8 / routed
        sets += (Experts(routed, chance.randrange(1, min(routed, 9)), size),)
    full = always + sum(group.routed * group.expert_bytes for group in sets)
    cache = made_cache(chance)
    model = ModelCosts(
        full * chance.choice([1.0, 1.0, 1.02, 1.3, chance.uniform(0.5, 1.0)]),
        always,
        cache,
        sets,
        max_context_tokens=chance.choice([None, None, 4096]),
        linear_active_parameters=always,
        attention=(AttentionLayer("full", 4, query_width=4096.0),),
    )
    if chance.random() < 0.15:
        return model, None
    return model, ModelShape(
        chance.choice([2048, 5120, 8192]),
        chance.choice([32, 64, 128]),
        tuple(chance.randrange(1, 64) for _ in sets),
        head_bytes=always * chance.uniform(0, 0.3),
        alike=chance.random() < 0.5,
    )


def made_cache(chance):
    if chance.random() < 0.15:
        return TypedCache(10 ** chance.uniform(4, 11), 10 ** chance.uniform(3, 9))
    kept = 10 ** chance.uniform(2, 5)
    read = kept * chance.choice([1, 1, 1, 2])
    each = {
        "window": {"window_tokens": chance.choice([512, 4096])},
        "sparse": {"selected_tokens": 256, "index_bytes_per_token": kept / 8},
    }
    return tuple(
        CacheLayer("state", chance.randrange(1, 60), state_bytes=10 ** chance.uniform(3, 6))
        if kind == "state"
        else CacheLayer(kind, chance.randrange(1, 60), kept, read, **each.get(kind, {}))
        for kind in chance.choice(LAYERS)
    )


def made_workload(chance):
    reserved = chance.choice([16, 512, 4096, 32_768, 100_000])
    return Workload(
        reserved,
        chance.choice([reserved, reserved, reserved * 3 // 4, reserved // 2, 0]),
        chance.choice([0.0, 0.0, 1.0, 20.0, 10 ** chance.uniform(-2, 3)]),
        0.0,
        chance.choice(["windowed", "full"]),
        chance.choice(["expected", "expected", "floor"]),
        batch=chance.choice([None, 1, 7]),
    )


class Drawn(msgspec.Struct):
    """Compositions and models to sweep; modes, linear and attention, are those of every pair."""

    compositions: list[Composition]
    models: list[ModelCosts]
    shapes: list[ModelShape | None]
    workload: Workload
    modes: tuple[dict[str, float], dict[str, float]] = ({BF16: 1.0}, {BF16: 1.0})

    def setup(self, row, column):
        """The setup of one pair, its contexts within the model's limit."""
        composition, model, workload = self.compositions[row], self.models[column], self.workload
        kept = msgspec.structs.replace(
            within_limit(workload, model), overhead_bytes=placement.overhead_bytes(composition)
        )
        made = msgspec.structs.replace(composition, shape=self.shapes[column])
        machine = placement.together(placement.pools_of(composition))
        return Setup(machine, model, kept, *self.modes, composition=made)


def drawn(chance):
    """A few of everything, and often what tells most: pools that are nearly full, slow arithmetic,
    rates and counts that are unknown, a slow link, a floor that some batch just reaches."""
    rows, columns = chance.choice([(1, 1), (1, 3), (2, 2), (3, 1)])
    kinds = chance.choice([KINDS, KINDS, [chance.choice(KINDS)]])
    compositions = [made_composition(chance, kinds) for _ in range(rows)]
    models, shapes = zip(*(made_model(chance) for _ in range(columns)), strict=True)
    found = Drawn(compositions, list(models), list(shapes), made_workload(chance))
    if chance.random() < 0.5:
        _with_work(chance, found)
    if chance.random() < 0.35:
        found.compositions = [_nearly_full(chance, one, models) for one in compositions]
    if chance.random() < 0.2:
        slow = {"link_bytes_per_s": 10 ** chance.uniform(6.5, 8.5)}
        found.compositions = [msgspec.structs.replace(one, **slow) for one in found.compositions]
    if chance.random() < 0.5:
        setup = found.setup(chance.randrange(rows), chance.randrange(columns))
        reached = _reached(chance, policies(setup)[0])
        found.workload = msgspec.structs.replace(found.workload, floor_tokens_per_s=reached)
    return found


def _with_work(chance, found):
    """The combined ceiling, with arithmetic of any speed."""
    found.workload = msgspec.structs.replace(found.workload, decode_ceiling="combined")
    if chance.random() < 0.5:
        found.modes = ({FP8: 1.0}, {BF16: 1.0})
    found.compositions = [
        each_device(lambda device: _rated(chance, device), one) for one in found.compositions
    ]
    for place, (model, shape) in enumerate(zip(found.models, found.shapes, strict=True)):
        cache = model.cache
        count = sum(layer.count for layer in cache) if isinstance(cache, tuple) else 8
        found.models[place] = msgspec.structs.replace(
            model,
            linear_active_parameters=chance.choice([model.always_bytes] * 5 + [None]),
            head_parameters=chance.choice([0.0, model.always_bytes * 0.1]),
            attention=(AttentionLayer("full", count, query_width=10 ** chance.uniform(2, 5)),),
        )
        if shape is not None and chance.random() < 0.5:
            inside = model.always_bytes * chance.random()
            found.shapes[place] = msgspec.structs.replace(shape, expert_parameters=inside)


def each_device(change, composition):
    """A composition with every device and the host changed."""
    host = composition.host
    return msgspec.structs.replace(
        composition,
        devices=tuple(map(change, composition.devices)),
        host=None if host is None else change(host),
    )


def _rated(chance, device):
    one = 10 ** chance.uniform(9, 15)
    rates = {BF16: one, FP8: one * chance.choice([1.0, 2.0, chance.uniform(0.5, 3)])}
    known = chance.choice([rates, rates, rates, {BF16: one}, {}])
    machine = msgspec.structs.replace(device.machine, compute_flop_per_s=known)
    return msgspec.structs.replace(device, machine=machine)


def _nearly_full(chance, composition, models):
    """The same with so little memory that few sessions of one of the models fit, if any."""
    whole = sum(
        pool.count * pool.machine.capacity_bytes for pool in placement.pools_of(composition)
    )
    share = chance.uniform(0.8, 2.0) * chance.choice(models).resident_bytes / whole

    def smaller(device):
        less = device.machine.capacity_bytes * share
        machine = msgspec.structs.replace(device.machine, capacity_bytes=less)
        return msgspec.structs.replace(device, machine=machine)

    return each_device(smaller, composition)


def _reached(chance, way):
    """The rate of some batch, or what is next to it."""
    most = min(max(way.memory_batch(), 1), 10 ** chance.randrange(1, 7))
    batch = chance.choice([1, 1, 2, chance.randrange(1, most + 2)])
    rate = float(way.per_session(np.array([float(batch)]))[0])
    beside = chance.choice([1.0, 1.0, 1 - 2e-12, 1 + 2e-12, 0.999, 0.7])
    return rate * beside if math.isfinite(rate) else 0.0
