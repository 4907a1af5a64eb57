"""The report of several devices and pools: what lies where, and the policies side by side."""

import math

import msgspec
import pytest
from report_cases import cases, evaluated, known, library

from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.evaluation import run
from ourmodels_gui.report.build import build
from ourmodels_gui.report.markdown import to_markdown
from ourmodels_gui.report.sensitivity import changed
from ourmodels_gui.report.shapes import Bullets, Figure, Table, Text
from ourmodels_gui.scenario import ModelRef, Scenario
from ourmodels_gui.units import rate, size


@pytest.fixture(scope="module")
def composed():
    return build(evaluated("composed"), known())


@pytest.fixture(scope="module")
def placed():
    return evaluated("composed")[0].result.placement


def section(report, id_):
    return next((found for found in report.sections if found.id == id_), None)


def table(report, name):
    return next(
        block
        for part in report.sections
        for block in part.blocks
        if isinstance(block, Table) and block.name == name
    )


def said(part):
    return " ".join(block.text for block in part.blocks if isinstance(block, Text))


def test_every_policy_stands_with_its_figures(composed, placed):
    rows = table(composed, "policies").rows
    assert [row[0] for row in rows] == [policy.name for policy in placed.policies]
    for row, policy in zip(rows, placed.policies, strict=True):
        assert row[1] == policy.kind
        assert row[2] == f"{policy.best_batch:,}"
        assert row[3] == rate(policy.aggregate_tokens_per_s)
        assert row[6] == policy.binding.words


def test_what_lies_where_is_that_of_the_result_and_fills_each_pool(composed, placed):
    shown = table(composed, "pools")
    heads = [column.title for column in shown.columns]
    for row, pool in zip(shown.rows, placed.pools, strict=True):
        assert row[0] == pool.name
        assert row[heads.index("Routed\nexperts")] == size(pool.held_bytes["routed_experts"])
        assert row[heads.index("Read\na step")] == size(pool.traffic_bytes)
    assert shown.title == "What lies where, with 9 sessions"
    resident = run(cases()["composed"][0], library()).setup.model.resident_bytes
    classes = [name for name in placed.pools[0].held_bytes if name != "cache"]
    held = sum(pool.held_bytes.get(name, 0.0) for pool in placed.pools for name in classes)
    assert math.isclose(held, resident, rel_tol=1e-9)


def test_link_note_limit_and_displaced_weights_are_said(composed, placed):
    text = said(section(composed, "placement"))
    assert "PCIe 5.0 x16 at 63.0 GB/s one way" in text
    assert library().compositions["geforce-rtx-5090-ddr5-128gb"].record.note in text
    assert f"limited by the {placed.binding.words}" in text
    assert f"From {placed.pushed_out_from_batch:,} sessions on" in text


def test_a_bar_is_drawn_for_each_pool(composed, placed):
    figure = next(b for b in section(composed, "memory").blocks if isinstance(b, Figure))
    assert [bar.name for bar in figure.picture.bars] == [pool.name for pool in placed.pools]
    for bar, pool in zip(figure.picture.bars, placed.pools, strict=True):
        filled = sum(part.bytes_ for part in bar.segments if part.fill != "free")
        assert filled <= pool.capacity_bytes * (1 + 1e-9)
        assert {"experts", "cache", "overhead"} <= {part.fill for part in bar.segments}


def test_the_plot_marks_where_the_cache_pushes_weights_out(composed, placed):
    figure = next(b for b in section(composed, "decode").blocks if isinstance(b, Figure))
    marks = {level.at: level.label for level in figure.picture.levels if level.upright}
    assert marks[placed.pushed_out_from_batch].startswith("cache pushes weights out")


def test_where_more_are_slower_together_the_report_says_how_many_keep_the_floor():
    found = evaluated("falling")[0]
    own, decode = found.result.placement.in_use, found.result.decode
    last, least = own.last_usable_batch, rate(own.last_usable_per_session_tokens_per_s)
    assert 1 == decode.best_batch < last < decode.memory_batch
    report = build([found], known())
    answer = section(report, "answer")
    assert answer.blocks[0].text == (
        f"GeForce RTX 3090 + 64 GB DDR4-3200 serves up to {last} sessions that keep 5 tok/s each, "
        f"at {least} tok/s. The most together, {rate(decode.aggregate_tokens_per_s)} tok/s "
        "(estimate), come from 1 session."
    )
    assert table(report, "ranking").rows[0][3] == f"1 ... {last}"
    assert table(report, "policies").rows[0][2] == f"1 ... {last}"
    gates = dict(table(report, "gates").rows)
    assert gates["The largest batch that keeps the floor"] == f"{last}"
    assert gates["What keeps it from growing"] == "more together are not faster"
    assert int(gates["Gate 3: the rate allows, b_rate"]) > last
    figure = next(b for b in section(report, "decode").blocks if isinstance(b, Figure))
    marks = {level.at: level.label for level in figure.picture.levels if level.upright}
    assert marks[last] == f"the floor holds for {last}"
    assert "rises with their number" not in figure.caption
    assert f"{last}" in [row[0] for row in figure.table.rows]


def test_a_card_beside_system_memory_without_a_prompt_says_that_none_is_asked_about():
    found = evaluated("falling")[0]
    assert found.setup.composition.host is not None and found.result.prefill is None
    report = build([found], known())
    answered = next(b for b in section(report, "answer").blocks if isinstance(b, Bullets)).items
    assert answered[-1] == ("First token", "not asked; the scenario names no prompt.")
    assert section(report, "prefill") is None and section(report, "placement") is not None
    assert "First\ntoken" not in [column.title for column in table(report, "ranking").columns]
    whole = to_markdown(report).decode()
    assert "prompt" not in whole.partition("## Memory")[0].replace("names no prompt", "")


def test_sources_of_every_part_are_among_the_assumptions(composed):
    rows = table(composed, "assumptions").rows
    sources = {row[0]: row[3] for row in rows}
    assert "published" in sources["bandwidth of GeForce RTX 5090 (R_i)"]
    assert "HPC notes" in sources["link, one direction (B_link)"]
    assert any(row[0] == "built like this" for row in rows)
    assert table(composed, "value").rows[0][2].endswith("host memory: no price")
    audit = next(b for b in section(composed, "catalog").blocks if isinstance(b, Bullets))
    assert audit.items[0][1].startswith("a composition of the catalog")


def test_compositions_stand_beside_one_machine():
    report = build(evaluated("beside"), known())
    part = section(report, "placement")
    names = [block.name for block in part.blocks if isinstance(block, Table)]
    assert names == ["pools-a", "policies-a", "policies-c"]  # C does not hold one session
    figure = next(b for b in section(report, "memory").blocks if isinstance(b, Figure))
    assert figure.picture.bars[0].name == "4 x GeForce RTX 3090"
    assert figure.picture.bars[1].name == ""
    assert table(report, "pools-a").rows[0][0] == "4 x GeForce RTX 3090"


def test_one_machine_has_no_such_section():
    assert section(build(evaluated("one"), known()), "placement") is None


def test_markdown_names_every_pool_and_policy(composed, placed):
    text = to_markdown(composed).decode().replace("\\", "")
    assert all(policy.name in text for policy in placed.policies)
    assert all(pool.name in text for pool in placed.pools)


def test_an_input_moves_in_every_pool():
    setup = run(Scenario("geforce-rtx-5090-ddr5-128gb", ModelRef("gpt-oss-120b")), library()).setup
    more = changed(setup, "capacity", 1.2)
    pools = (*more.composition.devices, more.composition.host)
    before = (*setup.composition.devices, setup.composition.host)
    for one, other in zip(pools, before, strict=True):
        assert one.machine.capacity_bytes == 1.2 * other.machine.capacity_bytes
    assert math.isclose(more.machine.capacity_bytes, 1.2 * setup.machine.capacity_bytes)
    faster = evaluate(changed(setup, "bandwidth", 2.0)).decode.single_session_tokens_per_s
    was = evaluate(setup).decode.single_session_tokens_per_s
    assert math.isclose(faster, 2 * was)


def test_the_link_moves_what_crosses_it_and_one_machine_has_none():
    streamed = library().compositions["geforce-rtx-5090-ddr5-128gb"].hardware
    hardware = msgspec.structs.replace(streamed, pools="streamed")
    setup = run(Scenario(hardware, ModelRef("gpt-oss-120b")), library()).setup
    slow, fast = (evaluate(changed(setup, "link", factor)) for factor in (0.5, 1.0))
    assert slow.decode.single_session_tokens_per_s < fast.decode.single_session_tokens_per_s
    alone = run(Scenario("geforce-rtx-5090", ModelRef("gpt-oss-20b")), library()).setup
    assert changed(alone, "link", 1.2) is None
