"""Cells of the memory: everything has a place, nothing overlaps, the charged bytes add up."""

from itertools import pairwise

import msgspec
import pytest
from gui_cases import dense, evaluated, mixture
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.setup import Machine
from ourmodels_gui.engine.traffic import weights_only, with_reads
from ourmodels_gui.gui.tabs.cells import CELLS, board, charged, contents, nice

WIDTH, HEIGHT = 320.0, 240.0


def toy(sessions, **workload):
    return contents(evaluated(dense(), **workload).setup, sessions)


def drawn(inside):
    return board(inside, WIDTH, HEIGHT)


def roles(made):
    return [box.role for box in made.boxes]


def test_each_session_has_a_container_of_its_own():
    made = drawn(toy(100, reserved_context_tokens=4000, read_context_tokens=3600))
    assert roles(made).count("cache") == 100
    assert roles(made)[:2] == ["weights", "overhead"]
    assert "over" not in roles(made)


def test_what_does_not_fit_lies_outside_the_frame():
    inside = toy(105, reserved_context_tokens=4000, read_context_tokens=3600)
    made = drawn(inside)
    bottom = made.frame.y + made.frame.height
    over = [box for box in made.boxes if box.role == "over"]
    assert len(over) + made.unseen == 5
    assert all(box.area.y > bottom for box in over)
    assert all(box.area.y + box.area.height < bottom for box in made.boxes if box.role != "over")


def test_a_model_that_does_not_fit_sticks_out():
    inside = contents(evaluated(dense(), machine=Machine(16e9, 400e9)).setup, 1)
    assert inside.lacking * inside.cell_bytes == pytest.approx(8e9)
    made = drawn(inside)
    assert roles(made) == ["weights", "over"]
    assert made.boxes[1].area.y > made.frame.y + made.frame.height


@pytest.mark.parametrize("machine, tokens", [(Machine(1e9, 400e9), 1000), (None, 10**8)])
def test_only_what_has_a_place_is_counted_out_in_cells(machine, tokens):
    """A thousand times more than fits would be as many cells, none of which is ever painted."""
    setup = evaluated(
        dense(), machine=machine, reserved_context_tokens=tokens, read_context_tokens=1
    ).setup
    made = drawn(contents(setup, 3))
    assert "over" in roles(made)
    assert sum(len(box.cells) for box in made.boxes) <= 3 * CELLS


def test_sessions_that_could_run_have_empty_places():
    made = drawn(toy(3, reserved_context_tokens=4000, read_context_tokens=3600))
    assert roles(made).count("cache") == 3
    assert roles(made).count("empty") == 97


def test_cells_depend_on_the_capacity_alone():
    sizes = {
        toy(1, reserved_context_tokens=size, read_context_tokens=1).cell_bytes
        for size in (1000, 4000, 100_000)
    }
    assert len(sizes) == 1
    assert 128e9 / sizes.pop() <= CELLS


def test_many_sessions_share_a_container():
    inside = toy(1, reserved_context_tokens=10, read_context_tokens=1)
    assert inside.grouped > 1
    assert len(drawn(inside).boxes) < 400


@settings(max_examples=60, deadline=None)
@given(st.integers(10, 200_000), st.integers(1, 600), st.floats(180, 700), st.floats(140, 500))
def test_nothing_overlaps_and_all_cells_are_inside(reserved, sessions, width, height):
    made = board(
        toy(sessions, reserved_context_tokens=reserved, read_context_tokens=1), width, height
    )
    for box in made.boxes:
        assert box.area.x >= 0
        assert box.area.x + box.area.width <= width
        for cell in box.cells:
            assert cell.x >= box.area.x
            assert cell.y >= box.area.y
            assert cell.x + cell.width <= box.area.x + box.area.width
            assert cell.y + cell.height <= box.area.y + box.area.height
    spans = sorted((box.area.y, box.area.x, box.area) for box in made.boxes)
    for (_, _, one), (_, _, other) in pairwise(spans):
        beside = one.x + one.width <= other.x
        above = one.y + one.height <= other.y
        assert beside or above


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([dense, mixture]), st.integers(200, 100_000), st.integers(1, 400))
def test_the_charged_cells_stand_for_all_the_bytes_of_an_iteration(model, reserved, sessions):
    setup = evaluated(
        model(), reserved_context_tokens=reserved, read_context_tokens=reserved // 2
    ).setup
    room = contents(setup, 1).room
    sessions = min(sessions, room)
    inside = contents(setup, sessions)
    made = drawn(inside)
    for accounting in (weights_only(setup, sessions), with_reads(setup, sessions)):
        lights = charged(made, inside, accounting)
        assert lights.ends_bytes[-1] == pytest.approx(accounting.charged_bytes, rel=1e-9)
        assert list(lights.ends_bytes) == sorted(lights.ends_bytes)
        assert lights.lit(0.0) == 0
        assert lights.lit(accounting.charged_bytes) == len(lights.cells)


def test_the_left_board_never_charges_a_session():
    inside = toy(3)
    setup = evaluated(dense()).setup
    lights = charged(drawn(inside), inside, weights_only(setup, 3))
    assert {role for role, _ in lights.cells} == {"weights"}


def test_a_longer_read_lights_up_more_cells():
    counts = []
    for read in (5_000, 20_000, 60_000):
        setup = evaluated(dense(), read_context_tokens=read).setup
        inside = contents(setup, 3)
        counts.append(len(charged(drawn(inside), inside, with_reads(setup, 3)).cells))
    assert counts == sorted(set(counts))


def test_without_speculation_a_draft_takes_no_room():
    setup = evaluated(dense()).setup
    assert contents(setup, 1) == contents(msgspec.structs.replace(setup, speculation=None), 1)


@pytest.mark.parametrize("value", [0.3, 7.0, 99.0, 1.6e8])
def test_a_nice_figure_is_the_next_one_up(value):
    assert value <= nice(value) * 1.000001 <= 2.5 * value * 1.01
