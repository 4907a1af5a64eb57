"""The ways of using the memories side by side: figures of the engine, and a click that chooses."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from ourmodels_gui.composed import ComposedHardware, DeviceChoice
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.answered.questions import card_texts
from ourmodels_gui.gui.asked.assembly import Assembly
from ourmodels_gui.gui.tabs.batches import batch_rows
from ourmodels_gui.gui.tabs.decode_tab import DecodeTab
from ourmodels_gui.gui.tabs.ways import way_rows, ways
from ourmodels_gui.gui.telling import told
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice, edited
from ourmodels_gui.units import rate

HOST = "amd-ryzen-9000-am5-2ch-ddr5-5600-128gb"
MOE, DENSE = ModelRef("gpt-oss-120b"), ModelRef("qwen3-32b", "q4_k_m")
WORK = WorkloadChoice(32_000, 16_000, floor_tokens_per_s=5)


def scenario(model=DENSE, kinds=(("geforce-rtx-3090", 2),), **how):
    devices = tuple(DeviceChoice(name, count) for name, count in kinds)
    return Scenario(ComposedHardware(devices=devices, **how), model, workload=WORK)


CASES = {
    "two cards": scenario(link="pcie-4-x16"),
    "two cards, tensor": scenario(link="pcie-4-x16", split="tensor"),
    "two cards, groups": scenario(link="pcie-4-x16", groups=2),
    "sparks": scenario(MOE, (("nvidia-dgx-spark-gb10", 2),), link="ethernet-200g", split="experts"),
    "unlike": scenario(kinds=(("geforce-rtx-3090", 2), ("geforce-rtx-5090", 1)), link="pcie-4-x16"),
    "hybrid": scenario(MOE, (("geforce-rtx-5090", 1),), link="pcie-5-x16", host_memory=HOST),
    "hybrid without a link": scenario(MOE, (("geforce-rtx-5090", 1),), host_memory=HOST),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_chosen_way_gives_the_figures_of_its_row(case, library):
    """Whatever row is chosen, the whole window then has the figures that stood in it."""
    found = run(case, library)
    offered = ways(found)
    assert [way.in_use for way in offered].count(True) == 1
    names = [way.figures.name for way in offered]
    assert len(set(names)) == len(names)
    for way in offered:
        changes = Assembly(case.hardware, library).whole(way.changes)
        after = run(edited(case, changes), library)
        told = {one.name: one for one in after.result.placement.policies}
        assert told[way.figures.name] == way.figures
        assert {one.figures.name for one in ways(after)} >= set(names) - {"layer split, 2 groups"}
        if way.figures.kind != "policy ceiling":
            assert after.result.placement.policy == way.figures.name


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_order_stays_whatever_is_in_use(case, library):
    before = [way.figures.name for way in ways(run(case, library))]
    for way in ways(run(case, library)):
        changes = Assembly(case.hardware, library).whole(way.changes)
        after = [one.figures.name for one in ways(run(edited(case, changes), library))]
        kept = [name for name in before if name in after]
        assert kept == [name for name in after if name in before]


def test_equal_cards_can_be_split_in_every_way_that_the_model_has(library):
    dense = [way.figures.name for way in ways(run(CASES["two cards"], library))]
    assert not [name for name in dense if name.startswith("experts")]
    sparks = [way.figures.name for way in ways(run(CASES["sparks"], library))]
    assert [name.split(",")[0] for name in sparks] == [
        *("tensor split", "tensor split"),
        *("layer split", "layer split"),
        *("experts divided", "experts divided"),
    ]


def test_streaming_needs_a_link(library):
    names = [way.figures.name for way in ways(run(CASES["hybrid without a link"], library))]
    assert names == ["all pools at once", "one pool at a time"]


def test_one_machine_has_no_choice(library):
    assert ways(run(Scenario("geforce-rtx-3090", DENSE), library)) == []


def test_rows_say_kind_figures_and_what_binds(library):
    found = run(CASES["hybrid"], library)
    rows, marked = way_rows(found, ways(found))
    decode = found.result.decode
    assert marked == {0}
    first = [cell.value if cell.value is not None else cell.text for cell in rows[0]]
    assert first == [
        "all pools at once",
        "estimate",
        decode.best_batch,
        decode.aggregate_tokens_per_s,
        decode.per_session_tokens_per_s,
        decode.single_session_tokens_per_s,
        "system memory",
    ]
    assert [row[6].text for row in rows][2] == "link to the system memory"


def test_what_does_not_serve_says_why(library):
    strict = msgspec.structs.replace(
        CASES["hybrid"], workload=WorkloadChoice(32_000, 16_000, floor_tokens_per_s=5000)
    )
    found = run(strict, library)
    rows, _ = way_rows(found, ways(found))
    assert {row[6].text for row in rows} == {"below the floor"}
    assert {row[3].text for row in rows} == {"-"}


@pytest.fixture
def tab(qtbot):
    made = DecodeTab()
    qtbot.addWidget(made)
    made.resize(870, 520)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_a_click_and_enter_choose_a_way(tab, qtbot, library):
    tab.present(run(CASES["two cards"], library))
    names = [row[0].value for row in tab.ways.figures.rows]
    at = tab.ways.visualRect(tab.ways.model().index(names.index(names[0]), 0)).center()
    with qtbot.waitSignal(tab.edited) as seen:
        QTest.mouseClick(tab.ways.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert seen.args == [{"hardware.split": "tensor", "hardware.groups": None}]
    tab.ways.setFocus()
    tab.ways.setCurrentIndex(
        tab.ways.model().index(names.index("layer split, one device at a time"), 0)
    )
    with qtbot.waitSignal(tab.edited) as seen:
        QTest.keyClick(tab.ways, Qt.Key.Key_Return)
    assert seen.args == [{"hardware.split": None, "hardware.groups": 1}]


def test_the_table_takes_room_only_where_there_is_a_choice(tab, library, qtbot):
    tab.present(run(Scenario("geforce-rtx-3090", DENSE), library))
    assert tab.ways.isHidden()
    tab.present(run(CASES["two cards"], library))
    assert tab.ways.isVisible()
    qtbot.waitUntil(lambda: tab.ways.height() <= tab.ways.sizeHint().height())


def test_the_plot_marks_where_the_cache_pushes_weights_out(tab, library):
    found = run(CASES["hybrid"], library)
    pushed = found.result.placement.pushed_out_from_batch
    assert pushed is not None
    tab.present(found)
    assert tab.plot._pushed_gate.name_text == f"cache pushes weights out {pushed}"
    rows, _ = batch_rows(found)
    assert pushed in [row[0].value for row in rows]
    tab.present(run(CASES["two cards"], library))
    assert not tab.plot._pushed_gate.isVisible()


FALLING = scenario(
    ModelRef("qwen3-30b-a3b", "q8_0"),
    (("geforce-rtx-3090", 1),),
    link="pcie-4-x16",
    host_memory="amd-ryzen-5000-am4-2ch-ddr4-3200-64gb",
)


def test_where_more_are_slower_together_every_view_says_how_many_keep_the_floor(tab, library):
    found = run(FALLING, library)
    decode, own = found.result.decode, found.result.placement.in_use
    last, least = own.last_usable_batch, own.last_usable_per_session_tokens_per_s
    assert 1 == decode.best_batch < last < min(decode.memory_batch, decode.rate_limited_batch)
    serving = card_texts(found, told(found))[2]
    assert (serving.verdict, serving.unit) == (f"up to {last} sessions", "tok/s with 1")
    assert serving.why == f"{last} sessions together {rate(last * least)} tok/s, {rate(least)} each"
    why = told(found).answers[2].why
    assert f"up to {last} sessions keep the floor of 5, with {rate(last * least)} tok/s" in why
    tab.present(found)
    assert tab.plot._rate_gate.name_text == f"rate limit {last}"
    listed = [row[0].value for row in batch_rows(found)[0]]
    assert last in listed and decode.rate_limited_batch not in listed
    row = next(one for one in tab.ways.figures.rows if one[0].value == own.name)
    assert (row[2].text, row[2].value) == (f"1 \u2026 {last}", 1)
    assert told(found).row("last_usable_batch").value == last
    assert told(found).row("rate_limited_batch").label == "Rate-limited batch of all pools, b_rate"


def test_without_a_floor_the_card_says_how_many_fit(library):
    found = run(edited(FALLING, {"workload.floor_tokens_per_s": 0}), library)
    memory = found.result.decode.memory_batch
    assert found.result.placement.in_use.last_usable_batch == memory
    assert card_texts(found, told(found))[2].verdict == f"up to {memory} sessions"
    assert f"up to {memory} sessions fit, with" in told(found).answers[2].why


def test_the_plot_shades_where_the_link_limits(tab, library):
    slow = run(scenario(link=0.01, split="tensor"), library)
    assert slow.result.placement.binding.resource == "link"
    tab.present(slow)
    assert tab.plot._sending.isVisible()
    assert tab.plot.reading_at(1).rows[-1][1] == "link"
    tab.present(run(CASES["two cards, tensor"], library))
    assert not tab.plot._sending.isVisible()


def test_curves_and_readings_are_those_of_the_way_in_use(tab, library):
    for case in CASES.values():
        found = run(case, library)
        tab.present(found)
        decode = found.result.decode
        best = tab.plot.reading_at(decode.best_batch)
        assert best.dots[0][0] == pytest.approx(decode.aggregate_tokens_per_s)
        alone = tab.plot.reading_at(1)
        assert alone.dots[1][0] == pytest.approx(decode.single_session_tokens_per_s)
