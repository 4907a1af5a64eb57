"""The dialog: what is chosen, the preview, saving beside the window."""

import threading
from functools import partial

import msgspec
import pytest
from gui_cases import preferences
from PySide6.QtCore import QBuffer, QIODevice, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog, QWidget
from shiboken6 import isValid

from ourmodels_gui.gui.report import maker
from ourmodels_gui.gui.report.dialog import ReportDialog, open_report
from ourmodels_gui.report.build import build
from ourmodels_gui.report.pdf_file import scenarios
from ourmodels_gui.report.shapes import SECTIONS
from ourmodels_gui.scenario import ModelRef, Scenario, edited
from ourmodels_gui.settings import ReportChoice

LONG_MS = 20_000


@pytest.fixture
def chosen(tmp_path):
    return preferences(tmp_path / "home")


@pytest.fixture
def dialog(evaluation, library, chosen, tmp_path, monkeypatch):
    monkeypatch.setenv("OURMODELS_HOME", str(tmp_path / "home"))
    made = ReportDialog(partial(build, [evaluation]), library, chosen)
    made.show()
    yield made
    if isValid(made):
        made.reject()


def pages(dialog):
    return [label for label in dialog.preview.pages if not label.pixmap().isNull()]


def drawn(qtbot, dialog):
    """Wait until a whole preview stands there."""
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS):
        pass
    return len(pages(dialog))


def test_the_preview_shows_every_page_by_name(qtbot, dialog):
    count = drawn(qtbot, dialog)
    assert count >= 6
    assert dialog.preview.pages[1].accessibleName() == f"Page 2 of {count}"
    assert "RTX 5090" in dialog.title.placeholderText()


def test_the_preview_says_what_is_going_on_with_it(qtbot, dialog, monkeypatch, tmp_path):
    assert dialog.preview.words == "The pages are being drawn\u2026"
    count = drawn(qtbot, dialog)
    assert dialog.preview.words == "" and dialog.state.text() == f"{count} pages"
    dialog.save_as(tmp_path / "report.md")
    dialog.title.setText("Another")
    dialog._draw()
    assert dialog.state.text() == "The pages are drawn once the file is written."
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS):
        pass
    assert dialog.state.text() == "The pages are being drawn\u2026"
    drawn(qtbot, dialog)
    monkeypatch.setattr(dialog._maker, "_report", lambda options: 1 // 0)
    dialog.title.setText("A third")
    with qtbot.captureExceptions(), qtbot.waitSignal(dialog.worker.failed, timeout=LONG_MS):
        pass
    assert dialog.preview.words.startswith("The pages cannot be drawn: ")
    assert dialog.preview.pages == [] and dialog.state.text() == ""


def test_a_report_is_a_pdf_unless_another_kind_is_chosen(qtbot, dialog, monkeypatch, tmp_path):
    asked = []

    def choose(parent, title, suggestion, kinds):
        asked.append((suggestion, kinds.split(";;")))
        return str(tmp_path / "report.pdf"), "Web page (*.html)"

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS):
        dialog.save_button.click()
    suggestion, kinds = asked[0]
    assert suggestion.endswith(".pdf") and kinds[0] == "PDF document (*.pdf)" and len(kinds) == 4
    assert [path.name for path in tmp_path.glob("report.*")] == ["report.html"]


def test_fewer_sections_are_fewer_pages(qtbot, dialog):
    before = drawn(qtbot, dialog)
    for id_, box in dialog.sections.items():
        box.setChecked(id_ == "answer")
    assert drawn(qtbot, dialog) == 1 < before
    assert dialog.options().sections == {"answer"}


def test_the_answer_cannot_be_left_out(dialog):
    assert list(dialog.sections) == list(SECTIONS)
    assert not dialog.sections["answer"].isEnabled()


def offered(parent):
    (made,) = parent.findChildren(ReportDialog)
    shown = {id_ for id_, box in made.sections.items() if not box.isHidden()}
    made.reject()
    made.deleteLater()
    return set(SECTIONS) - shown


def test_only_what_has_something_to_say_is_offered(qtbot, scenario, library, chosen):
    parent = QWidget()
    qtbot.addWidget(parent)
    plain = msgspec.structs.replace(scenario, prefill=None)
    assert open_report((plain,), library, chosen, parent) == ""
    assert offered(parent) == {"placement", "prefill"}
    parent = QWidget()
    qtbot.addWidget(parent)
    pair = edited(scenario, {"hardware": "geforce-rtx-3090-x2", "prefill.prompt_tokens": 8192})
    assert open_report((plain, pair), library, chosen, parent) == ""
    assert offered(parent) == set()


def test_saving_writes_the_file_and_tells_it(qtbot, dialog, scenario, tmp_path):
    dialog.author.setText("Ann")
    path = tmp_path / "report.pdf"
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS):
        dialog.save_as(path)
        assert not dialog.save_button.isEnabled(), "one file at a time"
    assert dialog.save_button.isEnabled()
    assert scenarios(path) == (scenario,)
    assert dialog.done_line.text() == f"{path} is saved."


def test_a_failed_write_is_told_and_leaves_nothing(qtbot, dialog, tmp_path):
    path = tmp_path / "missing" / "report.md"
    with qtbot.waitSignal(dialog.worker.failed, timeout=LONG_MS):
        dialog.save_as(path)
    assert str(path) in dialog.trouble.text() and "Nothing was saved" in dialog.trouble.text()
    assert not path.parent.exists()


def test_reports_are_made_beside_the_window(qtbot, dialog, tmp_path, monkeypatch):
    """The window's thread goes on while one waits for the report."""
    drawn(qtbot, dialog)
    go_on, threads = threading.Event(), []

    def slow(report):
        threads.append(threading.current_thread())
        assert go_on.wait(10)
        return b"done"

    monkeypatch.setitem(maker.RENDERERS, ".md", slow)
    turns = []
    timer = QTimer(dialog, interval=0)
    timer.timeout.connect(lambda: turns.append(1) or (len(turns) == 20 and go_on.set()))
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS):
        dialog.save_as(tmp_path / "out.md")
        timer.start()
    timer.stop()
    assert len(turns) >= 20 and threads[0] is not threading.main_thread()


def test_closing_waits_for_the_file(dialog, tmp_path, scenario):
    path = tmp_path / "report.pdf"
    dialog.save_as(path)
    dialog.reject()
    assert scenarios(path) == (scenario,)


def test_what_is_changed_while_a_file_is_written_is_drawn_afterwards(qtbot, dialog, tmp_path):
    drawn(qtbot, dialog)
    path = tmp_path / "report.md"
    dialog.save_as(path)
    dialog.title.setText("Another")
    dialog._draw()
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS) as written:
        pass
    assert written.args == [path] and "Another" not in path.read_text("utf-8")
    assert drawn(qtbot, dialog) and dialog.done_line.text() == f"{path} is saved."


def test_a_fault_in_a_report_is_told(qtbot, dialog, tmp_path, monkeypatch):
    drawn(qtbot, dialog)
    monkeypatch.setitem(maker.RENDERERS, ".md", lambda report: 1 // 0)
    with qtbot.captureExceptions() as faults, qtbot.waitSignal(dialog.worker.failed):
        dialog.save_as(tmp_path / "report.md")
    assert faults[0][0] is ZeroDivisionError
    assert "division" in dialog.trouble.text() and not dialog.done_line.text()
    assert dialog.save_button.isEnabled()


def test_only_the_newest_preview_is_drawn(qtbot, dialog):
    drawn(qtbot, dialog)
    built = []
    original = dialog._maker._report

    def counted(options):
        built.append(options.title)
        return original(options)

    dialog._maker._report = counted
    for title in ("a", "b", "c", "d"):
        dialog.title.setText(title)
    drawn(qtbot, dialog)
    assert built == ["d"]


def test_name_paper_and_logo_are_remembered(dialog, chosen, library, evaluation, tmp_path):
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImage(20, 10, QImage.Format.Format_RGB32).save(buffer, "PNG")
    logo = tmp_path / "logo.png"
    logo.write_bytes(bytes(buffer.data().data()))
    dialog._read_logo(str(logo))
    dialog.author.setText("Ann")
    dialog.paper.setCurrentIndex(1)
    assert dialog.options().logo == logo.read_bytes()
    dialog.reject()
    assert chosen.settings.report == ReportChoice("Ann", str(logo), "letter")
    again = ReportDialog(partial(build, [evaluation]), library, chosen)
    assert again.options().logo and again.options().paper == "letter"
    logo.write_bytes(b"no picture")
    third = ReportDialog(partial(build, [evaluation]), library, chosen)
    assert not third.options().logo and "neither" in third.trouble.text()
    for made in (again, third):
        made.reject()
        made.deleteLater()


def test_a_date_only_when_asked_for(dialog):
    assert dialog.options().date == ""
    dialog.dated.setChecked(True)
    assert len(dialog.options().date) == len("2026-01-02")


def test_a_scenario_without_an_answer_says_why(qtbot, library, chosen):
    gone = Scenario("no-such-machine", ModelRef("gpt-oss-120b"))
    assert "no-such-machine" in open_report((gone,), library, chosen, None)


def test_the_scenario_in_the_report_names_the_catalog(qtbot, library, chosen, scenario, tmp_path):
    window = QWidget()
    qtbot.addWidget(window)
    assert open_report((scenario,), library, chosen, window) == ""
    dialog = window.findChild(ReportDialog)
    path = tmp_path / "report.pdf"
    with qtbot.waitSignal(dialog.worker.done, timeout=LONG_MS):
        dialog.save_as(path)
    (held,) = scenarios(path)
    assert held == msgspec.structs.replace(scenario, catalog_version=library.version)
    dialog.close()
