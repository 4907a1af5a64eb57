"""Every tab with several devices or memories: none raises, none tells the figures of one memory."""

import numpy as np
import pytest
from gui_cases import settle, whole_window

from ourmodels_gui.composed import ComposedHardware, DeviceChoice, PlacementChoice
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.tabs.cache_tab import CacheTab
from ourmodels_gui.gui.tabs.drafting import comparison_rows, needed_acceptance, rates
from ourmodels_gui.gui.tabs.speculation_tab import SpeculationTab
from ourmodels_gui.gui.tabs.traffic_tab import TrafficTab
from ourmodels_gui.library.resolve import resolve
from ourmodels_gui.scenario import (
    DraftModel,
    ModelRef,
    PrefillChoice,
    Scenario,
    SpeculationChoice,
    WorkloadChoice,
)

HOST = "amd-ryzen-9000-am5-2ch-ddr5-5600-128gb"
MOE, DENSE = ModelRef("gpt-oss-120b"), ModelRef("qwen3-32b", "q4_k_m")
DRAFT = SpeculationChoice(4, acceptance=0.7, draft=DraftModel("qwen3-0.6b", "q8_0"))
LOOKUP = SpeculationChoice(4, acceptance=0.7)


def scenario(model, kinds, speculation=None, *, batch=None, floor=5.0, **how):
    devices = tuple(DeviceChoice(name, count) for name, count in kinds)
    return Scenario(
        ComposedHardware(devices=devices, **how),
        model,
        workload=WorkloadChoice(32_000, 16_000, floor_tokens_per_s=floor, batch=batch),
        speculation=speculation,
        prefill=PrefillChoice(8192),
    )


PAIR, HYBRID = (("geforce-rtx-3090", 2),), (("geforce-rtx-5090", 1),)
UNLIKE = (("geforce-rtx-3090", 2), ("geforce-rtx-5090", 1))
H100 = (("nvidia-h100-sxm5-80gb", 8),)
PINNED = PlacementChoice(routed_experts=0.0, cache=1.0)
CASES = {
    "layers": scenario(DENSE, PAIR, link="pcie-4-x16"),
    "tensor, a draft": scenario(DENSE, PAIR, DRAFT, link="pcie-4-x16", split="tensor"),
    "unlike, a draft": scenario(DENSE, UNLIKE, DRAFT, link="pcie-4-x16"),
    "experts": scenario(MOE, H100, LOOKUP, link="nvlink-4", split="experts"),
    "hybrid": scenario(MOE, HYBRID, LOOKUP, link="pcie-5-x16", host_memory=HOST),
    "one at a time": scenario(MOE, HYBRID, host_memory=HOST, pools="sequential"),
    "pinned": scenario(MOE, HYBRID, link="pcie-5-x16", host_memory=HOST, placement=PINNED),
    "forced": scenario(MOE, HYBRID, batch=3, host_memory=HOST),
    "too many forced": scenario(MOE, HYBRID, batch=9000, host_memory=HOST),
    "nothing serves": scenario(MOE, HYBRID, floor=9000, host_memory=HOST),
    "too large": scenario(ModelRef("deepseek-v3"), HYBRID, link=10.0, host_memory=HOST),
    "an unknown part": scenario(MOE, (("gone-by-now", 2),), link=10.0),
}


@pytest.fixture
def window(qtbot, theme, tmp_path, monkeypatch):
    return whole_window(qtbot, theme, tmp_path, monkeypatch)


def test_every_tab_takes_every_composition(window, qtbot):
    """Nothing raises and Qt warns of nothing; each tab is drawn with each of them, and once more
    with one machine after it."""
    start = window._store.scenario
    tabs = window._tab_widget
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        qtbot.waitUntil(lambda: window.shown_tab._view is not None)
        for case in (*CASES.values(), start):
            window._store.open(case)
            settle(window, qtbot)
            qtbot.waitUntil(lambda: window.shown_tab._waiting is None)
            assert not window.shown_tab.grab().isNull()
            assert bool(window.bar.said) == (case is CASES["an unknown part"])


@pytest.fixture
def boards(qtbot):
    made = TrafficTab()
    qtbot.addWidget(made)
    made.resize(870, 420)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_the_boards_say_why_they_are_not_there(boards, library):
    for name in ("layers", "tensor, a draft", "hybrid", "too large"):
        boards.present(run(CASES[name], library))
        assert boards.inside.isHidden()
        assert boards.instead.isVisible()
        assert "one memory" in boards.instead.text()
        assert not boards.is_moving
    boards.present(run(Scenario("geforce-rtx-5090", ModelRef("qwen3-8b")), library))
    assert boards.inside.isVisible()
    assert boards.instead.isHidden()


@pytest.mark.parametrize("name", ["tensor, a draft", "unlike, a draft", "experts", "hybrid"])
def test_speculation_is_compared_under_the_same_way(name, library):
    found = run(CASES[name], library)
    decode = found.result.decode
    best = np.array([decode.best_batch])
    with_draft, without = rates(found.setup, best)
    assert with_draft[0] == pytest.approx(decode.aggregate_tokens_per_s)
    told = decode.speculation
    for batch, acceptance, note in (
        (1, told.break_even_acceptance_at_1, told.note_at_1),
        (decode.best_batch, told.break_even_acceptance_at_best, told.note_at_best),
    ):
        needed = float(needed_acceptance(found.setup, np.array([batch]))[0])
        if acceptance is not None:
            assert needed == pytest.approx(acceptance)
        else:
            assert needed == 0.0 if "never loses" in note else np.isnan(needed)
    assert without[0] > 0


def test_the_comparison_ends_where_unlike_memories_do(qtbot, library):
    found = run(CASES["hybrid"], library)
    rows, marked = comparison_rows(found)
    batches = [row[0].value for row in rows]
    assert max(batches) == found.result.decode.memory_batch
    assert [batches[row] for row in marked] == [found.result.decode.best_batch]
    assert not any("nan" in cell.text for row in rows for cell in row)
    tab = SpeculationTab()
    qtbot.addWidget(tab)
    with qtbot.waitExposed(tab):
        tab.show()
    tab.present(found)
    beyond = tab.plot.reading_at(4 * max(batches))
    assert beyond.rows == (("fits", "no"),)
    assert tab.plot.reading_at(1).rows[0][0] == "with a draft"


def test_the_longest_context_is_told_only_where_all_memory_counts(qtbot, library):
    tab = CacheTab(lambda scenario: resolve(scenario, library))
    qtbot.addWidget(tab)
    with qtbot.waitExposed(tab):
        tab.show()
    tab.present(run(CASES["layers"], library))
    assert tab.growth.text().startswith("One session fits up to a context of")
    tab.present(run(CASES["pinned"], library))
    assert "depends on what lies where" in tab.growth.text()
    assert tab.reserve.isHidden()


@pytest.mark.parametrize("name", ["tensor, a draft", "hybrid", "pinned"])
def test_formats_of_the_cache_are_told_for_the_composition(name, qtbot, library):
    found = run(CASES[name], library)
    tab = CacheTab(lambda scenario: resolve(scenario, library))
    qtbot.addWidget(tab)
    with qtbot.waitExposed(tab):
        tab.show()
    tab.present(found)
    used = next(button for button in tab.formats if button.isChecked())
    assert f"{found.result.decode.memory_batch:,} fit" in used.text()
