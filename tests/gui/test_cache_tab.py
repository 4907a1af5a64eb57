"""The cache tab: layers that add up, formats that are the engine's, a context that just fits."""

import pytest
from gui_cases import dense, evaluated, mixture
from PySide6.QtCore import Qt

from ourmodels_gui import paths
from ourmodels_gui import scenario as files
from ourmodels_gui.engine.costs import cache_alloc_bytes, cache_read_bytes
from ourmodels_gui.engine.setup import CacheLayer, Machine, ModelCosts, TypedCache
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.asked.assembly import Assembly
from ourmodels_gui.gui.tabs import cache_formats
from ourmodels_gui.gui.tabs.cache_formats import format_figures
from ourmodels_gui.gui.tabs.cache_layers import layer_rows
from ourmodels_gui.gui.tabs.cache_tab import CacheTab
from ourmodels_gui.library.encodings import CACHE_FORMATS
from ourmodels_gui.library.resolve import resolve


@pytest.fixture
def tab(qtbot, library):
    made = CacheTab(lambda scenario: resolve(scenario, library))
    qtbot.addWidget(made)
    made.resize(900, 480)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.mark.parametrize("model", [dense, mixture])
def test_the_layers_add_up_to_what_a_session_reserves_and_reads(model):
    setup = evaluated(model()).setup
    rows, marked = layer_rows(setup)
    work = setup.workload
    alloc = cache_alloc_bytes(setup.model.cache, work.reserved_context_tokens, work.cache_policy)
    read = cache_read_bytes(setup.model.cache, work.read_context_tokens)
    assert marked == {len(rows) - 1}
    for column, whole in ((3, alloc), (4, read)):
        assert sum(row[column].value for row in rows[:-1]) == pytest.approx(whole, rel=1e-12)
        assert rows[-1][column].value == pytest.approx(whole, rel=1e-12)


def test_a_window_is_reserved_and_read_no_further_than_it_goes():
    window = CacheLayer("window", 6, 1000.0, 1000.0, window_tokens=512)
    rows, _ = layer_rows(evaluated(ModelCosts(1e9, 1e9, (window,))).setup)
    assert rows[0][0].text == "window of 512"
    assert rows[0][3].value == rows[0][4].value == 6 * 512_000


def test_figures_as_typed_are_one_row():
    rows, marked = layer_rows(evaluated(ModelCosts(1e9, 1e9, TypedCache(2e9, 5e8))).setup)
    assert [cell.text for cell in rows[0]] == ["as typed", "", "", "2.0 GB", "500.0 MB"]
    assert marked == {0}


def test_each_format_is_evaluated_like_the_scenario(scenario, library):
    found = format_figures(scenario, lambda other: resolve(other, library))
    assert [figures.name for figures in found] == list(CACHE_FORMATS)
    for figures in found:
        alone = run(files.edited(scenario, {"workload.cache_format": figures.name}), library)
        assert figures.tokens_per_s == alone.result.decode.aggregate_tokens_per_s
        assert figures.sessions == alone.result.decode.memory_batch


def test_a_click_chooses_the_format(tab, evaluation, qtbot):
    tab.present(evaluation)
    assert [button.isChecked() for button in tab.formats] == [True] + [False] * 6
    eight = next(button for button in tab.formats if button.name == "q8_0")
    with qtbot.waitSignal(tab.edited) as edit:
        qtbot.mouseClick(eight, Qt.MouseButton.LeftButton)
    assert edit.args == [{"workload.cache_format": "q8_0"}]


def test_the_format_in_use_is_marked_in_words(tab, scenario, library):
    tab.present(run(files.edited(scenario, {"workload.cache_format": "fp8"}), library))
    marked = [button.name for button in tab.formats if button.text().startswith("✓ ")]
    assert marked == ["fp8"]


def test_a_typed_cache_has_no_formats_to_choose(tab, library):
    path = paths.resources() / "examples/toy-machine.ourmodels.json"
    tab.present(run(files.read_file(path), library))
    assert not any(button.isEnabled() for button in tab.formats)
    assert tab.hint.accessibleName().startswith("This model's cache is given in bytes")


def test_the_longest_context_can_be_reserved(tab, library, qtbot):
    path = paths.resources() / "examples/toy-machine.ourmodels.json"
    tab.present(run(files.read_file(path), library))
    assert tab.growth.text() == "One session fits up to a context of 400,000 tokens."
    with qtbot.waitSignal(tab.edited) as edit:
        tab.reserve.click()
    assert edit.args == [{"workload.reserved_context_tokens": 400_000}]


def test_the_limit_of_the_model_is_named_where_it_comes_first(tab):
    tab.present(evaluated(dense()))
    assert "The model's own limit comes first, at 131,072." in tab.growth.text()
    tab.present(evaluated(dense(), machine=Machine(24e9, 1e12)))
    assert tab.growth.text() == "Not even one token of context fits beside the model."
    assert tab.reserve.isHidden()


def test_a_hidden_tab_evaluates_nothing(qtbot, evaluation):
    asked = []
    hidden = CacheTab(asked.append)
    qtbot.addWidget(hidden)
    hidden.present(evaluation)
    assert asked == []
    assert hidden.layers.figures.rowCount() == 0


def test_formats_of_as_many_bytes_are_served_once(scenario, library, monkeypatch):
    served = []

    decode = cache_formats.decode
    monkeypatch.setattr(cache_formats, "decode", lambda s: served.append(s) or decode(s))
    found = {each.name: each for each in format_figures(scenario, lambda s: resolve(s, library))}
    assert len(served) < len(found)
    assert found["bf16"] == found["fp16"]._replace(name="bf16")


@pytest.mark.parametrize(
    "hardware",
    ["geforce-rtx-4090", "geforce-rtx-3090-x4", "geforce-rtx-5090-ddr5-64gb", "tesla-p40-x4"],
)
@pytest.mark.parametrize("split", [None, "tensor", "experts"])
def test_the_figures_of_the_format_in_use_are_the_answers(scenario, library, hardware, split):
    chosen = files.edited(scenario, {"hardware": hardware, "model.id": "qwen3-30b-a3b"})
    if hardware in library.compositions:
        key = Assembly(hardware, library).whole({"hardware.split": split})
        chosen = files.edited(chosen, key)
    answered = run(chosen, library)
    assert answered.result is not None, answered.problem
    figures = {each.name: each for each in format_figures(chosen, lambda s: resolve(s, library))}
    used, decode = figures["fp16"], answered.result.decode
    assert used.sessions == decode.memory_batch
    assert used.best_batch == decode.best_batch
    assert used.tokens_per_s == decode.aggregate_tokens_per_s
