"""The dialog of this computer: found, chosen or saved, measured and stopped."""

import pytest

from ourmodels_gui.gui.own import this_machine
from ourmodels_gui.gui.own.this_machine import ThisMachine, start_of
from ourmodels_gui.probe.bandwidth import Bandwidth, Passes
from ourmodels_gui.probe.found import Computer, Gpu, Module

GIB = 2.0**30
MODULES = tuple(
    Module(16 * GIB, "DDR5", 5600.0, bank=f"P0 CHANNEL {letter}", bits=64) for letter in "AB"
)
DESKTOP = Computer(
    "Linux",
    cpu="AMD Ryzen 9 7950X",
    cores=16,
    memory_bytes=32 * GIB,
    cache_bytes=64e6,
    modules=MODULES,
    gpus=(Gpu("NVIDIA GeForce RTX 4090", 23.99 * GIB),),
    unread=("the colour of its case",),
)


@pytest.fixture
def dialog(library, qtbot):
    made = ThisMachine(library, probe_=lambda: DESKTOP)
    qtbot.addWidget(made)
    qtbot.waitUntil(lambda: made.list.count() > 0)
    yield made
    made.reject()


def test_it_shows_what_was_found_and_what_was_not_guessed(dialog):
    assert "AMD Ryzen 9 7950X" in dialog.found.text()
    assert "geforce-rtx-4090" in dialog.list.item(0).text()
    assert "the colour of its case" in dialog.refused.text()
    assert "slots" in dialog.refused.text()


def test_a_matched_machine_can_be_chosen(dialog, qtbot):
    dialog.list.setCurrentRow(0)
    with qtbot.waitSignal(dialog.chosen) as caught:
        dialog.use_button.click()
    assert caught.args == ["geforce-rtx-4090"]


def test_the_processor_can_only_be_saved_and_starts_from_what_was_read(dialog, qtbot, library):
    dialog.list.setCurrentRow(1)
    assert not dialog.use_button.isEnabled()
    with qtbot.waitSignal(dialog.own) as caught:
        dialog.save_button.click()
    record, values = start_of(caught.args[0], library)
    assert values == {} and record.memory.bandwidth.value == pytest.approx(89.6)


def test_an_unknown_bandwidth_is_left_empty_in_the_editor(library):
    from ourmodels_gui.probe import candidates  # noqa: PLC0415

    blind = Computer("Linux", cpu="AMD EPYC", memory_bytes=24 * GIB)
    record, values = start_of(candidates(blind, library)[0], library)
    assert record is None
    assert values["capacity"] == 24 and "memory.bandwidth" not in values


def test_a_copy_of_a_catalog_machine_keeps_its_figures(dialog, library):
    record, _ = start_of(dialog._candidates[0], library)
    original = library.machines["geforce-rtx-4090"].record
    assert record.memory == original.memory and record.compute == original.compute
    assert record.name.endswith("this machine")


def test_the_measurement_goes_with_the_machine_that_it_is_of(dialog, qtbot, monkeypatch):
    measured = Bandwidth(16, (Passes(2**30, (60e9, 70e9)),))

    def quick(*_given, tell, **_options):
        tell(measured, 0.5)
        return measured

    monkeypatch.setattr(this_machine, "measure", quick)
    with qtbot.waitSignal(dialog._measurer.done):
        dialog.measure_button.click()
    assert "70.0 GB/s sustained by 16 threads" in dialog.sustained.text()
    assert "estimates, no bounds" in dialog.sustained.text()
    dialog.list.setCurrentRow(1)
    with qtbot.waitSignal(dialog.own) as caught:
        dialog.save_button.click()
    assert caught.args[1] is measured


def test_a_read_of_main_memory_says_nothing_of_a_card(dialog, qtbot):
    dialog.bandwidth = Bandwidth(16, (Passes(2**30, (70e9,)),))
    dialog.list.setCurrentRow(0)
    with qtbot.waitSignal(dialog.own) as caught:
        dialog.save_button.click()
    assert caught.args[1] is None


def test_the_measurement_can_be_stopped(dialog, qtbot, monkeypatch):
    def endless(*_given, stop, **_options):
        while not stop():
            pass

    monkeypatch.setattr(this_machine, "measure", endless)
    dialog.measure_button.click()
    assert dialog.measure_button.text() == "Stop"
    dialog.measure_button.click()
    assert dialog.measure_button.text() == "Measure the memory"
    assert dialog.bandwidth is None


def test_no_room_for_the_measurement_is_told(dialog, qtbot, monkeypatch):
    def full(*_given, **_options):
        raise MemoryError

    monkeypatch.setattr(this_machine, "measure", full)
    with qtbot.waitSignal(dialog._measurer.failed):
        dialog.measure_button.click()
    assert "no room" in dialog.trouble.text()
