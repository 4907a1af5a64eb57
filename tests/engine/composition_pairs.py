"""Random compositions, models and workloads of every kind for the sweep, from a given chance."""

import msgspec
from decode_setups import BF16, GB

from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Composition,
    Device,
    Experts,
    Machine,
    ModelCosts,
    ModelShape,
    TypedCache,
    Workload,
)

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
