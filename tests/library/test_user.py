import json

import msgspec
import pytest
from model_files import small

from ourmodels_gui.library import user as own
from ourmodels_gui.library.hardware import Configuration, HardwareRecord, Memory
from ourmodels_gui.library.load import load
from ourmodels_gui.library.records import Figure
from ourmodels_gui.problem import BadInput


@pytest.fixture
def catalog(tmp_path):
    root = tmp_path / "catalog"
    (root / "hardware").mkdir(parents=True)
    (root / "hardware" / "box.json").write_bytes(own.encode(record("Box", "box")))
    return root


@pytest.fixture
def user(tmp_path):
    return tmp_path / "user"


def record(name="My rig", *ids, sizes=(64,)):
    return HardwareRecord(
        name=name,
        vendor="Me",
        kind="unified",
        memory=Memory("LPDDR5X", Figure(256, "GB/s")),
        configurations=tuple(
            Configuration(ids[i] if ids else "new", Figure(size, "GiB"))
            for i, size in enumerate(sizes)
        ),
    )


def test_a_machine_can_be_added_and_is_found_again(catalog, user):
    path, machine = own.add_machine(user, record())
    library = load(catalog, user)
    assert path == user / "hardware" / "my-rig.json"
    assert machine == "my-rig"
    assert library.machines[machine].record == record("My rig", "my-rig")
    assert library.problems == ()


def test_machines_of_one_name_get_ids_of_their_own(catalog, user):
    ids = [own.add_machine(user, record())[1] for _ in range(3)]
    assert ids == ["my-rig", "my-rig-2", "my-rig-3"]
    assert set(load(catalog, user).machines) == {"box", *ids}


def test_an_added_machine_never_hides_a_shipped_one(catalog, user):
    taken = frozenset(load(catalog).machines)
    assert own.add_machine(user, record("Box"), taken)[1] == "box-2"
    assert not load(catalog, user).machines["box"].yours


def test_several_sizes_get_ids_by_size(user, catalog):
    _, first = own.add_machine(user, record(sizes=(64, 128, 128)))
    assert first == "my-rig-64gib"
    assert {"my-rig-64gib", "my-rig-128gib", "my-rig-128gib-2"} < set(load(catalog, user).machines)


def test_an_override_takes_the_shipped_ids(catalog, user):
    shipped = load(catalog).machines["box"]
    changed = msgspec.structs.replace(shipped.record, vendor="Corrected")
    own.override(user, "box", changed)
    entry = load(catalog, user).machines["box"]
    assert (entry.yours, entry.vendor) == (True, "Corrected")
    with pytest.raises(BadInput, match="already have"):
        own.override(user, "box", changed)


def test_rename_keeps_the_id_and_the_file(catalog, user):
    path, machine = own.add_machine(user, record())
    own.rename(load(catalog, user).machines[machine], "  Tower ")
    entry = load(catalog, user).machines[machine]
    assert (entry.name, entry.place) == ("Tower", str(path))


def test_rename_needs_a_name(catalog, user):
    _, machine = own.add_machine(user, record())
    with pytest.raises(BadInput) as caught:
        own.rename(load(catalog, user).machines[machine], "  ")
    assert caught.value.problem.key == "name"


def test_delete_removes_the_file_and_every_size_in_it(catalog, user):
    _, machine = own.add_machine(user, record(sizes=(64, 128)))
    own.delete(load(catalog, user).machines[machine])
    assert set(load(catalog, user).machines) == {"box"}
    assert list((user / "hardware").glob("*.json")) == []


def test_two_windows_editing_one_machine_lose_nothing_silently(catalog, user):
    path, machine = own.add_machine(user, record())
    mine = load(catalog, user).machines[machine]
    theirs = load(catalog, user).machines[machine]
    own.rename(theirs, "Theirs")
    kept = path.read_bytes()
    for change in (lambda: own.rename(mine, "Mine"), lambda: own.delete(mine)):
        with pytest.raises(BadInput, match="changed elsewhere") as caught:
            change()
        assert caught.value.problem.place == str(path)
    assert path.read_bytes() == kept


def test_an_edit_after_the_file_was_deleted_is_refused(catalog, user):
    path, machine = own.add_machine(user, record())
    entry = load(catalog, user).machines[machine]
    path.unlink()
    with pytest.raises(BadInput, match="changed elsewhere"):
        own.rename(entry, "Mine")
    assert not path.exists()


@pytest.mark.parametrize("change", [own.delete, lambda e: own.rename(e, "x")])
def test_shipped_machines_are_not_changed(catalog, change):
    entry = load(catalog).machines["box"]
    before = (catalog / "hardware" / "box.json").read_bytes()
    with pytest.raises(BadInput, match="shipped"):
        change(entry)
    assert (catalog / "hardware" / "box.json").read_bytes() == before


def test_an_unreadable_file_is_neither_overwritten_nor_deleted(catalog, user):
    (user / "hardware").mkdir(parents=True)
    broken = user / "hardware" / "my-rig.json"
    broken.write_text("{ half a mach")
    path, machine = own.add_machine(user, record())
    assert machine == "my-rig-2"
    assert path != broken
    own.delete(load(catalog, user).machines[machine])
    assert broken.read_text() == "{ half a mach"


def test_a_folder_that_cannot_be_written_is_said_plainly(user):
    user.mkdir()
    (user / "hardware").write_text("a file where a folder should be")
    with pytest.raises(BadInput, match="nothing could be saved") as caught:
        own.add_machine(user, record())
    assert caught.value.problem.place == str(user / "hardware" / "my-rig.json")


def test_models_are_saved_in_the_same_way(catalog, user):
    model = small(name="Own Model 7B")
    first = own.add_model(user, model)[1]
    second = own.add_model(user, model)[1]
    assert (first, second) == ("own-model-7b", "own-model-7b-2")
    own.rename(load(catalog, user).models[first], "Renamed")
    library = load(catalog, user)
    assert library.models[first].name == "Renamed"
    own.delete(library.models[second])
    assert set(load(catalog, user).models) == {first}


def test_saved_files_are_written_for_people(user):
    path, _ = own.add_machine(user, record())
    text = path.read_text()
    assert text.startswith('{\n  "name": "My rig",\n')
    assert "null" not in text
    assert json.loads(text)["configurations"] == [
        {"id": "my-rig", "capacity": {"value": 64, "unit": "GiB"}}
    ]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("RTX 4090 (2x)", "rtx-4090-2x"),
        ("Ünïcode", "unicode"),
        ("机器", "own"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "my-con"),
        ("a" * 200, "a" * 80),
    ],
)
def test_file_names_are_safe_everywhere(name, made):
    assert own.slug(name) == made
