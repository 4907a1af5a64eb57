"""Compositions that can be chosen by an id: shipped ones and the user's own."""

import json

import msgspec
import pytest

from ourmodels_gui import evaluation, paths, scenario
from ourmodels_gui.library import user as own
from ourmodels_gui.library.compositions import read
from ourmodels_gui.library.load import load
from ourmodels_gui.library.travelling import travelling
from ourmodels_gui.problem import BadInput

PAIR = {"devices": [{"id": "geforce-rtx-3090", "count": 2}], "link": 25}
MINE = {"name": "My pair", "hardware": PAIR}
MODEL = {"id": "qwen3-32b", "weights": "q4_k_m"}


@pytest.fixture
def user(tmp_path):
    (tmp_path / "compositions").mkdir()
    return tmp_path


def library_of(user, text=None, name="mine.json"):
    if text is not None:
        content = text if isinstance(text, str) else json.dumps(text)
        (user / "compositions" / name).write_text(content, encoding="utf-8")
    return load(paths.catalog(), user)


def of(hardware, model=MODEL):
    document = {"format": "ourmodels-scenario", "version": 1, "hardware": hardware, "model": model}
    return scenario.read(json.dumps(document))


def decoded(hardware, library):
    done = evaluation.run(of(hardware), library)
    assert done.problem is None, done.problem
    return done.result


def test_an_id_means_what_the_composition_writes_out():
    library = load(paths.catalog())
    assert library.problems == ()
    entry = library.compositions["geforce-rtx-3090-x2"]
    written = msgspec.to_builtins(entry.hardware)
    by_id, in_full = decoded(entry.id, library), decoded(written, library)
    assert by_id.decode == in_full.decode
    assert by_id.placement == in_full.placement
    assert by_id.assumptions[0].value == entry.name


def test_each_figure_of_a_part_says_where_it_is_from():
    told = decoded("geforce-rtx-5090-ddr5-128gb", load(paths.catalog())).assumptions
    card = next(item for item in told if item.name == "bandwidth of GeForce RTX 5090 (R_i)")
    assert card.source.startswith("each; resource limit, published: ")
    facts = [item for item in told if item.name == "built like this"]
    assert facts and all(": " in item.source for item in facts)


def test_an_unknown_id_is_answered_with_compositions_near_it():
    problem = evaluation.run(of("geforce-rtx-3090-x22"), load(paths.catalog())).problem
    assert problem.key == "hardware"
    assert "geforce-rtx-3090-x2" in problem.message


def test_a_composition_of_ones_own_is_kept_renamed_and_deleted(user):
    record = read(json.dumps(MINE).encode())
    path, id_ = own.add_composition(user, record, load(paths.catalog()).hardware_ids)
    assert (path, id_) == (user / "compositions" / "my-pair.json", "my-pair")
    kept = load(paths.catalog(), user).compositions[id_]
    assert kept.record == record
    assert kept.yours
    assert kept.hardware.name == "My pair"
    own.rename(kept, "Two used cards")
    again = load(paths.catalog(), user).compositions[id_]
    assert again.name == "Two used cards"
    own.delete(again)
    assert id_ not in load(paths.catalog(), user).compositions


def test_an_added_composition_takes_nobodys_id(user):
    taken = load(paths.catalog()).hardware_ids
    record = read(json.dumps(MINE | {"name": "GeForce RTX 3090"}).encode())
    assert own.add_composition(user, record, taken)[1] == "geforce-rtx-3090-2"
    assert load(paths.catalog(), user).problems == ()


def test_a_users_composition_takes_the_place_of_a_shipped_one(user):
    library = library_of(user, MINE, "geforce-rtx-3090-x2.json")
    assert library.compositions["geforce-rtx-3090-x2"].yours
    assert library.problems == ()


def test_a_users_composition_travels_written_out_with_the_machines_in_it(user):
    (user / "hardware").mkdir()
    box = {
        "name": "Box",
        "vendor": "Me",
        "kind": "discrete",
        "memory": {"type": "GDDR6", "bandwidth": {"value": 500, "unit": "GB/s"}},
        "configurations": [{"id": "box", "capacity": {"value": 16, "unit": "GiB"}}],
    }
    (user / "hardware" / "box.json").write_text(json.dumps(box))
    pair = {"devices": [{"id": "box", "count": 2}], "link": 8}
    library = library_of(user, MINE | {"hardware": pair})
    sent = travelling(of("mine"), library)
    assert sent.hardware.title == "My pair"
    opened = evaluation.run(scenario.read(scenario.write(sent)), load(paths.catalog()))
    assert opened.result.decode == decoded("mine", library).decode


def test_a_shipped_composition_travels_as_its_id(user):
    library = library_of(user)
    assert travelling(of("geforce-rtx-3090-x2"), library).hardware == "geforce-rtx-3090-x2"


def test_a_shipped_composition_with_a_part_of_ones_own_travels_written_out(user):
    (user / "hardware").mkdir()
    shipped = load(paths.catalog()).machines["geforce-rtx-3090"]
    own.override(user, "geforce-rtx-3090", shipped.record)
    sent = travelling(of("geforce-rtx-3090-x2"), library_of(user))
    assert sent.hardware.devices[0].record is not None


WRONG = [
    ("{", "", "not valid JSON"),
    ("[]", "", "expected"),
    ({"name": "x"}, "hardware", "is missing"),
    ({"hardware": PAIR}, "name", "is missing"),
    (MINE | {"name": " "}, "name", "1 to 120 characters"),
    (MINE | {"hardware": PAIR | {"name": "y"}}, "hardware.name", "leave it out"),
    (MINE | {"lnk": 1}, "lnk", "unknown key"),
    (MINE | {"hardware": PAIR | {"lnk": 1}}, "hardware.lnk", "did you mean link"),
    (MINE | {"hardware": PAIR | {"link": None}}, "hardware.link", "is missing"),
    (MINE | {"hardware": PAIR | {"link": "pcie-9"}}, "hardware.link", "no link “pcie-9”"),
    (MINE | {"hardware": {"devices": []}}, "hardware.devices", "one to 6 kinds"),
    (
        MINE | {"hardware": {"devices": [{"id": "gtx-1", "count": 2}], "link": 1}},
        "hardware.devices[0].id",
        "no machine “gtx-1”",
    ),
    (
        MINE | {"hardware": {"devices": [{"id": "geforce-rtx-3090"}], "host_memory": "ddr9"}},
        "hardware.host_memory",
        "no machine “ddr9”",
    ),
    (MINE | {"facts": [{"txt": "y"}]}, "facts[0].txt", "unknown key"),
    ('{"name": "x", "name": "y", "hardware": {}}', "name", "stands twice"),
]


@pytest.mark.parametrize(("content", "key", "words"), WRONG)
def test_a_bad_file_is_one_message_and_the_rest_loads(user, content, key, words):
    library = library_of(user, content)
    [problem] = library.problems
    assert problem.key == key
    assert words in problem.message
    assert problem.place == str(user / "compositions" / "mine.json")
    assert "mine" not in library.compositions
    assert "geforce-rtx-3090-x2" in library.compositions


def test_a_file_named_like_a_machine_is_refused(user):
    [problem] = library_of(user, MINE, "geforce-rtx-3090.json").problems
    assert "give this file another name" in problem.message


def test_a_record_writes_what_it_reads():
    record = read(json.dumps(MINE | {"note": "used"}).encode())
    assert read(own.encode(record)) == record


def test_a_shipped_composition_is_not_edited_in_place(user):
    shipped = library_of(user).compositions["geforce-rtx-3090-x2"]
    with pytest.raises(BadInput, match="is shipped"):
        own.delete(shipped)
