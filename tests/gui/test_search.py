"""What people type, and what it finds in the shipped catalog; facets and their counts."""

import doctest

import pytest

from ourmodels_gui.gui import choice_list
from ourmodels_gui.gui.asked import machine_rows, model_rows, search, sought_format
from ourmodels_gui.gui.asked.machine_rows import machine_row
from ourmodels_gui.gui.asked.model_rows import model_row
from ourmodels_gui.gui.asked.search import Facet, Row, counts, matching, narrowed
from ourmodels_gui.library.models import parameters


@pytest.fixture(scope="module")
def machines(library):
    return [machine_row(entry) for entry in library.machines.values()]


@pytest.fixture(scope="module")
def models(library):
    return [model_row(entry) for entry in library.models.values()]


@pytest.mark.parametrize("module", [search, machine_rows, model_rows, choice_list, sought_format])
def test_the_examples_of_the_docstrings_come_out(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("typed", ["7B", "7b", " 7b ", "7 B"])
def test_7b_finds_models_of_that_size_by_name_or_count(models, library, typed):
    found = matching(models, typed)
    assert len(found) > 10
    for row in found:
        count = parameters(library.models[row.id].record)
        assert "7b" in row.name.casefold() or "7b" in row.search.split() or 6e9 < count < 8e9
    assert not any("27b" in row.name.casefold() for row in found[:10])


@pytest.mark.parametrize("typed", ["24GB", "24 gb", "24gib", "24 GiB"])
def test_24gb_finds_machines_with_that_memory(machines, library, typed):
    found = matching(machines, typed)
    assert {"geforce-rtx-4090", "geforce-rtx-3090"} <= {row.id for row in found}
    for row in found:
        entry = library.machines[row.id]
        size = next(one for one in entry.record.configurations if one.id == row.id)
        assert 24 in (entry.memory.value, size.marketed and size.marketed.value)


@pytest.mark.parametrize(
    ("typed", "holds"),
    [
        ("128GB unified", lambda one: _holds(one, 128) and one.kind == "unified"),
        ("unified 128 gb", lambda one: _holds(one, 128) and one.kind == "unified"),
        ("24 GB nvidia", lambda one: _holds(one, 24) and one.vendor == "NVIDIA"),
        ("96gb apple", lambda one: _holds(one, 96) and one.vendor == "Apple"),
    ],
)
def test_a_size_and_a_word_are_looked_for_together(machines, library, typed, holds):
    found = {row.id for row in matching(machines, typed)}
    alone = {id_ for id_, one in library.machines.items() if holds(one)}
    assert alone and found & library.machines.keys() == alone


def _holds(entry, gb):
    """Whether a machine has so much memory, as it is sold or as it reports itself."""
    size = next(one for one in entry.record.configurations if one.id == entry.id)
    given = [size.capacity, *([size.marketed] if size.marketed else [])]
    return any(figure.value == gb and figure.unit in ("GB", "GiB") for figure in given)


def test_a_size_is_no_bandwidth(machines):
    slow = Row("slow", "A", (), "unified 16gb 128gb/s")
    assert matching([slow], "128gb") == []
    assert matching([slow], "128gb/s") == [slow]


@pytest.mark.parametrize("typed", ["4090", "rtx4090", "RTX 4090", "geforce4090"])
def test_a_card_is_found_by_its_number_and_with_words_run_together(machines, typed):
    found = matching(machines, typed)
    wanted = [row for row in found if "4090" in row.name]
    assert bool(wanted) is (typed != "geforce4090")
    assert found == wanted


def test_qwen_moe_finds_mixtures_of_that_family_alone(models, library):
    found = matching(models, "qwen moe")
    assert len(found) > 5
    for row in found:
        entry = library.models[row.id]
        assert entry.record.experts
        assert "qwen" in f"{entry.name} {entry.record.family}".casefold()


@pytest.mark.parametrize(("typed", "layer"), [("mla", "latent"), ("sliding", "window")])
def test_layers_are_found_by_the_words_people_use(models, library, typed, layer):
    found = matching(models, typed)
    assert found
    hits = [row for row in found if typed not in row.name.casefold()]
    for row in hits:
        assert layer in {group.kind for group in library.models[row.id].record.layers}


def test_digits_of_two_words_do_not_make_a_number():
    row = Row("g", "Gemma 3 4B", (), search.searchable("Gemma 3 4B"))
    assert matching([row], "34b") == []
    assert matching([row], "gemma3") == [row]


def test_names_that_begin_with_the_words_come_before_other_matches(models):
    first = matching(models, "qwen3-8b")[0]
    assert first.name.startswith("Qwen3-8B")


def test_values_of_one_facet_add_and_of_several_narrow(machines):
    both = narrowed(machines, {"maker": frozenset({"AMD", "Intel"})})
    amd = narrowed(machines, {"maker": frozenset({"AMD"})})
    cards = narrowed(machines, {"maker": frozenset({"AMD"}), "kind": frozenset({"graphics card"})})
    assert len(both) > len(amd) > len(cards) > 0
    assert {row.facets["maker"] for row in cards} == {("AMD",)}
    assert {row.facets["kind"] for row in cards} == {("graphics card",)}


@pytest.mark.parametrize("text", ["", "24gb", "rtx"])
def test_a_count_is_what_switching_the_value_on_leaves(machines, text):
    chosen = {"maker": frozenset({"NVIDIA"})}
    told = counts(machines, machine_rows.FACETS, text, chosen)
    for key in ("kind", "memory", "form"):
        for value, count in told[key].items():
            left = narrowed(matching(machines, text), {**chosen, key: frozenset({value})})
            assert len(left) == count, (key, value)


def test_counts_of_a_facet_leave_its_own_values_out(machines):
    chosen = {"maker": frozenset({"NVIDIA"})}
    told = counts(machines, machine_rows.FACETS, "", chosen)
    assert told["maker"]["AMD"] == sum(row.facets["maker"] == ("AMD",) for row in machines)


def test_every_row_has_a_value_in_every_facet_of_its_kind(machines, models):
    for rows, facets in ((machines, machine_rows.FACETS), (models, model_rows.FACETS)):
        for facet in facets:
            if facet.key != "standing":
                assert all(row.facets[facet.key] for row in rows if facet.key != "form"), facet


def test_values_keep_their_order_and_the_rest_come_by_frequency():
    facets = (Facet("a", "A", ("small", "large")), Facet("b", "B"))
    rows = [
        Row(str(n), str(n), (), "", facets={"a": (size,), "b": (maker,)})
        for n, (size, maker) in enumerate(
            [("large", "x"), ("small", "y"), ("large", "y"), ("odd", "z")]
        )
    ]
    told = counts(rows, facets, "", {})
    assert list(told["a"]) == ["small", "large", "odd"]
    assert list(told["b"]) == ["y", "x", "z"]


def test_a_machines_row_rests_on_the_weaker_of_memory_and_bandwidth(machines, library):
    for row in machines:
        entry = library.machines[row.id]
        size = next(one for one in entry.record.configurations if one.id == row.id)
        bases = {size.capacity.basis, (size.memory or entry.record.memory).bandwidth.basis}
        assert row.basis in bases
        assert "unverified" not in bases or row.basis == "unverified"
        assert row.basis in row.spoken()


def test_announced_and_unaudited_entries_carry_the_word(machines, models, library):
    announced = {row.id for row in machines if row.badge == "announced"}
    assert announced == {id_ for id_, one in library.machines.items() if one.record.announced}
    assert announced
    unaudited = {row.id for row in models if row.badge == "unaudited"}
    wanted = {i for i, one in library.models.items() if one.record.audit.status == "unaudited"}
    assert unaudited == wanted != set()
