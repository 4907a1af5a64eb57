import json
import os

import pytest
from safetensors import safe_open
from safetensors_files import (
    llama_config,
    llama_tensors,
    write_config,
    write_header,
    write_real,
    write_sparse,
)

from ourmodels_gui.library.importers.bounded import BoundedFile
from ourmodels_gui.library.importers.found import ImportCancelled
from ourmodels_gui.library.importers.importing import import_model
from ourmodels_gui.library.importers.safetensors import read_header
from ourmodels_gui.problem import BadInput

ENTRY = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}


def header(path):
    with BoundedFile(path) as file:
        return read_header(file)


def refusal(path):
    with pytest.raises(BadInput) as bad:
        import_model(path)
    assert bad.value.problem.place and "\n" not in str(bad.value)
    return str(bad.value)


def written(folder, text, data=16):
    return write_header(folder / "model.safetensors", text.encode(), data)


def sharded(folder, count=3, **more):
    """A model over shards with an index; more: index keys put in its place."""
    write_config(folder, **llama_config())
    tensors = list(llama_tensors().items())
    names = [f"model-{i + 1:05}-of-{count:05}.safetensors" for i in range(count)]
    weight_map = {}
    for i, name in enumerate(names):
        part = dict(tensors[i::count])
        write_sparse(folder / name, part)
        weight_map |= dict.fromkeys(part, name)
    index = {"metadata": {"total_size": 1}, "weight_map": weight_map, **more}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return names, weight_map


def test_a_file_of_the_formats_own_package_is_read_back(tmp_path):
    tensors = {
        "a.weight": ("F32", (4, 3)),
        "b": ("F16", (5,)),
        "c": ("U8", (2, 2, 2)),
        "d": ("I32", ()),
    }
    path = write_real(tmp_path / "m.safetensors", tensors)
    found, start = header(path)
    assert {t.name: (t.dtype, t.shape) for t in found} == tensors
    assert start + sum(t.stored_bytes for t in found) == path.stat().st_size


def test_the_sparse_files_of_these_tests_are_valid(tmp_path):
    path = write_sparse(tmp_path / "m.safetensors", {"a": ("F32", (4, 3)), "b": ("F16", (5,))})
    with safe_open(str(path), "numpy") as file:
        assert sorted(file.keys()) == ["a", "b"]
        assert file.get_tensor("a").shape == (4, 3)


def test_a_folder_an_index_a_shard_and_a_config_give_the_same(tmp_path):
    names, _ = sharded(tmp_path)
    paths = [
        tmp_path, tmp_path / "model.safetensors.index.json", tmp_path / names[1],
        tmp_path / "config.json",
    ]  # fmt: skip
    records = [import_model(path).record for path in paths]
    assert len({(r.tensors, r.layers, r.context_tokens) for r in records}) == 1
    assert sum(g.count for g in records[0].tensors) == len(llama_tensors())


def test_shards_without_an_index_are_found_by_their_names(tmp_path):
    sharded(tmp_path)
    whole = import_model(tmp_path).record
    (tmp_path / "model.safetensors.index.json").unlink()
    assert import_model(tmp_path).record.tensors == whole.tensors


def test_weights_without_a_config_have_bytes_and_no_layout(tmp_path):
    imported = import_model(write_sparse(tmp_path / "x.safetensors", llama_tensors()))
    assert imported.record.layers is None
    assert imported.record.layer_count == 2 and imported.record.hidden_width == 256
    assert "no config.json" in imported.review.notes[0]


def test_a_missing_shard_is_named(tmp_path):
    names, _ = sharded(tmp_path)
    (tmp_path / names[2]).unlink()
    assert f"1 of 3 shards are missing: {names[2]}" in refusal(tmp_path)
    (tmp_path / "model.safetensors.index.json").unlink()
    assert f"1 of 3 shards are missing: {names[2]}" in refusal(tmp_path)


def test_an_index_without_any_shard_is_a_config_with_a_total(tmp_path):
    names, _ = sharded(tmp_path, metadata={"total_size": 10**9})
    for name in names:
        (tmp_path / name).unlink()
    imported = import_model(tmp_path / "config.json")
    assert imported.files.checkpoint.container == "config"
    assert "the index says 1,000,000,000 bytes" in imported.review.contradictions[0]


@pytest.mark.parametrize(
    "shard",
    [
        "../m.safetensors",
        "/etc/m.safetensors",
        "a/m.safetensors",
        "a\\m.safetensors",
        "..",
        "",
        "a\0b.safetensors",
    ],
)
def test_an_index_cannot_lead_out_of_its_folder(shard, tmp_path):
    _, weight_map = sharded(tmp_path)
    sharded(tmp_path, weight_map=weight_map | {"x": shard})
    assert "leads out of the folder" in refusal(tmp_path)


@pytest.mark.parametrize("shard", ["model.safetensors.index.json", "config.json"])
def test_an_index_that_names_itself_or_another_index_is_refused(shard, tmp_path):
    sharded(tmp_path, weight_map={"x": shard})
    assert "is not a safetensors file" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("index", "said"),
    [
        ("[]", "expected an object"),
        ("{}", "no weight_map"),
        ('{"weight_map": {"a": 1}}', "has to be the name of a file"),
        ('{"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}}', "stands twice"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "nests too deeply"),
        ('{"a":' * 50_000, "nests too deeply"),
    ],
)
def test_a_damaged_index_is_named(index, said, tmp_path):
    sharded(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text(index)
    assert said in refusal(tmp_path)


def test_an_index_and_its_shards_have_to_agree(tmp_path):
    names, weight_map = sharded(tmp_path)
    sharded(tmp_path, weight_map=weight_map | {"lm_head.weight": names[2]})
    assert "the index looks for it in" in refusal(tmp_path)
    sharded(tmp_path, weight_map=weight_map | {"ghost": names[0]})
    assert "names tensors that no shard holds: ghost" in refusal(tmp_path)


def test_a_tensor_in_two_shards_is_refused(tmp_path):
    names, _ = sharded(tmp_path)
    (tmp_path / "model.safetensors.index.json").unlink()
    (tmp_path / names[1]).write_bytes((tmp_path / names[0]).read_bytes())
    assert "stands in two shards" in refusal(tmp_path)


def test_a_file_cut_anywhere_is_refused_in_one_line(tmp_path):
    path = write_real(tmp_path / "m.safetensors", {"a.b": ("F32", (3, 4)), "c": ("F16", (2,))})
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refusal(path)
    path.write_bytes(whole)
    assert len(header(path)[0]) == 2


@pytest.mark.parametrize("huge", [2**64 - 1, 2**63, 2**40, 99_999_999])
def test_a_huge_header_is_refused(huge, tmp_path):
    path = tmp_path / "m.safetensors"
    path.write_bytes(huge.to_bytes(8, "little") + bytes(100))
    assert "no complete safetensors file" in refusal(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dtype": "F3"}, "number format F3 is not known"),
        ({"dtype": 3}, "not as it has to be"),
        ({"shape": [2, -2]}, "negative"),
        ({"shape": [2, 3]}, "16 bytes are not F32 of shape"),
        ({"shape": [2**62, 4]}, "cannot be"),
        ({"shape": [2**64, 4]}, "cannot be"),
        ({"data_offsets": [0, 2**64]}, "bytes are not F32"),
        ({"shape": [2.5]}, "not as it has to be"),
        ({"shape": [float("nan")]}, "not valid JSON"),
        ({"shape": None}, "lacks dtype, shape or data_offsets"),
        ({"data_offsets": [16, 0]}, "negative"),
        ({"data_offsets": [0]}, "not as it has to be"),
        ({"data_offsets": [16, 32]}, "cut short: 16 bytes"),
    ],
)
def test_a_damaged_entry_is_named(changes, said, tmp_path):
    assert said in refusal(written(tmp_path, json.dumps({"t": ENTRY | changes})))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (json.dumps({"a": ENTRY, "b": ENTRY}), "overlaps"),
        ('{"t": 1, "t": 2}', "not as it has to be"),
        ('{"t": %s, "t": %s}' % ((json.dumps(ENTRY),) * 2), "stands twice"),
        ("[]", "not as it has to be"),
        ("{}", "no tensors"),
        ('{"t": ' + "[" * 50_000, "not as it has to be"),
        ('{"__metadata__": ' + '{"a":' * 50_000, "nests too deeply"),
    ],
)
def test_a_damaged_header_is_named(text, said, tmp_path):
    assert said in refusal(written(tmp_path, text))


def test_a_header_that_is_not_utf8_is_refused(tmp_path):
    path = write_header(
        tmp_path / "m.safetensors", b'{"\xff": ' + json.dumps(ENTRY).encode() + b"}", 16
    )
    refusal(path)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"hidden_size": 1, "hidden_size": 2}', "stands twice"),
        (b'{"hidden_size": NaN}', "not a sensible whole number"),
        (b'{"hidden_size": -4}', "cannot be"),
        (b'{"hidden_size": "big"}', "is not a number"),
        (b'{"hidden_size": 1e300}', "not a sensible whole number"),
        (b'{"hidden_size": 123456789012345678901234567890}', "not a sensible whole number"),
        (b'{"num_hidden_layers": 1000000000}', "layers cannot be"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "nests too deeply"),
        (b"{}", "describes no model"),
        (b"", "not valid JSON"),
        (b"[1]", "expected an object"),
    ],
)
def test_a_damaged_config_is_named(config, said, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(config)
    assert said in refusal(path)


def test_a_number_that_nobody_reads_may_be_infinite(tmp_path):
    write_config(tmp_path, **llama_config(time_step_limit=[0.0, float("inf")], other=float("nan")))
    write_sparse(tmp_path / "model.safetensors", llama_tensors())
    assert import_model(tmp_path).problems == ()


def test_a_folder_of_ten_thousand_files_is_searched_once(tmp_path):
    for i in range(10_000):
        (tmp_path / f"note{i}.txt").touch()
    assert "10,000 files, none of which is a model" in refusal(tmp_path)
    for i in range(3):
        (tmp_path / f"m{i}.gguf").touch()
    assert "the folder holds 3 GGUF models; give one of them: m0.gguf, m1.gguf" in refusal(tmp_path)


def test_folders_with_several_models_ask_for_one(tmp_path):
    for name in ("a.safetensors", "b.safetensors"):
        write_sparse(tmp_path / name, llama_tensors())
    assert "2 safetensors files; give one of them" in refusal(tmp_path)
    assert refusal(tmp_path / "nothing.txt") if (tmp_path / "nothing.txt").touch() else True


def test_an_empty_folder_and_another_file_are_refused(tmp_path):
    assert "holds nothing" in refusal(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    assert "not a model file this program reads" in refusal(tmp_path / "notes.txt")


def test_links_to_files_are_followed_as_download_caches_need_it(tmp_path):
    blobs, snapshot = tmp_path / "blobs", tmp_path / "models--me--thing" / "snapshots" / "abc"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    write_sparse(blobs / "1", llama_tensors())
    write_config(blobs, **llama_config()).rename(blobs / "2")
    os.symlink(blobs / "1", snapshot / "model.safetensors")
    os.symlink(blobs / "2", snapshot / "config.json")
    imported = import_model(snapshot)
    assert imported.problems == () and imported.record.name == "thing"


def test_a_link_in_a_circle_and_a_pipe_are_refused(tmp_path):
    os.symlink(tmp_path / "b.safetensors", tmp_path / "a.safetensors")
    os.symlink(tmp_path / "a.safetensors", tmp_path / "b.safetensors")
    with pytest.raises(OSError, match="symbolic links"):
        import_model(tmp_path / "a.safetensors")
    os.mkfifo(tmp_path / "c.gguf")
    assert "not an ordinary file" in refusal(tmp_path / "c.gguf")


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = write_sparse(tmp_path / "model.safetensors", llama_tensors())
    read = BoundedFile.read

    def grow(self, offset, count):
        with path.open("ab") as file:
            file.write(b"more")
        return read(self, offset, count)

    monkeypatch.setattr(BoundedFile, "read", grow)
    assert "was changed while it was read" in refusal(path)


def test_a_path_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        import_model(tmp_path / "no.gguf")


def test_reading_stops_between_shards_when_nobody_waits(tmp_path):
    sharded(tmp_path)
    asked = iter([False, False, True])
    with pytest.raises(ImportCancelled):
        import_model(tmp_path, cancelled=lambda: next(asked))
