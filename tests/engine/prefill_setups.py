"""Setups for the tests of prefill: the worked examples, and random ones."""

import random

from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Draft,
    Experts,
    Machine,
    ModelCosts,
    Prompt,
    Setup,
    Speculation,
    TypedCache,
    Workload,
)

FP4, BF16 = "fp4_fp32acc", "bf16_fp32acc"


def laguna(linear=FP4, **prompt):
    """The pair of the formulation's prefill tables, at either end of the compute bracket."""
    per_parameter = 71.8987 / 117.6
    expert = (117.6e9 - 8.5e9) / (256 - 10) * per_parameter
    model = ModelCosts(
        resident_bytes=71.8987e9,
        always_bytes=8.5e9 * per_parameter - 10 * expert,
        cache=(
            CacheLayer("full", 12, 2048.0, 2048.0),
            CacheLayer("window", 36, 2048.0, 2048.0, window_tokens=512),
        ),
        experts=(Experts(256, 10, expert),),
        max_context_tokens=262144,
        cache_write_bytes_per_token=98304.0,
        linear_active_parameters=7.9e9,
        attention=(
            AttentionLayer("full", 12, query_width=6144.0),
            AttentionLayer("window", 36, query_width=9216.0, window_tokens=512),
        ),
        prefill_sweep_bytes=71.28e9,
    )
    return Setup(
        Machine(128e9, 273e9, {FP4: 500e12, BF16: 125e12}),
        model,
        Workload(262144, 32000, 20.0, 8e9),
        {linear: 1.0},
        {BF16: 1.0},
        prompt=Prompt(**{"prompt_tokens": 8192, "batch": 1, **prompt}),
    )


def toy(parameters=32e9, bytes_per_parameter=0.5, swept=None, **prompt):
    """A 4-bit model on 100 TFLOP/s and 800 GB/s; `swept` parameters, dense when absent."""
    model = ModelCosts(
        resident_bytes=18e9,
        always_bytes=(swept or parameters) * bytes_per_parameter,
        cache=(CacheLayer("full", 1, 262144.0, 262144.0),),
        max_context_tokens=32768,
        cache_write_bytes_per_token=262144.0,
        linear_active_parameters=parameters,
        attention=(AttentionLayer("full", 64, query_width=5120.0),),
    )
    return Setup(
        Machine(128e9, 800e9, {BF16: 100e12}),
        model,
        Workload(32768, 16384, 0.0, 6e9),
        {BF16: 1.0},
        {BF16: 1.0},
        prompt=Prompt(**{"prompt_tokens": 4096, **prompt}),
    )


def random_setup(seed, limit):
    """A setup in which at most a few dozen prompts fit, whose gates all come into play.

    Budgets are odd, so that no batch just takes its budget: there rounding alone would decide.
    """
    rng = random.Random(seed)
    pick = rng.choice
    shapes = [
        CacheLayer("full", 2, 96.0, pick((96.0, 48.0))),
        CacheLayer("latent", 1, 70.0, 70.0),
        CacheLayer("window", 3, 96.0, 96.0, window_tokens=pick((1, 7, 64))),
        CacheLayer("sparse", 1, 40.5, 40.5, selected_tokens=16, index_bytes_per_token=6.25),
        CacheLayer("state", 2, state_bytes=pick((100.0, 5000.0))),
    ]
    cache = tuple(rng.sample(shapes, rng.randint(1, len(shapes))))
    attention = tuple(
        rng.sample(
            [
                AttentionLayer("full", 2, query_width=64.0),
                AttentionLayer("window", 3, query_width=80.0, window_tokens=pick((1, 7, 64))),
                AttentionLayer(
                    "sparse", 1, query_width=64.0, selected_tokens=16, index_flop_per_pair=20.0
                ),
                AttentionLayer("state", 2, flop_per_token=900.0),
            ],
            rng.randint(0, 4),
        )
    )
    experts = pick(((), (Experts(16, 2, 2.0e4),), (Experts(64, 6, 4.0e3), Experts(8, 1, 3.0e4))))
    always = pick((5.0e3, 1.0e5, 1.0e6))
    model = ModelCosts(
        resident_bytes=1.0e6,
        always_bytes=always,
        cache=cache,
        experts=experts,
        max_context_tokens=limit,
        cache_write_bytes_per_token=sum(layer.count * layer.bytes_per_token for layer in cache),
        linear_active_parameters=pick((2.0e4, 2.0e5)),
        attention=attention,
        prefill_sweep_bytes=pick((None, 2.0e6)) if experts else None,
    )
    bandwidth = pick((1.0e8, 1.0e9))
    rates = {FP4: pick((1.0e8, 1.0e10, 1.0e12)), BF16: pick((3.0e8, 1.0e12))}
    machine = Machine(1.1e6 + rng.uniform(0, 40) * 400.0 * limit, bandwidth, rates)
    reserved = rng.randint(max(limit // 2, 2), limit)
    prefix = pick((0, 0, rng.randint(1, reserved // 2)))
    layers = (
        CacheLayer("full", 2, 48.0, 48.0),
        CacheLayer("window", 1, 80.0, 80.0, window_tokens=9),
    )
    cached = pick((TypedCache(1234.4, 500.0), layers, layers))
    draft = Draft(1e4, 1e4, (), cached, pick((None, limit // 3 + 1)))
    return Setup(
        machine,
        model,
        Workload(
            reserved,
            reserved // 2,
            0.0,
            1e4,
            cache_policy=pick(("windowed", "full")),
            routing=pick(("expected", "floor")),
        ),
        pick(({FP4: 1.0}, {FP4: 0.75, BF16: 0.25})),
        {BF16: 1.0},
        speculation=pick((None, None, Speculation(2, 1.5, draft))),
        prompt=Prompt(
            prompt_tokens=rng.randint(1, reserved - prefix),
            cached_prefix_tokens=prefix,
            chunk_tokens=pick((None, None, 1, 3, 16, 100, limit + 5)),
            ttft_budget_s=pick((None, None, *(10.0 ** rng.uniform(-3.0, 0.0) for _ in range(3)))),
            cache_growth=pick(("reserved", "on_demand")),
            batch=pick((None, None, None, 1, 2, 9)),
        ),
    )
