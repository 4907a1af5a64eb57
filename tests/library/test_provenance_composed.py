"""Sources of a composition: those of its parts under their names, and of its link."""

import pytest

from ourmodels_gui import paths
from ourmodels_gui.composed import ComposedHardware, DeviceChoice
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.library.load import load
from ourmodels_gui.library.provenance import as_text, of_machine
from ourmodels_gui.library.provenance_composed import of_composition

CARD, HOST = "geforce-rtx-5090", "amd-ryzen-9000-am5-2ch-ddr5-5600-128gb"


@pytest.fixture(scope="module")
def library():
    return load(paths.catalog())


def test_every_figure_of_each_part_is_told_once(library):
    hardware = ComposedHardware(
        devices=(DeviceChoice(CARD, 2),), link="pcie-5-x16", host_memory=HOST
    )
    told = of_composition("All of it", hardware, library)
    names = [row.name for row in told.rows]
    assert told.title == "All of it"
    for part in (CARD, HOST):
        entry = library.machines[part]
        for row in of_machine(entry, library.sources).rows:
            mine = [one for one in told.rows if one.name == f"{entry.name}: {row.name}"]
            assert [(one.value, one.source, one.basis) for one in mine].count(
                (row.value, row.source, row.basis)
            ) >= 1
    assert len(names) == 1 + sum(
        len(of_machine(library.machines[part], library.sources).rows) for part in (CARD, HOST)
    )


def test_the_link_is_told_as_its_source_prints_it(library):
    pair = (DeviceChoice("nvidia-h100-sxm5-80gb", 8),)
    told = of_composition("x", ComposedHardware(devices=pair, link="nvlink-4"), library)
    assert told.rows[0].name == "link: NVLink 4, H100 and H200, both ways together"
    assert (told.rows[0].value, told.rows[0].unit) == ("900", "GB/s")
    assert told.rows[0].source
    typed = of_composition("x", ComposedHardware(devices=pair, link=12.5), library)
    assert (typed.rows[0].value, typed.rows[0].source) == ("12.5", "typed")


def test_a_ready_one_tells_its_own_facts_and_note(library):
    ready = next(one for one in library.compositions.values() if one.record.facts)
    told = of_composition(ready.name, ready.hardware, library, ready.record)
    built = [row for row in told.rows if row.name == "how it is built"]
    assert [row.value for row in built] == [fact.text for fact in ready.record.facts]
    assert all(row.source for row in built)
    if ready.record.note:
        assert told.notes[0] == ready.record.note


def test_parts_without_sources_say_so(library):
    toy = InlineHardware(name="Toy", memory_gb=128, bandwidth_gb_per_s=800)
    hardware = ComposedHardware(
        devices=(DeviceChoice("gone-by-now"),), host_memory=toy, pools="both"
    )
    text = as_text(of_composition("x", hardware, library))
    assert "Toy: written out in the scenario, without sources" in text
    assert "gone-by-now: there is no machine" in text
