"""Setups for the tests of decode: the worked examples, random ones, and a literal step."""

import math

import msgspec
import numpy as np
from hypothesis import strategies as st

from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Draft,
    Experts,
    Machine,
    ModelCosts,
    Setup,
    Speculation,
    TypedCache,
    Workload,
)

BF16 = "bf16_fp32acc"
GB = 1e9


def mixture(parameters, experts, width, resident, cache):
    """A simplified adapter of the worked examples: billions of parameters, decimal GB."""
    (total, active), (experts, per_token), (alloc, read) = parameters, experts, cache
    expert = (total - active) / (experts - per_token)
    return ModelCosts(
        resident_bytes=resident * GB,
        always_bytes=width * (active - per_token * expert) * GB,
        cache=TypedCache(alloc * GB, read * GB),
        experts=(Experts(experts, per_token, width * expert * GB),),
    )


QWEN = mixture((35, 3), (256, 8), 0.5, 17.5, (1.025, 0.3268992))
GEMMA = mixture((26, 4), (128, 8), 0.5, 13, (0.618497, 0.269504))
DEEPSEEK = mixture((284, 13), (256, 6), 0.25, 71, (0.31410256, 0.016))
SPARK = Machine(128 * GB, 273 * GB)
M5_MAX = Machine(128 * GB, 614 * GB)


def within_limit(workload, model):
    """A workload with its contexts within the model's limit."""
    limit = model.max_context_tokens or workload.reserved_context_tokens
    reserved = min(workload.reserved_context_tokens, limit)
    return msgspec.structs.replace(
        workload,
        reserved_context_tokens=reserved,
        read_context_tokens=min(workload.read_context_tokens, reserved),
    )


def setup(machine, model, speculation=None, **workload):
    """The defaults of the worked examples unless told otherwise."""
    asked = {
        "reserved_context_tokens": 100_000,
        "read_context_tokens": 32_000,
        "floor_tokens_per_s": 20.0,
        "overhead_bytes": 8 * GB,
        **workload,
    }
    return Setup(machine, model, Workload(**asked), {BF16: 1.0}, {BF16: 1.0}, speculation)


def toy(reserved_tokens=4000, read_tokens=1000, **workload):
    """The machine and model of the figures: 18 GB of weights, 0.26 GB per thousand tokens."""
    per_token = 0.26 * GB / 1000
    model = ModelCosts(18 * GB, 18 * GB, (CacheLayer("full", 1, per_token, per_token),))
    return setup(
        Machine(128 * GB, 800 * GB),
        model,
        reserved_context_tokens=reserved_tokens,
        read_context_tokens=read_tokens,
        overhead_bytes=6 * GB,
        **workload,
    )


def literal_touched(group, tokens, routing):
    if routing == "floor" or tokens == 1:
        return float(group.per_token)
    return group.routed * -np.expm1(tokens * math.log1p(-group.per_token / group.routed))


def literal_swept(costs, tokens, routing):
    swept = costs.always_bytes
    for group in costs.experts:
        swept += group.expert_bytes * literal_touched(group, tokens, routing)
    return swept


def literal_rate(setup, batch, speculation):
    """The canonical per-session rate, one batch at a time, written out."""
    model, routing = setup.model, setup.workload.routing
    private = literal_read(model.cache, setup.workload.read_context_tokens)
    if speculation is None:
        step = literal_swept(model, batch, routing) + batch * private
        return setup.machine.bandwidth_bytes_per_s / step
    gamma, draft = speculation.draft_tokens, speculation.draft
    swept = literal_swept(model, batch * (gamma + 1), routing)
    swept += gamma * literal_swept(draft, batch, routing)
    step = swept + batch * (
        private + gamma * literal_draft_read(draft, setup.workload.read_context_tokens)
    )
    return speculation.emitted_tokens * setup.machine.bandwidth_bytes_per_s / step


def literal_read(cache, tokens):
    if isinstance(cache, TypedCache):
        return cache.read_bytes_per_token
    return sum(
        layer.count
        * (
            layer.read_bytes_per_token
            * {
                "window": min(tokens, layer.window_tokens),
                "sparse": min(tokens, layer.selected_tokens),
            }.get(layer.kind, tokens)
            + layer.index_bytes_per_token * tokens
            + layer.state_bytes
        )
        for layer in cache
    )


def literal_alloc(cache, tokens, policy):
    if isinstance(cache, TypedCache):
        return cache.alloc_bytes_per_session
    return sum(
        layer.count
        * (
            (layer.bytes_per_token + layer.index_bytes_per_token)
            * (
                min(tokens, layer.window_tokens)
                if layer.kind == "window" and policy == "windowed"
                else tokens
            )
            + layer.state_bytes
        )
        for layer in cache
    )


def literal_draft_alloc(draft, tokens, policy):
    return literal_alloc(draft.cache, min(tokens, draft.max_context_tokens or tokens), policy)


def literal_draft_read(draft, tokens):
    within = min(tokens, draft.max_context_tokens or tokens)
    return literal_read(draft.cache, within) / draft.modules


@st.composite
def experts(draw, largest=64):
    """No experts, one set, or two with unlike routings."""
    sets = draw(st.integers(0, 2))
    return tuple(
        Experts(
            routed := draw(st.integers(2, largest)),
            draw(st.integers(1, routed - 1)),
            draw(st.floats(1e3, 1e9)),
        )
        for _ in range(sets)
    )


@st.composite
def caches(draw):
    """Typed figures, or a list of layers of every kind; never empty of bytes."""
    if draw(st.booleans()):
        alloc = draw(st.floats(1.0, 1e9))
        read = draw(st.one_of(st.just(0.0), st.floats(0.0, 1.0)))
        return TypedCache(alloc, alloc * read)
    width = st.sampled_from([1.0, 512.0, 1152.5, 2048.0])
    layers = [CacheLayer("full", draw(st.integers(1, 8)), wide := draw(width), wide)]
    if draw(st.booleans()):
        layers.append(
            CacheLayer("window", 5, 1024.0, 512.0, window_tokens=draw(st.integers(1, 99)))
        )
    if draw(st.booleans()):
        layers.append(
            CacheLayer("sparse", 3, 1152.0, 1152.0, selected_tokens=7, index_bytes_per_token=132.0)
        )
    if draw(st.booleans()):
        layers.append(CacheLayer("state", 6, state_bytes=draw(st.floats(1.0, 1e7))))
    if draw(st.booleans()):
        layers.append(CacheLayer("latent", 2, 1152.0, 1152.0))
    return tuple(layers)


@st.composite
def draft_caches(draw):
    """Typed figures, none of which may be nought, or layers that grow."""
    if draw(st.booleans()):
        read = draw(st.one_of(st.just(0.0), st.floats(0.0, 1e6)))
        return TypedCache(draw(st.floats(0.0, 1e6)), read)
    full = CacheLayer("full", draw(st.integers(1, 4)), 512.0, 256.0)
    window = CacheLayer("window", 2, 1024.0, 512.0, window_tokens=draw(st.integers(1, 99)))
    return draw(st.sampled_from([(full,), (full, window)]))


@st.composite
def speculations(draw):
    gamma = draw(st.integers(1, 6))
    return Speculation(
        gamma,
        draw(st.floats(1.0, gamma + 1.0)),
        Draft(
            resident_bytes=draw(st.floats(0.0, 1e9)),
            always_bytes=draw(st.one_of(st.just(0.0), st.floats(0.0, 1e9))),
            experts=draw(experts(32)),
            cache=draw(draft_caches()),
            max_context_tokens=draw(st.one_of(st.none(), st.integers(1, 600))),
            modules=draw(st.sampled_from([1, 1, 3])),
        ),
    )


@st.composite
def setups(draw, speculating=None, ceilings=("memory",), most=300):
    """A setup in which up to `most` sessions fit, or none, or not even the model.

    speculating: True or False, or None for either.

    The floor is absent, anything, or exactly a rate that some batch reaches.
    """
    always, sets = draw(st.floats(1e6, 1e11)), draw(experts())
    full = always + sum(group.routed * group.expert_bytes for group in sets)
    model = ModelCosts(
        resident_bytes=full * draw(st.floats(1.0, 1.3)),
        always_bytes=always,
        cache=draw(caches()),
        experts=sets,
        linear_active_parameters=always,
        attention=(AttentionLayer("full", 4, query_width=4096.0),),
    )
    reserved = draw(st.integers(1, 500))
    if speculating is None:
        speculating = draw(st.booleans())
    speculation = draw(speculations()) if speculating else None
    policy = draw(st.sampled_from(["windowed", "full"]))
    draft = speculation.draft if speculation else Draft()
    session = literal_alloc(model.cache, reserved, policy)
    session += literal_draft_alloc(draft, reserved, policy)
    overhead = draw(st.floats(0.0, 1e9))
    held = model.resident_bytes + overhead + draft.resident_bytes
    capacity = max(held + session * draw(st.floats(-1.0, most)), 1.0)
    machine = Machine(capacity, draw(st.floats(1e9, 1e13)), {BF16: draw(st.floats(1e11, 1e15))})
    found = setup(
        machine,
        model,
        speculation,
        reserved_context_tokens=reserved,
        read_context_tokens=draw(st.integers(0, reserved)),
        overhead_bytes=overhead,
        cache_policy=policy,
        routing=draw(st.sampled_from(["expected", "floor"])),
        decode_ceiling=draw(st.sampled_from(ceilings)),
        floor_tokens_per_s=draw(st.one_of(st.just(0.0), st.floats(1e-2, 1e4))),
    )
    if draw(st.booleans()):
        reached = literal_rate(found, draw(st.integers(1, most)), speculation)
        return with_workload(found, floor_tokens_per_s=float(reached))
    return found


def with_workload(found, **changes):
    return msgspec.structs.replace(
        found, workload=msgspec.structs.replace(found.workload, **changes)
    )
