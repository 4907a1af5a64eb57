"""Where each figure comes from: nothing of a file is left out, nothing is made up."""

import doctest

import msgspec
import pytest

from ourmodels_gui.library import provenance
from ourmodels_gui.library.audit import conflicts, count
from ourmodels_gui.library.audit_page import audit_page
from ourmodels_gui.library.check import evidence_of
from ourmodels_gui.library.load import load
from ourmodels_gui.library.provenance import as_text, of_machine, of_model
from ourmodels_gui.paths import catalog
from ourmodels_gui.units import Separators


@pytest.fixture(scope="module")
def library():
    return load(catalog())


def test_the_examples_of_the_docstrings_come_out():
    assert doctest.testmod(provenance).failed == 0


def test_every_figure_of_every_machine_is_told_with_a_source_that_exists(library):
    for entry in library.machines.values():
        own = next(size for size in entry.record.configurations if size.id == entry.id)
        whole = msgspec.structs.replace(
            entry.record,
            memory=own.memory or entry.record.memory,
            configurations=(msgspec.structs.replace(own, memory=None),),
        )
        told = of_machine(entry, library.sources)
        assert len(told.rows) == len(list(evidence_of(whole)))
        titles = {source.title for source in library.sources.values()}
        for row in told.rows:
            assert row.source in titles, (entry.id, row)
            assert row.basis and row.value and row.place, (entry.id, row)
        assert told.conflicts == entry.record.conflicts


def test_every_sourced_fact_of_every_model_is_told(library):
    for entry in library.models.values():
        told = of_model(entry, library.sources)
        sourced = [row for row in told.rows if row.place]
        assert len(sourced) >= len(entry.record.sources) - 1, entry.id
        assert f"This model is {entry.record.audit.status}." in told.notes
        for missing in entry.record.audit.missing:
            assert any(missing in note for note in told.notes)


def test_a_figure_of_the_catalog_is_told_as_its_file_has_it(library):
    told = of_machine(library.machines["geforce-rtx-5090"], library.sources)
    (row,) = [row for row in told.rows if row.name == "bandwidth"]
    assert (row.value, row.unit, row.basis) == ("1792", "GB/s", "published")
    assert "TweakTown" in row.source
    assert row.where == "512 bit, 1792 GB/s"
    assert row.read == library.sources["tweaktown-rtx50"].read
    assert len(row.also) == 4


def test_the_text_to_copy_holds_every_figure_and_conflict(library):
    told = of_machine(library.machines["geforce-rtx-5090"], library.sources)
    text = as_text(told)
    for row in told.rows:
        assert f"{row.name}: {row.value}" in text
        assert row.place in text
    assert all(sentence in text for sentence in told.conflicts)


def test_a_machine_of_ones_own_without_sources_says_whose_it_is(library):
    shipped = library.machines["geforce-rtx-5090"]
    memory = msgspec.structs.replace(
        shipped.record.memory,
        bandwidth=msgspec.structs.replace(shipped.record.memory.bandwidth, source="", also=()),
    )
    record = msgspec.structs.replace(shipped.record, memory=memory)
    own = msgspec.structs.replace(shipped, record=record, yours=True)
    (row,) = [row for row in of_machine(own, library.sources).rows if row.name == "bandwidth"]
    assert (row.source, row.basis) == ("your own file", "")


def test_the_audit_page_counts_what_the_library_holds(library):
    page = "\n".join(audit_page(library))
    counts = count(library)
    assert f"{counts.devices} devices, {counts.configurations} configurations" in page
    assert f"{counts.models} releases, {counts.audited} of them audited" in page
    disputes = list(conflicts(library))
    assert f"Known conflicts between sources ({len(disputes)})" in page
    assert all(name in page for name, _ in disputes)
    assert ".md" not in page


def test_figures_have_the_separators_of_whoever_reads_them(library):
    machine = library.machines["geforce-rtx-5090"]
    told = of_machine(machine, library.sources, Separators(".", ","))
    assert any("," in row.value for row in told.rows)
    assert not any("." in row.value for row in told.rows if row.unit == "TFLOP/s")
    model = of_model(library.models["qwen3-8b"], library.sources, Separators(".", ","))
    counts = [row.value for row in model.rows if row.unit == "parameters"]
    assert counts and all(count.count(".") == 3 and "," not in count for count in counts)
