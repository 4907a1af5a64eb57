"""Marks and their comparison: curves, the best cell, ratios, crossings, too few and too many."""

import msgspec
import numpy as np
import pytest
from gui_cases import preferences
from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication, QImage, QKeySequence, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog, QMessageBox, QTabWidget

from ourmodels_gui.app import build
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.plots import pictures
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.ranking.compare_tab import CompareTab
from ourmodels_gui.gui.ranking.find_tab import FindTab
from ourmodels_gui.gui.ranking.heat_map import HeatMap
from ourmodels_gui.gui.ranking.rank_tab import RankTab
from ourmodels_gui.gui.ranking.tray import Mark, Tray, mark_of, names_of, opening
from ourmodels_gui.gui.report.dialog import ReportDialog
from ourmodels_gui.ranking.comparison import Side, compare
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario, WorkloadChoice

TIMES = "\u00d7"
SCENARIO = Scenario(
    "geforce-rtx-4090",
    ModelRef("gpt-oss-20b"),
    workload=WorkloadChoice(reserved_context_tokens=16_000, read_context_tokens=8000),
    prefill=PrefillChoice(),
)
PAIRS = (
    Mark("geforce-rtx-4090", ModelRef("gpt-oss-20b")),
    Mark("geforce-rtx-5090", ModelRef("gpt-oss-20b")),
    Mark("geforce-rtx-4090", ModelRef("qwen3-8b", "q4_k_m")),
)


class Bench:
    def __init__(self, qtbot, folder, library):
        self.library = library
        self.preferences = Preferences(folder)
        self.tray = Tray()
        self.tab = CompareTab(lambda: self.library, self.preferences, self.tray)
        self.preferences.setParent(self.tab)
        self.tray.setParent(self.tab)
        qtbot.addWidget(self.tab)
        self.tab.resize(900, 520)
        self.tab.show()

    def present(self, scenario=SCENARIO):
        self.tab.present(run(scenario, self.library))
        return self

    def mark(self, *marks):
        for mark in marks:
            self.tray.add(mark)
        return self

    def row(self, title):
        return next(row for row in self.tab.table.cells.rows if row[0].text.startswith(title))


@pytest.fixture
def bench(qtbot, tmp_path, library):
    return Bench(qtbot, tmp_path, library)


def test_the_whole_of_a_cell_is_on_hover_beside_its_hint(bench):
    bench.present().mark(*PAIRS)
    cells = bench.tab.table.cells
    for row in range(cells.rowCount()):
        for column in range(cells.columnCount()):
            index = cells.index(row, column)
            hint = index.data(Qt.ItemDataRole.ToolTipRole)
            assert index.data() in hint and cells.shown(row, column).hint in hint


def test_too_few_marks_say_how_to_mark(bench):
    bench.present()
    assert "Ctrl+T" in bench.tab.words.text() and bench.tab._body.isHidden()
    bench.mark(PAIRS[0])
    assert "One is marked: GeForce RTX 4090" in bench.tab.words.text()
    bench.mark(PAIRS[1])
    assert bench.tab.words.isHidden() and not bench.tab._body.isHidden()


def test_figures_are_those_of_each_evaluation_with_the_best_marked(bench):
    bench.present().mark(*PAIRS)
    results = [
        run(
            msgspec.structs.replace(SCENARIO, hardware=mark.hardware, model=mark.model),
            bench.library,
        ).result.decode
        for mark in PAIRS
    ]
    row = bench.row("Best batch")
    best = max(result.best_batch for result in results)
    for cell, result in zip(row[1:], results, strict=True):
        assert cell.text.split()[0] == f"{result.best_batch:,}"
        assert cell.bold == ("✓" in cell.text) == (result.best_batch == best)


def test_ratios_refer_to_the_side_that_is_chosen(bench):
    bench.present().mark(*PAIRS[:2])
    assert TIMES not in bench.row("Single session")[1].text
    assert TIMES in bench.row("Single session")[2].text
    bench.tab.baseline.setCurrentIndex(1)
    bench.tab.baseline.activated.emit(1)
    first, second = bench.row("Single session")[1:]
    assert TIMES in first.text and TIMES not in second.text
    assert "times GeForce RTX 5090" in first.hint


def test_differences_alone_are_fewer_rows(bench):
    bench.present().mark(*PAIRS[:2])
    whole = len(bench.tab.table.cells.rows)
    bench.tab.differences.setChecked(True)
    assert 0 < len(bench.tab.table.cells.rows) < whole
    assert not any(row[0].text == "Resident weights, GB" for row in bench.tab.table.cells.rows)


def test_crossings_stand_in_words(bench):
    bench.present().mark(*PAIRS)
    evaluations = [
        run(
            msgspec.structs.replace(SCENARIO, hardware=mark.hardware, model=mark.model),
            bench.library,
        )
        for mark in PAIRS
    ]
    names = names_of(PAIRS, bench.library)
    sides = [Side(name, found) for name, found in zip(names, evaluations, strict=True)]
    assert bench.tab.said.text().splitlines() == list(compare(sides).crossings) != []


def test_curves_follow_the_workload_of_the_scenario(bench):
    bench.present().mark(*PAIRS[:2])
    plot = bench.tab.plot
    before = plot._lines[0].getData()[1].copy()
    workload = WorkloadChoice(reserved_context_tokens=64_000, read_context_tokens=60_000)
    bench.present(msgspec.structs.replace(SCENARIO, workload=workload))
    after = plot._lines[0].getData()[1]
    assert after[0] < before[0]
    assert plot._lines[0].name_text == "GeForce RTX 4090" and plot._lines[2].name_text == ""
    plot.point_at(2.0)
    assert [label for label, _ in plot.reading.rows] == ["GeForce RTX 4090", "GeForce RTX 5090"]


def test_a_hundred_marks_compare_the_first_and_say_so(bench):
    machines = list(bench.library.machines)[:100]
    bench.mark(*(Mark(machine, ModelRef("gpt-oss-20b")) for machine in machines)).present()
    assert len(bench.tray.marks) == 100
    assert "100 are marked and a comparison takes 2 to 6" in bench.tab.words.text()
    assert len(bench.tab.comparison.names) == 6
    bench.tab._fill_marks()
    assert len(bench.tab.marks_menu.actions()) == 102


def test_a_mark_that_cannot_be_evaluated_is_named_and_the_others_compared(bench):
    bench.mark(PAIRS[0], Mark("gone", ModelRef("gpt-oss-20b")), PAIRS[1]).present()
    assert "gone" in bench.tab.words.text() and len(bench.tab.comparison.names) == 2


def test_models_that_do_not_fit_leave_a_sentence_in_the_plot(bench):
    bench.mark(
        *(
            Mark(machine, ModelRef("llama-3.3-70b-instruct", "bf16"))
            for machine in ("geforce-rtx-4090", "geforce-rtx-5090")
        )
    ).present()
    assert "In none of these does a session fit" in bench.tab.plot.accessibleDescription()
    verdict = bench.row("Verdict")[1]
    assert (verdict.text, verdict.hint) == ("does not fit", "model does not fit")


def test_nothing_is_compared_while_the_tab_is_hidden(bench):
    bench.tab.hide()
    bench.mark(*PAIRS).present()
    assert bench.tab.comparison is None
    bench.tab.show()
    assert len(bench.tab.comparison.names) == 3


def test_marks_are_dropped_one_by_one_and_at_once(bench):
    bench.present().mark(*PAIRS)
    bench.tab._fill_marks()
    bench.tab.marks_menu.actions()[0].trigger()
    assert bench.tray.marks == PAIRS[1:]
    bench.tab._fill_marks()
    bench.tab.marks_menu.actions()[-1].trigger()
    assert bench.tray.marks == () and "Nothing" in bench.tray.said()


def test_the_pair_in_sight_is_marked_by_its_button(bench):
    bench.present()
    bench.tab.add.click()
    bench.tab.add.click()
    assert bench.tray.marks == (mark_of(SCENARIO),)


def test_names_leave_out_what_is_alike(bench):
    library = bench.library
    assert names_of(PAIRS[:2], library) == ("GeForce RTX 4090", "GeForce RTX 5090")
    formats = tuple(Mark("geforce-rtx-4090", ModelRef("qwen3-8b", f)) for f in ("q8_0", "q4_k_m"))
    names = names_of(formats, library)
    assert names[0].endswith("q8_0") and names[1].endswith("q4_k_m")
    twice = names_of((PAIRS[0], PAIRS[0]), library)
    assert len(set(twice)) == 2


def test_another_format_of_a_pair_is_a_mark_of_its_own_that_toggling_drops_as_well():
    tray = Tray()
    one, other = (Mark("a", ModelRef("b", weights)) for weights in ("q8_0", "q4_k_m"))
    tray.add(one)
    tray.add(other)
    assert tray.marks == (one, other) and tray.holds(Mark("a", ModelRef("b")))
    tray.toggle(one)
    assert tray.marks == ()


def test_opening_replaces_a_model_that_is_written_out():
    wanted = Scenario("a", ModelRef("b", "q8_0"))
    plain = Scenario("c", ModelRef("d"))
    keys = {"hardware": "a", "model.id": "b", "model.weights": "q8_0"}
    assert opening(wanted, plain) == keys
    own = Scenario("c", ModelRef("d", record={"id": "d"}))
    assert opening(wanted, own) == {"hardware": "a", "model": ModelRef("b", "q8_0")}


def test_a_plot_becomes_png_and_svg_with_its_words(bench, tmp_path, monkeypatch):
    bench.present().mark(*PAIRS)
    plot = bench.tab.picture()
    image = QImage.fromData(pictures.to_png(plot))
    assert image.size() == plot.size() * pictures.SCALE
    colours = {
        image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)
    }
    assert len(colours) > 20
    svg = pictures.to_svg(plot)
    assert b"GeForce RTX 5090" in svg and b"sessions at once" in svg
    drawn = QSvgRenderer(QByteArray(svg))
    assert drawn.isValid()
    copy = QImage(plot.size(), QImage.Format.Format_RGB32)
    copy.fill(Qt.GlobalColor.black)
    painter = QPainter(copy)
    drawn.render(painter)
    painter.end()
    assert copy.pixelColor(3, 3).lightness() > 200
    path = tmp_path / "plot"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "SVG (*.svg)"))
    pictures.save_picture(plot)
    assert (tmp_path / "plot.svg").read_bytes() == svg


def test_a_painted_widget_becomes_a_picture_as_well(qtbot):
    heat = HeatMap()
    qtbot.addWidget(heat)
    heat.resize(60, 40)
    content = QByteArray(pictures.to_png(heat))
    buffer = QBuffer(content)
    assert QImage.fromData(buffer.data()).width() == 60 * pictures.SCALE
    assert pictures.to_svg(heat).startswith(b"<?xml")


def test_tables_are_saved_by_the_ending_of_the_file(bench, tmp_path, monkeypatch):
    bench.present().mark(*PAIRS)
    for name, start in (("a.md", "| Figure |"), ("a.json", "["), ("a.csv", "figure,")):
        path = tmp_path / name
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, p=path: (str(p), ""))
        bench.tab.export.save()
        assert path.read_text(encoding="utf-8").startswith(start)
    bench.tab.export.copy("Markdown")
    assert "Best batch" in QGuiApplication.clipboard().text()


def test_the_menu_offers_the_report_of_what_is_compared(bench, qtbot):
    bench.present()
    menu = bench.tab.export.menu_of_forms
    menu.aboutToShow.emit()
    report = menu.actions()[0]
    assert report.text().startswith("Report\u2026") and not report.isEnabled()
    bench.mark(*PAIRS)
    menu.aboutToShow.emit()
    assert report.isEnabled()
    with qtbot.waitSignal(bench.tab.report_asked):
        report.trigger()


def test_six_sides_stand_whole_beside_their_figures(bench, library):
    cards = ("3060-12gb", "3090", "4070", "4080", "4090", "5090")
    bench.present().mark(*(Mark(f"geforce-rtx-{card}", ModelRef("gpt-oss-20b")) for card in cards))
    bench.tab.resize(858, 460)  # of a window of 1280 x 800
    table = bench.tab.table
    assert bench.tab._body.orientation() == Qt.Orientation.Vertical
    assert len(bench.tab.comparison.names) == 6
    assert table.whole_px <= table.width() and not table.horizontalScrollBar().isVisible()
    metrics = QFontMetrics(table.horizontalHeader().font())
    for column, name in enumerate(bench.tab.comparison.names, 1):
        shown = table.cells.headerData(column, Qt.Orientation.Horizontal)
        assert shown.replace("\n", " ") == name
        room = table.columnWidth(column)
        assert all(metrics.horizontalAdvance(line) <= room for line in shown.split("\n"))
    bench.tab.resize(1500, 700)
    assert bench.tab._body.orientation() == Qt.Orientation.Horizontal


def test_the_label_of_a_curve_of_one_session_is_whole(bench, qtbot):
    bench.present().mark(*PAIRS)
    plot = bench.tab.plot
    line = plot._lines[0]
    line.show_values(np.array([1.0]), np.array([100.0]), "A name that is longer than a little")
    plot.place_labels()
    assert line.label.isVisible()
    left = plot.box.sceneBoundingRect().left()
    at = plot.box.mapViewToScene(line.label.pos()).x()
    assert at - line.label.anchor.x() * line.label.boundingRect().width() >= left - 1


def test_a_file_that_cannot_be_written_is_told(bench, tmp_path, monkeypatch):
    bench.present().mark(*PAIRS)
    told = []
    monkeypatch.setattr(QMessageBox, "warning", lambda *given: told.append(given[-1]))
    path = tmp_path / "no" / "folder" / "a.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    bench.tab.export.save()
    assert "cannot be written" in told[0] and str(path) in told[0]


def title_of_the_report(window, qtbot):
    window.menus.report.emit()
    dialog = window.findChild(ReportDialog)
    qtbot.waitUntil(lambda: bool(dialog.title.placeholderText()), timeout=20_000)
    title = dialog.title.placeholderText()
    dialog.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return title


def test_the_window_marks_what_is_in_sight_and_compares_it(qtbot, theme, tmp_path, monkeypatch):
    monkeypatch.setenv("OURMODELS_HOME", str(tmp_path))
    window = build(theme, preferences(tmp_path))
    monkeypatch.setattr(window.document, "may_leave", lambda: True)
    qtbot.addWidget(window)
    window.show()
    (mark,) = (
        action
        for action in window.findChildren(QAction)
        if action.shortcut() == QKeySequence("Ctrl+T")
    )
    mark.trigger()
    assert window.statusBar().currentMessage() == "1 marked for comparison"
    window.machines.picked.emit("geforce-rtx-4090")
    mark.trigger()
    tabs = window.findChild(QTabWidget)
    titles = [tabs.tabText(place) for place in range(tabs.count())]
    assert titles[5:8] == ["Rank", "Find", "Compare"]
    for title, kind in (("Rank", RankTab), ("Find", FindTab), ("Compare", CompareTab)):
        tabs.setCurrentIndex(titles.index(title))
        qtbot.waitUntil(lambda kind=kind: bool(window.findChildren(kind)), timeout=20_000)
    shown = window.findChild(CompareTab)
    qtbot.waitUntil(lambda: shown.comparison is not None)
    assert shown.comparison.names == ("GeForce RTX 5090", "GeForce RTX 4090")
    compared = window.shown_tab.subject()
    assert [one.hardware for one in compared] == ["geforce-rtx-5090", "geforce-rtx-4090"]
    assert title_of_the_report(window, qtbot).startswith("2 ways to serve")
    tabs.setCurrentIndex(titles.index("Find"))
    find = window.findChild(FindTab)
    qtbot.waitUntil(lambda: find.found is not None, timeout=20_000)
    assert window.shown_tab.subject() == find.form.needs()
    assert title_of_the_report(window, qtbot).startswith("Machines for")
    tabs.setCurrentIndex(titles.index("Rank"))
    assert window.shown_tab.subject() is None
    window.findChild(RankTab)._choose({"sort": "watts"})
    assert window.preferences.settings.rank.sort == "watts"
