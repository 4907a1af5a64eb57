"""Speculation over several devices and pools: what it sends, computes and loses."""

import msgspec
import numpy as np
import pytest
from composition_setups import FAST, SHAPE, SLOW, composed, dense, sparse
from decode_setups import BF16, GB

from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement.arithmetic import work
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.setup import AttentionLayer, Device, Draft, Experts, Machine, Speculation
from ourmodels_gui.engine.step import decode_step

replace = msgspec.structs.replace


def test_the_link_takes_every_candidate_that_is_verified():
    """128 sums of 5120 two-byte values, round a ring of two each once over the link."""
    pair = [replace(FAST, count=2)]
    guess = Speculation(4, 1.6, Draft())
    found = composed(
        dense(), pair, guess, split="tensor", link_bytes_per_s=1e7, shape=SHAPE, batch=3
    )
    told = evaluate(found)
    sent = 3 * (4 + 1) * 128 * 5120 * 2
    assert told.decode.forced.per_session_tokens_per_s == pytest.approx(1.6 / (sent / 1e7))
    assert told.placement.single_binding.resource == "link"


@pytest.mark.parametrize("gamma", range(1, 9))
def test_where_the_link_binds_every_candidate_has_to_be_taken_and_rounding_denies_none(gamma):
    pair = [replace(FAST, count=2)]
    guess = Speculation(gamma, 1.0, Draft())
    asked = {"split": "tensor", "shape": SHAPE, "floor_tokens_per_s": 0.0}
    for link in (1e7, 1.1e7, 1.3e7, 1.7e7, 1.9e7, 2.3e7):
        told = evaluate(composed(dense(), pair, guess, link_bytes_per_s=link, **asked)).decode
        said = told.speculation
        for needed, note in (
            (said.break_even_at_1, said.note_at_1),
            (said.break_even_at_best, said.note_at_best),
        ):
            assert note == ""
            assert gamma + 1 - 1e-9 <= needed <= gamma + 1
        assert said.break_even_acceptance_at_best == pytest.approx(1.0)
        # Every candidate taken is neither gain nor loss.
        taken = replace(guess, emitted_tokens=gamma + 1.0)
        even = evaluate(composed(dense(), pair, taken, link_bytes_per_s=link, **asked)).decode
        assert even.speculation.loses_at == ()


def counted(model):
    """With the arithmetic of all of its weights, and of full attention."""
    return replace(
        model,
        linear_active_parameters=9e9,
        attention=(AttentionLayer("full", 8, query_width=4096.0),),
    )


@pytest.mark.parametrize("pools", ["both", "sequential", "streamed"])
def test_the_arithmetic_takes_every_candidate_that_is_verified(pools):
    card, host = (
        replace(one, machine=replace(one.machine, compute_flop_per_s={BF16: rate}))
        for one, rate in ((FAST, 1e14), (SLOW, 1e12))
    )
    asked = {"host": host, "pools": pools, "link_bytes_per_s": 3e10, "shape": SHAPE}
    times = [
        policies(composed(counted(dense(weights=40 * GB)), [card], guess, **asked))[0]
        for guess in (None, Speculation(4, 1.6, Draft()))
    ]
    plain, told = (way.compute_seconds(np.array([1.0, 3.0])) for way in times)
    assert told == pytest.approx(5 * plain, rel=1e-9)


@pytest.mark.parametrize("emitted", [1.3, 1.6, 2.5, 4.0])
def test_it_loses_at_the_batches_where_a_session_is_slower_with_it(emitted):
    card = Device("card", Machine(8 * GB, 448 * GB), 1 * GB)
    guess = Speculation(4, emitted, Draft(0.1 * GB, 0.1 * GB))
    asked = {"host": SLOW, "pools": "sequential", "floor_tokens_per_s": 0.0}
    asked |= {"reserved_context_tokens": 1000, "read_context_tokens": 1000}
    told = evaluate(composed(sparse(), [card], guess, **asked)).decode
    ways = [policies(composed(sparse(), [card], one, **asked))[0] for one in (None, guess)]
    plain, speculative = (way.per_session(np.arange(1.0, told.memory_batch + 1)) for way in ways)
    slower = 1 + np.flatnonzero(speculative < plain * (1 - 1e-9))
    named = [b for low, high in told.speculation.loses_at for b in range(low, high + 1)]
    assert named == slower.tolist()


def test_the_arithmetic_of_the_chosen_experts_is_shared_by_what_a_token_reads_of_each_set():
    """Of two sets a token reads 2 x 3 and 3 x 1 bytes: two thirds and a third."""
    sets = (Experts(8, 2, 3.0), Experts(16, 3, 1.0))
    model = replace(counted(dense(weights=100.0)), resident_bytes=140.0, experts=sets)
    shape = replace(SHAPE, expert_layers=(4, 4), expert_parameters=6e9)
    found = composed(model, [FAST], host=SLOW, shape=shape, read_context_tokens=10)
    one = np.array([7.0])
    made = work(found, decode_step(found, None), (one, one), whole_layers=False)
    flop = dict.fromkeys(made.parts.classes, ())
    for name, linear in zip(made.parts.classes, made.linear_flop[:, 0], strict=True):
        flop[name] += (float(linear),) if linear else ()
    assert flop["weights"] == pytest.approx((2 * 7 * 3e9,))
    assert flop["routed_experts"] == pytest.approx((2 * 7 * 4e9, 2 * 7 * 2e9))
    assert sum(map(sum, flop.values())) == pytest.approx(2 * 7 * 9e9)


def test_a_single_device_sends_nothing_that_could_be_unknown():
    """A model of unknown shape: what two devices send is not charged, and that is said."""
    for count, told in ((1, False), (2, True)):
        card = replace(FAST, count=count)
        found = composed(dense(), [card], host=SLOW, split="tensor", link_bytes_per_s=1e10)
        cautions = evaluate(found).decode.cautions
        assert any("send each other" in caution for caution in cautions) == told


def test_the_arithmetic_binds_in_the_pool_that_is_busy_the_longest():
    """Three pools: the last one has an eighth of the weights and a hundredth of the rate."""
    rates = {
        "fast": (14 * GB, 4e12, 1e15),
        "card": (14 * GB, 2e12, 1e15),
        "slow": (8 * GB, 1e12, 1e13),
    }
    devices = [
        Device(name, Machine(room, speed, {BF16: rate}))
        for name, (room, speed, rate) in rates.items()
    ]
    model = counted(dense(weights=32 * GB, per_token=1000.0))
    found = composed(
        model,
        devices[:2],
        host=devices[2],
        pools="both",
        decode_ceiling="combined",
        reserved_context_tokens=10,
        read_context_tokens=10,
        batch=500,
    )
    way = policies(found)[0]
    binding = way.binding(500)
    assert (binding.resource, binding.place) == ("compute", "slow")
    least = 4 * GB / (32 * GB) * 2 * 9e9 * 500 / 1e13
    assert way.compute_seconds(np.array([500.0])) == pytest.approx(least, rel=1e-3)


@pytest.mark.parametrize("gamma", [1, 3, 6])
def test_the_acceptance_that_breaks_even_emits_as_many_tokens_as_are_needed(gamma):
    card = Device("card", Machine(8 * GB, 448 * GB), 1 * GB)
    guess = Speculation(gamma, 1.6, Draft(0.1 * GB, 0.1 * GB))
    asked = {"host": SLOW, "pools": "sequential", "floor_tokens_per_s": 0.0}
    asked |= {"reserved_context_tokens": 1000, "read_context_tokens": 1000}
    told = evaluate(composed(sparse(), [card], guess, **asked)).decode.speculation
    for acceptance, needed in (
        (told.break_even_acceptance_at_1, told.break_even_at_1),
        (told.break_even_acceptance_at_best, told.break_even_at_best),
    ):
        assert sum(acceptance**i for i in range(gamma + 1)) == pytest.approx(needed, rel=1e-9)
