"""The evidence tab: checks what is pasted or typed, shows what others reached, keeps a log."""

import json

import msgspec
import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QMessageBox

from ourmodels_gui import paths
from ourmodels_gui.composed import ComposedHardware, DeviceChoice
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.evidence import paste_box, published_page
from ourmodels_gui.gui.evidence.evidence_tab import EvidenceTab
from ourmodels_gui.gui.evidence.measurements import Measurements
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.measured import log
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice, edited, read_file

TABLE = """  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
| model                  |     size |  params | backend | ngl |  test |            t/s |
| ---------------------- | -------: | ------: | ------- | --: | ----: | -------------: |
| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B | CUDA    |  99 | pp512 | 3865.39 ± 2.40 |
| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B | CUDA    |  99 | tg128 |  111.74 ± 0.31 |
| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B |
"""
CHOSEN = Scenario("geforce-rtx-3090", ModelRef("llama-3-8b", "q4_k_m"))


@pytest.fixture
def measurements(library, tmp_path, qapp):
    made = Measurements(lambda: library, paths.catalog(), tmp_path, None)
    yield made
    made.deleteLater()


@pytest.fixture
def tab(measurements, library, qtbot):
    made = EvidenceTab(measurements)
    qtbot.addWidget(made)
    made.resize(900, 480)
    made.show()
    with qtbot.waitSignal(measurements.changed):
        made.present(run(CHOSEN, library))
    yield made


def test_runs_are_looked_for_when_what_they_are_near_to_changes(tab, library, monkeypatch):
    looked = []
    nearest = published_page.nearest_runs
    monkeypatch.setattr(
        published_page,
        "nearest_runs",
        lambda *given, **how: looked.append(1) or nearest(*given, **how),
    )
    for changes in ({"workload.floor_tokens_per_s": 3}, {"prefill.prompt_tokens": 900}):
        tab.present(run(edited(CHOSEN, changes), library))
    assert not looked
    tab.present(run(edited(CHOSEN, {"workload.batch": 4}), library))
    assert len(looked) == len(published_page.PHASES)


def paste(tab, qtbot, text):
    """Paste a text and wait until it is read."""
    mime = QMimeData()
    mime.setText(text)
    with qtbot.waitSignal(tab.input._worker.done):
        tab.input.box.insertFromMimeData(mime)


def edit(tab, **changes):
    tab.input.form.edited.emit(changes)


def figures(tab):
    return {row[0].text: row[1].text for row in tab.check.table.figures.rows}


def test_published_runs_stand_beside_the_ceiling_with_their_sources(tab):
    words = tab.published.words["decode"].text()
    assert "runs on this machine" in words and "of the ceiling" in words
    assert "fastest arithmetic mode" in tab.published._note.text()
    assert "no ceiling is multiplied" in tab.published._note.text()
    tab.published.table.selectRow(1)
    assert "read 20" in tab.published.source.text()


def test_a_pasted_table_is_read_and_what_is_missing_is_asked_for(tab, qtbot):
    paste(tab, qtbot, TABLE)
    assert "2 measurements read, 1 things not understood" in tab.input.status.text()
    assert tab.input.form.field("machine").currentText() == "GeForce RTX 3090"
    assert "llama 8B" in tab.input.form.told("model")
    assert not tab.input.log_button.isEnabled()
    assert "Still to be said: model, weights" in tab.check.words.toPlainText()
    assert "cut off" in tab.check.words.toPlainText()


PAIR = ComposedHardware(
    devices=(DeviceChoice("geforce-rtx-3090", 2),), split="tensor", link="pcie-4-x8"
)


def test_two_pasted_cards_take_their_link_from_the_scenario(tab, qtbot, library):
    tab.present(run(Scenario(PAIR, ModelRef("llama-3-8b", "q4_k_m")), library))
    first, _, rest = TABLE.partition("\n")
    paste(tab, qtbot, "\n".join((first, first.replace("Device 0", "Device 1"), rest)))
    edit(tab, model="llama-3-8b")
    assert figures(tab)["devices and pools"] == "2 devices, layer split"
    tab.input.fill_button.click()
    assert figures(tab)["devices and pools"] == "2 devices, layer split, link pcie-4-x8"


def test_a_typed_rate_is_of_the_scenarios_composition(tab, library):
    tab.present(run(Scenario(PAIR, ModelRef("llama-3-8b", "q4_k_m")), library))
    edit(tab, tokens_per_s=150.0)
    tab.input.fill_button.click()
    assert figures(tab)["devices and pools"] == "2 devices, tensor split, link pcie-4-x8"
    tab.input.log_button.click()
    assert len(tab.log._shown) == 1
    assert "used the same way" in tab.published.words["decode"].text()


def test_naming_the_model_gives_the_ceiling(tab, qtbot):
    paste(tab, qtbot, TABLE)
    edit(tab, model="llama-3-8b")
    assert figures(tab)["measured"] == "3,865 tok/s"
    assert figures(tab)["limit"] == "compute"
    assert tab.pages.currentWidget() is tab.check


def test_another_of_the_pasted_runs_can_be_chosen(tab, qtbot):
    paste(tab, qtbot, TABLE)
    tab.input.which.committed.emit("pasted-2")
    edit(tab, model="llama-3-8b")
    assert figures(tab)["measured"] == "112 tok/s"
    assert tab.published.strips["decode"]._ratio == pytest.approx(0.5516, abs=1e-3)


def test_a_typed_rate_with_the_scenarios_conditions_is_checked(tab):
    edit(tab, tokens_per_s=111.7)
    assert tab.input.form.told("machine")
    tab.input.fill_button.click()
    shown = figures(tab)
    assert shown["measured"] == "112 tok/s" and "% of the ceiling" in shown["ratio"]


def test_a_rate_above_the_ceiling_is_explained_in_words(tab):
    edit(tab, tokens_per_s=900.0)
    tab.input.fill_button.click()
    text = tab.check.words.toPlainText()
    assert "Above its ceiling" in text
    assert "tokens emitted by each iteration" in text


def test_a_value_that_no_measurement_has_is_refused_at_its_field(tab):
    edit(tab, tokens_per_s=-4.0)
    assert tab.input.form.told("tokens_per_s") == "must be above 0"
    edit(tab, acceptance=3.0)
    assert "between 0 and 1" in tab.input.form.told("acceptance")
    assert figures(tab) == {}


def test_the_conditions_edit_the_scenario_in_one_step(tab, qtbot, library):
    paste(tab, qtbot, TABLE)
    tab.input.which.committed.emit("pasted-2")
    edit(tab, model="llama-3-8b")
    with qtbot.waitSignal(tab.edited) as caught:
        tab.input.use_button.click()
    after = run(edited(CHOSEN, caught.args[0]), library)
    ceiling = float(dict((r[0].text, r[1].value) for r in tab.check.table.figures.rows)["ceiling"])
    assert after.result.decode.forced.aggregate_tokens_per_s == pytest.approx(ceiling)


def test_the_conditions_of_a_published_run_can_be_used(tab, qtbot):
    tab.published.table.selectRow(1)
    with qtbot.waitSignal(tab.edited) as caught:
        tab.published.button.click()
    assert set(caught.args[0]) >= {"hardware", "model", "workload"}


def test_what_is_logged_is_shown_kept_and_drawn(tab, qtbot, measurements, library, tmp_path):
    paste(tab, qtbot, TABLE)
    tab.input.which.committed.emit("pasted-2")
    edit(tab, model="llama-3-8b", note="driver 550")
    tab.input.log_button.click()
    assert tab.pages.currentWidget() is tab.log
    assert "driver 550" in tab.log.table.figures.rows[0][3].text
    kept = log.load(tmp_path).entries
    assert [entry.run.tokens_per_s for entry in kept] == [111.74]
    shallow = edited(CHOSEN, {"workload.read_context_tokens": 64})
    points = measurements.points(run(shallow, library))
    assert [(point.batch, point.same) for point in points] == [(1, True)]
    assert measurements.points(run(Scenario("geforce-rtx-4090", CHOSEN.model), library)) == ()


def test_the_log_is_exported_by_the_files_suffix(tab, qtbot, tmp_path):
    edit(tab, tokens_per_s=50.0)
    tab.input.fill_button.click()
    tab.input.log_button.click()
    for name, start in (("a.csv", "logged,"), ("a.md", "| logged"), ("a.json", "{"), ("b", "logg")):
        assert tab.log.export_to(tmp_path / name) == ""
        written = tmp_path / (name if "." in name else f"{name}.csv")
        assert written.read_text(encoding="utf-8").startswith(start)
    assert "cannot be written" in tab.log.export_to(tmp_path / "gone" / "a.csv")
    assert json.loads((tmp_path / "a.json").read_bytes())["entries"][0]["run"]["tokens_per_s"] == 50


def test_a_logged_measurement_is_deleted_when_that_is_confirmed(tab, monkeypatch, measurements):
    edit(tab, tokens_per_s=50.0)
    tab.input.fill_button.click()
    tab.input.log_button.click()
    tab.log.table.selectRow(0)
    monkeypatch.setattr(QMessageBox, "question", lambda *_a: QMessageBox.StandardButton.Cancel)
    tab.log.delete_button.click()
    assert len(measurements.entries) == 1
    monkeypatch.setattr(QMessageBox, "question", lambda *_a: QMessageBox.StandardButton.Discard)
    tab.log.delete_button.click()
    assert measurements.entries == ()


def test_a_million_lines_are_shown_in_part_and_read_beside_the_window(tab, qtbot):
    paste(tab, qtbot, TABLE + "waiting\n" * 1_000_000)
    assert len(tab.input.box.toPlainText()) < paste_box.SHOWN + 10
    assert tab.input.box.isReadOnly()
    assert "2 measurements read" in tab.input.status.text()
    assert "further lines were not read" in tab.check.words.toPlainText()
    tab.input.clear()
    assert not tab.input.box.isReadOnly() and tab.input.status.text() == ""


def test_a_file_is_dropped_and_a_binary_one_is_named(tab, qtbot, tmp_path):
    for name, content, said in (
        ("out.txt", TABLE.encode(), "2 measurements read"),
        ("model.bin", bytes(range(256)) * 400, "0 measurements read, 1 things"),
    ):
        (tmp_path / name).write_bytes(content)
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name))])
        with qtbot.waitSignal(tab.input._worker.done):
            tab.input.box.insertFromMimeData(mime)
        assert said in tab.input.status.text()
    assert "binary" in tab.check.words.toPlainText()


def test_a_file_that_is_gone_is_told(tab, qtbot, tmp_path):
    with qtbot.waitSignal(tab.input._worker.failed):
        tab.input.box.show_file(tmp_path / "gone.txt")
    assert "cannot be read" in tab.input.status.text()


def test_a_damaged_log_is_told_and_the_window_goes_on(library, tmp_path, qapp):
    (tmp_path / log.FILE).write_text("{", encoding="utf-8")
    made = Measurements(lambda: library, paths.catalog(), tmp_path, None)
    told = []
    made.told.connect(told.append)
    assert made.entries == () and "unread-1" in told[0]


@pytest.mark.parametrize(
    "example, share",
    [
        ("dgx-spark-gemma-4-26b-a4b-measured-16", 2),
        ("laguna-s-2.1-8k-chunk-1600-measured", 1),
    ],
)
def test_an_example_brings_its_measured_runs(example, share, tab, library, measurements):
    path = paths.resources() / "examples" / f"{example}.ourmodels.json"
    evaluation = run(read_file(path), library)
    tab.present(evaluation)
    assert len(measurements.points(evaluation)) == share
    assert all(point.same for point in measurements.points(evaluation))
    assert len(tab.log.table.figures.rows) == share
    assert tab.log.table.figures.rows[0][2].text.endswith("%")


def test_a_machine_that_the_catalog_has_lost_takes_its_runs_with_it(library, qtbot, tmp_path):
    rest = {id_: entry for id_, entry in library.machines.items() if "3090" not in id_}
    less = msgspec.structs.replace(library, machines=rest)
    made = Measurements(lambda: less, paths.catalog(), tmp_path, None)
    with qtbot.waitSignal(made.changed):
        made.published()
    runs = made.published().measured.runs.values()
    assert len(runs) > 400 and all("3090" not in one.machine for one in runs)


def test_a_scenario_with_a_problem_leaves_the_tab_standing(tab, library):
    tab.present(run(Scenario("no-such-machine", ModelRef("no-such-model")), library))
    assert "stands in the scenario alone" in tab.published.words["decode"].text()
    tab.input.fill_button.click()
    edit(tab, tokens_per_s=5.0)
    assert "machine" in tab.check.words.toPlainText()


def test_a_written_out_machine_with_a_catalog_model_is_checked_in_the_scenario(tab, library):
    box = InlineHardware(name="My box", memory_gb=64, bandwidth_gb_per_s=100)
    tab.present(run(Scenario(box, CHOSEN.model), library))
    edit(tab, tokens_per_s=10.0)
    tab.input.fill_button.click()
    shown = figures(tab)
    assert shown["limit"] == "memory" and "% of the ceiling" in shown["ratio"]


def test_forced_sessions_come_along_from_the_scenario(tab, library):
    wide = Scenario(CHOSEN.hardware, CHOSEN.model, workload=WorkloadChoice(batch=16))
    tab.present(run(wide, library))
    edit(tab, tokens_per_s=400.0)
    tab.input.fill_button.click()
    assert tab.input.form.field("batch").text() == "16"
    assert tab.input.form.field("depth_tokens").text() == "8,192"  # the longest the model has
