"""A bar for each memory of a composition, in the place of the one bar."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from ourmodels_gui.composed import ComposedHardware, DeviceChoice
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.answered.answers import AnswerPanel
from ourmodels_gui.gui.answered.pool_bars import ROW_PX, PoolBars
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice
from ourmodels_gui.summary.pool_parts import pool_parts
from ourmodels_gui.units import exact, size

HOST = "amd-ryzen-9000-am5-2ch-ddr5-5600-128gb"
MODEL = ModelRef("qwen3-235b-a22b", "q3_k_m")


@pytest.fixture
def hybrid(library):
    hardware = ComposedHardware(
        devices=(DeviceChoice("geforce-rtx-5090"),),
        host_memory=HOST,
        link="pcie-5-x16",
    )
    return run(_scenario(hardware), library)


def _scenario(hardware):
    return Scenario(hardware, MODEL, workload=WorkloadChoice(16_000, 8000, floor_tokens_per_s=5))


@pytest.fixture
def one(library):
    return run(Scenario("geforce-rtx-5090", ModelRef("qwen3-8b")), library)


@pytest.fixture
def bars(qtbot, hybrid):
    made = PoolBars()
    qtbot.addWidget(made)
    made.present(hybrid)
    made.resize(900, made.sizeHint().height())
    return made


def test_every_part_is_to_the_scale_of_its_own_memory(bars, hybrid):
    for filled, pool in zip(bars.stretches(), pool_parts(hybrid), strict=True):
        bar = filled[-1][1].right() - filled[0][1].left()
        for part, rect in filled:
            assert rect.width() == pytest.approx(bar * part.size_bytes / pool.capacity_bytes)
        assert filled[0][1].left() > 50  # the name has room


def test_a_part_says_its_bytes_on_hover(bars, qtbot):
    bars.show()
    (part, rect), *_ = bars.stretches()[1]
    at = rect.center().toPoint()
    QApplication.sendEvent(bars, QHelpEvent(QEvent.Type.ToolTip, at, bars.mapToGlobal(at)))
    assert QToolTip.text() == (
        f"{part.name}: {size(part.size_bytes)}, {exact(round(part.size_bytes))} bytes"
    )
    name = QPoint(5, ROW_PX + 5)
    QApplication.sendEvent(bars, QHelpEvent(QEvent.Type.ToolTip, name, bars.mapToGlobal(name)))
    qtbot.waitUntil(lambda: QToolTip.text() == bars.pools[1].name)
    QToolTip.hideText()


def test_the_bars_are_described_for_those_who_cannot_see_them(bars):
    said = bars.accessibleDescription()
    assert said.startswith("GeForce RTX 5090: weights ")
    assert "AMD Ryzen 9000 (AM5, 2ch DDR5-5600), 128 GB: experts " in said
    assert said.endswith(bars.said)
    assert bars.said.startswith("In the system memory: the experts of ")


def test_the_panel_shows_the_bars_only_where_there_are_several(qtbot, hybrid, one):
    panel = AnswerPanel()
    qtbot.addWidget(panel)
    panel.present(one)
    assert panel.pools.isHidden()
    assert not panel.memory.isHidden()
    panel.present(hybrid)
    assert panel.memory.isHidden()
    assert not panel.pools.isHidden()
    assert not panel.grab().isNull()
    panel.present(one)
    assert panel.pools.isHidden()
    assert panel.pools.accessibleDescription() == ""


def test_a_model_that_does_not_fit_is_drawn_over_all_memory_together(qtbot, library, hybrid):
    panel = AnswerPanel()
    qtbot.addWidget(panel)
    big = _scenario(hybrid.scenario.hardware)
    big = run(Scenario(big.hardware, ModelRef("qwen3-235b-a22b", "bf16")), library)
    panel.present(big)
    assert panel.pools.isHidden()
    assert panel.memory.free_bytes < 0
