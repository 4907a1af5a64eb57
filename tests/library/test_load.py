import json

import msgspec
import pytest
from model_files import small

from ourmodels_gui import paths
from ourmodels_gui.library import load as loading
from ourmodels_gui.library.hardware import HardwareRecord
from ourmodels_gui.library.load import load
from ourmodels_gui.library.models import ModelRecord
from ourmodels_gui.library.parse import parse
from ourmodels_gui.library.records import Figure, Source
from ourmodels_gui.problem import BadInput

GOOD = {
    "name": "Box",
    "vendor": "Me",
    "kind": "unified",
    "memory": {"type": "LPDDR5X", "bandwidth": {"value": 256, "unit": "GB/s"}},
    "configurations": [{"id": "box", "capacity": {"value": 128, "unit": "GiB"}}],
}


class TinyModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    vendor: str


@pytest.fixture
def tiny_models(monkeypatch):
    monkeypatch.setattr(loading, "ModelRecord", TinyModel)
    monkeypatch.setattr(loading, "refuse_impossible", lambda record: None)


@pytest.fixture
def catalog(tmp_path):
    root = tmp_path / "catalog"
    (root / "hardware").mkdir(parents=True)
    (root / "hardware" / "box.json").write_text(json.dumps(GOOD))
    (root / "sources.json").write_text('{"s": {"title": "T", "place": "P", "read": "2026-11-29"}}')
    (root / "version").write_text("2026.11\n")
    return root


@pytest.fixture
def user(tmp_path):
    root = tmp_path / "user"
    (root / "hardware").mkdir(parents=True)
    (root / "models").mkdir()
    return root


def put(user, text, name="mine.json"):
    data = text if isinstance(text, bytes) else text.encode()
    (user / "hardware" / name).write_bytes(data)


def own(**changes):
    return json.dumps(GOOD | {"name": "Mine"} | changes)


def size(**changes):
    return own(configurations=[{"id": "mine", "capacity": {"value": 8, "unit": "GiB"}} | changes])


def test_the_shipped_catalog_loads_without_a_problem():
    library = load(paths.catalog())
    assert library.problems == ()
    assert len({entry.place for entry in library.machines.values()}) >= 403
    assert len(library.machines) >= 669
    assert library.version == "2026.11"
    assert all(name == entry.id for name, entry in library.machines.items())


def test_a_catalog_gives_machines_sources_and_version(catalog):
    library = load(catalog)
    assert list(library.machines) == ["box"]
    assert library.sources == {"s": Source("T", "P", "2026-11-29")}
    assert library.version == "2026.11"


def test_sources_may_be_spread_over_several_files(catalog):
    (catalog / "sources-models.json").write_text(
        '{"t": {"title": "T", "place": "P", "read": "2026-11-29"}}'
    )
    assert set(load(catalog).sources) == {"s", "t"}


def test_a_missing_user_folder_is_no_problem(catalog, tmp_path):
    library = load(catalog, tmp_path / "nowhere")
    assert library.problems == ()
    assert list(library.machines) == ["box"]


def test_an_own_machine_is_marked_and_knows_its_file(catalog, user):
    put(user, size())
    entry = load(catalog, user).machines["mine"]
    assert entry.yours
    assert entry.place == str(user / "hardware" / "mine.json")
    assert entry.stamp


def test_an_own_entry_with_a_shipped_id_wins_and_is_marked(catalog, user):
    put(user, own(), "anything.json")
    library = load(catalog, user)
    assert library.machines["box"].yours
    assert library.machines["box"].name == "Mine"
    assert library.problems == ()


def test_models_load_by_the_stem_of_their_file(catalog, user, tiny_models):
    (catalog / "models").mkdir()
    (catalog / "models" / "tiny-1b.json").write_text('{"name": "Tiny 1B", "vendor": "V"}')
    (user / "models" / "own.json").write_text('{"name": "Own", "vendor": "Me"}')
    (user / "models" / "bad.json").write_text('{"name": "Own", "vendor": 3}')
    library = load(catalog, user)
    assert {k: (m.name, m.yours) for k, m in library.models.items()} == {
        "tiny-1b": ("Tiny 1B", False),
        "own": ("Own", True),
    }
    assert [p.key for p in library.problems] == ["vendor"]


BROKEN = {
    "truncated": (own()[:80], "", "not complete JSON"),
    "empty": ("", "", "not complete JSON"),
    "a_list": ("[]", "", "object"),
    "not_utf8": (own().encode().replace(b"Mine", b"M\xfcne"), "", "not UTF-8"),
    "utf16": (own().encode("utf-16"), "", "not UTF-8"),
    "huge": (b" " * 1_100_000, "", "larger than 1 MB"),
    "deep": ("[" * 100_000, "", "nests too deeply"),
    "nan": (size(capacity={"value": float("nan"), "unit": "GiB"}), "", "JSON"),
    "infinite": (size().replace(": 8,", ": 1e999,"), "configurations[0].capacity.value", "large"),
    "zero": (
        size(capacity={"value": 0, "unit": "GiB"}),
        "configurations[0].capacity.value",
        "above 0",
    ),
    "negative": (
        own(memory={"type": "x", "bandwidth": {"value": -1, "unit": "GB/s"}}),
        "memory.bandwidth.value",
        "above 0",
    ),
    "wrong_type": (own(name=3), "name", "str"),
    "a_flag_for_a_number": (
        size(capacity={"value": True, "unit": "GiB"}),
        "configurations[0].capacity.value",
        "float",
    ),
    "unknown_key": (own(colour="red"), "", "colour"),
    "missing_key": (json.dumps({"name": "Mine"}), "", "vendor"),
    "unknown_kind": (own(kind="toaster"), "kind", "discrete, unified"),
    "no_size": (own(configurations=[]), "configurations", "length"),
    "bad_id": (size(id="Mine PC"), "configurations[0].id", "small letters"),
    "twins": (own()[:-1] + ', "name": "Other"}', "name", "stands twice"),
    "deep_twins": (
        size().replace('"unit": "GiB"', '"unit": "GiB", "unit": "GB"'),
        "unit",
        "stands twice",
    ),
    "wrong_unit": (
        size(capacity={"value": 8, "unit": "Gb"}),
        "configurations[0].capacity.unit",
        "GiB",
    ),
    "absurd": (
        size(capacity={"value": 8e12, "unit": "GiB"}),
        "configurations[0].capacity.value",
        "real machine",
    ),
    "unknown_mode": (
        own(compute={"fp5": {"value": 1, "unit": "TFLOP/s"}}),
        "compute",
        "bf16_fp32acc",
    ),
}


WORDS = {
    "layers": ([{"kind": "windw", "count": 1}], "layers[0].kind", "window"),
    "tensors": ([{"class": "x", "count": 1, "shape": [1]}], "tensors[0].class", "router"),
    "audit": ({"status": "yes"}, "audit.status", "audited, unaudited"),
    "published": ({"q8_0": {"encodings": {"heads": "q8_0"}}}, "published", "router"),
}


@pytest.mark.parametrize("case", WORDS)
def test_a_word_that_is_not_known_in_a_model_names_those_that_are(case):
    value, key, known = WORDS[case]
    model = json.loads((paths.catalog() / "models" / "gpt-oss-20b.json").read_bytes())
    with pytest.raises(BadInput) as caught:
        parse(json.dumps(model | {case: value}).encode(), ModelRecord)
    assert caught.value.problem.key.startswith(key)
    assert "is unknown; one of " in caught.value.problem.message
    assert known in caught.value.problem.message
    assert "datacenter" not in caught.value.problem.message


def test_the_kind_of_a_price_is_not_that_of_a_machine():
    with pytest.raises(BadInput, match="one of kit, launch, street"):
        parse(own(price={"value": 1, "unit": "USD", "kind": "used"}).encode(), HardwareRecord)


@pytest.mark.parametrize("case", BROKEN)
def test_a_bad_file_is_one_problem_and_the_rest_loads(catalog, user, case):
    text, key, said = BROKEN[case]
    put(user, text)
    put(user, size(id="fine"), "fine.json")
    library = load(catalog, user)
    assert set(library.machines) == {"box", "fine"}
    (problem,) = library.problems
    assert problem.place == str(user / "hardware" / "mine.json")
    assert key in problem.key
    assert said in problem.message


def test_two_own_files_with_one_id_keep_the_first(catalog, user):
    put(user, size(), "a.json")
    put(user, size(), "b.json")
    library = load(catalog, user)
    assert library.machines["mine"].place.endswith("a.json")
    (problem,) = library.problems
    assert problem.place.endswith("b.json")
    assert "a.json" in problem.message


def test_a_file_with_one_bad_size_gives_none_of_its_machines(catalog, user):
    good = {"id": "mine-8gb", "capacity": {"value": 8, "unit": "GiB"}}
    bad = {"id": "mine-9gb", "capacity": {"value": 9, "unit": "litres"}}
    put(user, own(configurations=[good, bad]))
    library = load(catalog, user)
    assert set(library.machines) == {"box"}
    assert [p.key for p in library.problems] == ["configurations[1].capacity.unit"]


def test_folders_and_other_files_are_left_alone(catalog, user):
    (user / "hardware" / "folder.json").mkdir()
    put(user, "notes", "readme.txt")
    put(user, "half", ".mine.json.x.part")
    library = load(catalog, user)
    assert [p.place for p in library.problems] == [str(user / "hardware" / "folder.json")]
    assert set(library.machines) == {"box"}


def test_a_missing_catalog_is_an_empty_library(tmp_path):
    library = load(tmp_path / "nowhere")
    assert library.machines == {}
    assert library.version == ""


def test_a_byte_order_mark_is_read_over(catalog, user):
    put(user, b"\xef\xbb\xbf" + size().encode())
    assert "mine" in load(catalog, user).machines


def test_loading_changes_no_file(catalog, user):
    for number, (text, _, _) in enumerate(BROKEN.values()):
        put(user, text, f"{number}.json")
    before = {path: path.read_bytes() for path in user.rglob("*.json")}
    load(catalog, user)
    assert {path: path.read_bytes() for path in user.rglob("*") if path.is_file()} == before


def test_parse_names_the_path_of_the_key():
    with pytest.raises(BadInput) as caught:
        parse(b'{"value": "8", "unit": "GiB"}', Figure)
    assert caught.value.problem.key == "value"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"experts": []}, "tensors[9].shape"),
        ({"experts": [{"routed": 4, "per_token": 5, "layers": 1, "width": 4}]}, "per_token"),
        ({"tensors": []}, "tensors"),
        ({"tensors": [{"class": "norms", "count": 2**63, "shape": [8]}]}, "tensors[0].count"),
        ({"tensors": [{"class": "norms", "count": 1, "shape": [8], "encoding": "bf61"}]}, "encod"),
        ({"published": {"nvfp4": {"encodings": {"attention": "?"}}}}, "published.nvfp4.encodings"),
        ({"published": {"nvfp4": {"encodings": 3}}}, "published.nvfp4.encodings"),
        ({"sources": {"shapes": {"source": "a"}, "total": {"source": 3}}}, "sources.total.source"),
        ({"sources": {"[...]": 3}}, "sources.[...]"),
    ],
)
def test_an_own_model_that_cannot_be_is_one_problem_with_its_key(catalog, user, change, key):
    document = msgspec.to_builtins(small()) | change
    (user / "models" / "small.json").write_bytes(msgspec.json.encode(document))
    library = load(catalog, user)
    (problem,) = library.problems
    assert key in problem.key
    assert library.models == {}


@pytest.mark.parametrize("text", ["9" * 6000, '{"name": ' + "9" * 6000 + "}"])
def test_a_number_of_thousands_of_digits_is_refused(text):
    with pytest.raises(BadInput, match="too large to be a number"):
        parse(text.encode(), ModelRecord, strict=True)


def test_long_texts_are_cut_in_messages(catalog, user):
    put(user, own(kind="x" * 5000))
    (problem,) = load(catalog, user).problems
    assert problem.key == "kind"
    assert len(problem.message) < 300
