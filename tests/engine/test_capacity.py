import msgspec
import numpy as np
import pytest
from decode_setups import (
    DEEPSEEK,
    GB,
    QWEN,
    SPARK,
    literal_alloc,
    literal_draft_alloc,
    setup,
    setups,
    toy,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.capacity import Capacity, capacity, fitting_batch, longest_context
from ourmodels_gui.engine.setup import (
    CacheLayer,
    Draft,
    Machine,
    ModelCosts,
    Speculation,
    TypedCache,
)


@settings(max_examples=150)
@given(setups())
def test_the_memory_batch_fits_and_one_more_does_not(found):
    gate, draft = capacity(found), found.speculation.draft if found.speculation else Draft()
    model, workload = found.model, found.workload
    session = round(
        literal_alloc(model.cache, workload.reserved_context_tokens, workload.cache_policy)
    )
    session += round(
        literal_draft_alloc(draft, workload.reserved_context_tokens, workload.cache_policy)
    )

    def held(batch):
        resident = round(model.resident_bytes) + round(draft.resident_bytes)
        return resident + round(workload.overhead_bytes) + batch * session

    limit = round(found.machine.capacity_bytes)
    assert gate.session_bytes == session
    assert gate.margin_bytes == limit - held(0)
    batch = gate.memory_batch
    assert held(batch + 1) > limit
    assert held(batch) <= limit or (batch == 0 and gate.margin_bytes < 0)
    assert gate.fits(batch + 1) is False
    assert gate.fits(batch) is (gate.margin_bytes >= 0)
    assert gate.spare_bytes(batch) == limit - held(batch)


def test_a_byte_less_holds_a_session_less():
    exact = Machine(1000.0, 1.0)
    short = Machine(999.0, 1.0)
    model = ModelCosts(100.0, 100.0, TypedCache(90.0, 1.0))
    assert capacity(setup(exact, model, overhead_bytes=0.0)).memory_batch == 10
    assert capacity(setup(short, model, overhead_bytes=0.0)).memory_batch == 9


def test_the_gate_does_not_lose_bytes_to_floating_point():
    model = ModelCosts(0.0, 1.0, TypedCache(3.0, 1.0))
    huge = setup(Machine(2.0**53, 1.0), model, overhead_bytes=1.0)
    assert capacity(huge).memory_batch == (2**53 - 1) // 3


def test_each_amount_is_rounded_once_after_summing():
    layers = (CacheLayer("full", 3, 0.3, 0.3), CacheLayer("state", 1, state_bytes=0.4))
    model = ModelCosts(10.4, 1.0, layers)
    gate = capacity(setup(Machine(99.5, 1.0), model, reserved_context_tokens=1, overhead_bytes=0.4))
    assert gate == Capacity(margin_bytes=100 - 10 - 0, session_bytes=1)


def test_a_draft_joins_the_gate():
    plain = setup(SPARK, QWEN)
    drafted = msgspec.structs.replace(
        plain,
        speculation=Speculation(4, 2.0, Draft(2 * GB, cache=TypedCache(0.1 * GB, 0.0))),
    )
    assert capacity(plain) == Capacity(102_500_000_000, 1_025_000_000)
    assert capacity(drafted) == Capacity(100_500_000_000, 1_125_000_000)
    assert capacity(drafted).memory_batch == 89


def test_a_model_without_a_cache_is_no_decoder():
    with pytest.raises(ValueError, match="K_alloc"):
        capacity(setup(SPARK, ModelCosts(1e9, 1e9, TypedCache(0.0, 0.0))))


def test_a_model_that_does_not_fit_seats_nobody():
    gate = capacity(setup(Machine(64 * GB, 1.0), DEEPSEEK))
    assert gate.margin_bytes == -15_000_000_000
    assert gate.memory_batch == 0
    assert gate.spare_bytes(1) == -15_000_000_000 - 314_102_560


def test_about_a_hundred_sessions_fit_the_toy_machine():
    assert capacity(toy(4000)).memory_batch == 100
    assert capacity(toy(1000)).memory_batch == 400


def test_many_reserved_contexts_give_the_memory_batch_of_each():
    lengths = np.array([1, 999, 1000, 4000, 400_000, 500_000])
    batches = fitting_batch(toy(), lengths)
    assert list(batches) == [capacity(toy(int(length), 1)).memory_batch for length in lengths]


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(1, 40))
def test_the_longest_context_fits_and_one_token_more_does_not(setup, batch):
    longest = longest_context(setup, batch)

    def fits(tokens):
        work = msgspec.structs.replace(setup.workload, reserved_context_tokens=tokens)
        return capacity(msgspec.structs.replace(setup, workload=work)).fits(batch)

    if longest is None:
        assert fits(2**31)
        return
    if longest > 0:
        assert fits(longest)
    assert not fits(longest + 1)


def test_the_longest_context_by_hand():
    """104 GB beside weights and overhead, 260 kB a token: 400,000 tokens, shared by four."""
    for sessions in range(1, 12):
        assert longest_context(toy(), sessions) == 400_000 // sessions


@pytest.mark.parametrize(("room", "longest"), [(2**31 - 1, 2**31 - 1), (2**31, None)])
def test_no_context_is_longer_than_can_be_asked_for(room, longest):
    byte = ModelCosts(1e9, 1e9, (CacheLayer("full", 1, 1.0, 1.0),))
    assert longest_context(setup(Machine(1e9 + room, 1e9), byte, overhead_bytes=0.0)) == longest
