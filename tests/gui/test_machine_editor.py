"""A machine of the user's own: typed, checked at the field, written to a file, chosen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QMessageBox

from ourmodels_gui.gui.form import CAUTION
from ourmodels_gui.gui.own.machine_editor import MachineEditor
from ourmodels_gui.gui.own.machine_values import cautions, record_of, values_of
from ourmodels_gui.library.hardware import (
    Configuration,
    HardwareRecord,
    Memory,
    Price,
    machine_entries,
)
from ourmodels_gui.library.records import Figure
from ourmodels_gui.problem import BadInput

OWN = HardwareRecord(
    name="Card",
    vendor="Maker",
    kind="discrete",
    memory=Memory("GDDR7", Figure(1.792, "TB/s", source="sheet")),
    configurations=(
        Configuration("card-32", Figure(32, "GiB", source="sheet"), Figure(32, "GB")),
        Configuration("card-48", Figure(48, "GiB", source="sheet")),
    ),
    compute={"bf16_fp32acc": Figure(209.5, "TFLOP/s", source="sheet")},
    measured={"bandwidth": Figure(1500, "GB/s")},
    power=Figure(575, "W", source="sheet"),
    price=Price(1999, "USD", kind="launch"),
    notes=("kept",),
)


@pytest.fixture
def saved():
    return []


@pytest.fixture
def editor(qtbot, saved):
    made = MachineEditor("Add a machine", None, saved.append)
    qtbot.addWidget(made, before_close_func=lambda it: it.done(0))
    made.show()
    qtbot.waitExposed(made)
    return made


def fill(editor, key, text):
    group = next(group for group in editor.groups if key in group.keys)
    group.open_up()
    field = group.field(key)
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)


def press(editor, button):
    editor.findChild(QDialogButtonBox).button(button).click()


def save(editor):
    press(editor, QDialogButtonBox.StandardButton.Save)


def error_at(editor, key):
    return next(group.told(key) for group in editor.groups if key in group.keys)


def answer(monkeypatch, button):
    asked = []

    def question(*arguments):
        asked.append(arguments[2])
        return button

    monkeypatch.setattr(QMessageBox, "question", question)
    return asked


def test_a_machine_is_what_was_typed(editor, saved):
    fill(editor, "name", "My card")
    fill(editor, "capacity", "24")
    fill(editor, "memory.bandwidth", "1,008")
    fill(editor, "compute.fp16_fp32acc", "82.5")
    fill(editor, "measured.bandwidth", "930")
    fill(editor, "power", "450")
    save(editor)
    assert editor.result() == QDialog.DialogCode.Accepted
    (entry,) = machine_entries(saved[0])
    assert (entry.name, entry.vendor, entry.kind) == ("My card", "own", "discrete")
    assert entry.machine.capacity_bytes == 24 * 2**30
    assert entry.machine.bandwidth_bytes_per_s == 1008e9
    assert entry.machine.compute_flop_per_s == {"fp16_fp32acc": 82.5e12}
    assert entry.measured == {"bandwidth": 930e9}
    assert saved[0].power == Figure(450, "W")


@pytest.mark.parametrize("missing", ["name", "capacity", "memory.bandwidth"])
def test_what_is_missing_is_asked_for_at_its_field(editor, saved, missing):
    for key, text in (("name", "My card"), ("capacity", "24"), ("memory.bandwidth", "1008")):
        if key != missing:
            fill(editor, key, text)
    save(editor)
    assert saved == []
    assert editor.isVisible()
    assert "write" in error_at(editor, missing)


def test_text_that_is_no_number_keeps_the_dialog_and_the_text(editor, saved):
    fill(editor, "name", "My card")
    fill(editor, "capacity", "plenty")
    fill(editor, "memory.bandwidth", "1008")
    save(editor)
    assert saved == []
    assert "plenty" in error_at(editor, "capacity")
    assert editor.groups[0].field("capacity").text() == "plenty"
    assert editor.groups[0].field("name").text() == "My card"


def test_an_absurd_figure_is_told_at_its_field(editor, saved):
    fill(editor, "name", "My card")
    fill(editor, "capacity", "24000000000")
    fill(editor, "memory.bandwidth", "1008")
    save(editor)
    assert saved == []
    assert "range" in error_at(editor, "capacity")


def test_a_price_needs_its_currency(editor, saved):
    for key, text in (("name", "C"), ("capacity", "24"), ("memory.bandwidth", "1"), ("price", "9")):
        fill(editor, key, text)
    save(editor)
    assert saved == []
    assert "currency" in error_at(editor, "currency")


def test_a_refused_save_keeps_the_dialog_and_says_why(qtbot):
    def refuse(record):
        raise BadInput("", "the file was changed elsewhere")

    editor = MachineEditor("Edit", OWN, refuse)
    qtbot.addWidget(editor, before_close_func=lambda it: it.done(0))
    editor.show()
    save(editor)
    assert editor.isVisible()
    assert any("changed elsewhere" in label.text() for label in editor.findChildren(QLabel))


def test_closing_over_changes_asks_first(editor, monkeypatch):
    fill(editor, "name", "My card")
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    press(editor, QDialogButtonBox.StandardButton.Cancel)
    assert len(asked) == 1
    assert editor.isVisible()
    assert editor.groups[0].field("name").text() == "My card"
    answer(monkeypatch, QMessageBox.StandardButton.Discard)
    press(editor, QDialogButtonBox.StandardButton.Cancel)
    assert not editor.isVisible()


def test_closing_without_changes_asks_nothing(editor, monkeypatch):
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert asked == []
    assert not editor.isVisible()


@pytest.mark.parametrize("size", [0, 1])
def test_a_record_comes_back_from_its_fields_as_it_was(size):
    assert record_of(values_of(OWN, size), OWN, size) == OWN


def test_only_a_changed_figure_loses_its_source():
    values = {**values_of(OWN, 0), "memory.bandwidth": 1800.0}
    after = record_of(values, OWN, 0)
    assert after.memory == Memory("GDDR7", Figure(1800.0, "GB/s"))
    assert after.configurations == OWN.configurations
    assert after.compute == OWN.compute
    assert after.notes == OWN.notes


def test_a_changed_capacity_changes_its_size_alone_and_forgets_the_marketed_one():
    after = record_of({**values_of(OWN, 0), "capacity": 30}, OWN, 0)
    assert after.configurations[0] == Configuration("card-32", Figure(30, "GiB"))
    assert after.configurations[1] == OWN.configurations[1]


def test_an_emptied_rate_is_unknown_not_zero():
    values = values_of(OWN, 0)
    del values["compute.bf16_fp32acc"]
    assert record_of(values, OWN, 0).compute == {}


def test_every_shipped_machine_survives_the_editor(library):
    for entry in library.machines.values():
        sizes = [size.id for size in entry.record.configurations]
        size = sizes.index(entry.id)
        assert record_of(values_of(entry.record, size), entry.record, size) == entry.record


def test_an_odd_rate_is_a_caution_at_its_field_and_can_be_saved(editor, saved):
    fill(editor, "name", "My card")
    fill(editor, "capacity", "24")
    fill(editor, "memory.bandwidth", "1008")
    fill(editor, "compute.bf16_fp32acc", "100")
    fill(editor, "compute.fp8_fp32acc", "400")
    editor.groups[1].finish()
    assert "4 times bf16_fp32acc" in error_at(editor, "compute.fp8_fp32acc")
    assert error_at(editor, "compute.fp8_fp32acc").startswith(CAUTION)
    save(editor)
    assert saved[0].compute["fp8_fp32acc"] == Figure(400, "TFLOP/s")


def test_a_caution_goes_when_the_figure_is_corrected(editor):
    for key, text in (("name", "C"), ("capacity", "24"), ("memory.bandwidth", "1008")):
        fill(editor, key, text)
    fill(editor, "compute.bf16_fp32acc", "100")
    fill(editor, "compute.fp8_fp32acc", "400")
    editor.groups[1].finish()
    assert error_at(editor, "compute.fp8_fp32acc")
    fill(editor, "compute.fp8_fp32acc", "200")
    editor.groups[1].finish()
    assert error_at(editor, "compute.fp8_fp32acc") == ""
    assert editor._advice.isHidden()


def test_memory_in_decimal_units_is_cautioned(editor):
    fill(editor, "name", "My card")
    fill(editor, "capacity", "24")
    fill(editor, "memory.bandwidth", "1008")
    fill(editor, "memory.type", "GDDR6X")
    editor.groups[0].finish()
    editor.groups[0].edited.emit({"unit": "GB"})
    assert "GiB" in error_at(editor, "unit")


def test_shipped_machines_raise_no_caution(library):
    for entry in library.machines.values():
        sizes = [size.id for size in entry.record.configurations]
        assert cautions(entry.record, sizes.index(entry.id)) == {}, entry.id
