import struct

import gguf
import pytest
from gguf_files import TYPES, bytes_of, llama_keys, llama_tensors, write_gguf

from ourmodels_gui.library.encodings import ENCODINGS, stored_bytes
from ourmodels_gui.library.importers import ggml_types
from ourmodels_gui.library.importers.bounded import BoundedFile
from ourmodels_gui.library.importers.found import ImportCancelled
from ourmodels_gui.library.importers.gguf import read_header
from ourmodels_gui.library.importers.gguf_parts import read_gguf
from ourmodels_gui.problem import BadInput


def header(path):
    with BoundedFile(path) as file:
        return read_header(file)


def refusal(path):
    with pytest.raises(BadInput) as bad:
        read_gguf(path)
    assert bad.value.problem.place
    assert "\n" not in str(bad.value)
    return str(bad.value)


def raw(path, *parts, tensors=0, keys=0, version=3):
    """A file from bytes: magic, version, counts, then the parts."""
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + b"".join(parts))
    return path


def text(value: bytes):
    return struct.pack("<Q", len(value)) + value


def entry(name=b"t", shape=(32,), kind=0, offset=0):
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("alignment", [32, 64, 4096])
def test_every_key_and_tensor_is_read_back(big, alignment, tmp_path):
    keys = llama_keys() | {
        "a.flag": True, "a.real": 0.5, "a.text": "grüße", "a.list": [1, -2, 3],
        "a.words": ["x", "yy"], "tokenizer.ggml.tokens": ["a"] * 1000,
    }  # fmt: skip
    tensors = llama_tensors(kind=TYPES.Q4_K, head=TYPES.Q6_K)
    path = write_gguf(tmp_path / "m.gguf", keys, tensors, big=big, alignment=alignment)
    found = header(path)
    assert found.big_endian is big and found.version == 3
    assert found.end == path.stat().st_size
    assert found.metadata["a.text"] == "grüße" and found.metadata["a.list"] == [1, -2, 3]
    assert found.metadata["a.flag"] is True and found.metadata["a.real"] == 0.5
    assert found.metadata["a.words#"] == 2 and found.metadata["tokenizer.ggml.tokens#"] == 1000
    assert found.metadata["tested.block_count"] == 2
    assert [(t.name, t.shape, t.stored_bytes) for t in found.tensors] == [
        (name, shape, bytes_of(shape, kind)) for name, shape, kind in tensors
    ]


def test_version_2_is_read_like_version_3(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", llama_keys(), llama_tensors())
    data = bytearray(path.read_bytes())
    data[4] = 2
    path.write_bytes(data)
    assert header(path).version == 2


def test_every_number_format_has_the_size_that_ggml_gives_it():
    for kind, encoding in ggml_types.TYPES.items():
        block, size = gguf.GGML_QUANT_SIZES[TYPES(kind)]
        assert stored_bytes((3, 2 * block), ENCODINGS[encoding]) == 6 * size
    only_in_memory = {TYPES.Q8_1, TYPES.Q8_K}
    assert set(ggml_types.TYPES) == {
        int(kind) for kind in gguf.GGML_QUANT_SIZES.keys() - only_in_memory
    }


def test_the_formats_name_is_the_one_of_llama_cpp():
    for number, name in ggml_types.FILE_TYPES.items():
        member = gguf.LlamaFileType(number).name
        assert member.removeprefix("MOSTLY_").removeprefix("ALL_").removesuffix("_MOE") == name


def test_a_file_cut_anywhere_is_refused_in_one_line(tmp_path):
    whole = write_gguf(
        tmp_path / "m.gguf",
        {"general.name": "X", "a.list": [1, 2, 3], "a.words": ["x", "yy"], "a.flag": True},
        [("token_embd.weight", (2, 32), TYPES.Q4_0), ("norm", (2,), TYPES.F32)],
    ).read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in range(len(whole)):
        cut.write_bytes(whole[:length])
        refusal(cut)
    cut.write_bytes(whole)
    assert read_gguf(cut).file_bytes == len(whole)


@pytest.mark.parametrize("huge", [2**64 - 1, 2**63, 2**62, 2**40, 10**7])
def test_huge_counts_and_lengths_are_refused(huge, tmp_path):
    size = struct.pack("<Q", huge)
    key = text(b"k")
    hole = bytes(5000)
    for bad in (
        raw(tmp_path / "a.gguf", hole, tensors=huge),
        raw(tmp_path / "b.gguf", hole, keys=huge),
        raw(tmp_path / "c.gguf", size, hole, keys=1),
        raw(tmp_path / "d.gguf", key, struct.pack("<I", 8), size, hole, keys=1),
        raw(tmp_path / "e.gguf", key, struct.pack("<II", 9, 8), size, hole, keys=1),
        raw(tmp_path / "f.gguf", key, struct.pack("<II", 9, 0), size, hole, keys=1),
        raw(tmp_path / "g.gguf", key, struct.pack("<II", 9, 9), size, hole, keys=1),
        raw(tmp_path / "h.gguf", entry(shape=(huge, 32)), hole, tensors=1),
        raw(tmp_path / "i.gguf", entry(shape=(32, huge, huge)), hole, tensors=1),
        raw(tmp_path / "j.gguf", entry(offset=huge - huge % 32), hole, tensors=1),
        raw(tmp_path / "k.gguf", text(b"k"), struct.pack("<I", 9) * 9, size, hole, keys=1),
    ):
        refusal(bad)


def test_a_vocabulary_of_empty_texts_is_bounded(tmp_path):
    path = raw(tmp_path / "a.gguf", text(b"k"), struct.pack("<IIQ", 9, 8, 10**9), keys=1)
    with path.open("r+b") as file:
        file.truncate(10**10)
    assert "1,000,000,000 texts are more than any vocabulary" in refusal(path)


@pytest.mark.parametrize(
    ("parts", "counts", "said"),
    [
        ([entry(), entry()], {"tensors": 2}, "stands twice"),
        ([text(b"k"), struct.pack("<IB", 0, 1)] * 2, {"keys": 2}, "stands twice"),
        ([text(b"\xff\xfe"), struct.pack("<IB", 0, 1)], {"keys": 1}, "not UTF-8"),
        ([text(b"k"), struct.pack("<I", 8), text(b"\xff")], {"keys": 1}, "not UTF-8"),
        ([entry(b"\xff")], {"tensors": 1}, "not UTF-8"),
        ([text(b"k"), struct.pack("<I", 77)], {"keys": 1}, "type 77 does not exist"),
        ([text(b"k"), struct.pack("<IIQ", 9, 77, 0)], {"keys": 1}, "type 77 does not exist"),
        ([entry(kind=999), bytes(200)], {"tensors": 1}, "ggml type 999"),
        ([entry(kind=4), bytes(200)], {"tensors": 1}, "ggml type 4"),
        ([entry(shape=(33,), kind=2), bytes(200)], {"tensors": 1}, "not whole blocks"),
        ([entry(shape=(0,)), bytes(200)], {"tensors": 1}, "cannot be"),
        ([entry(shape=(1,) * 5), bytes(200)], {"tensors": 1}, "more than 4"),
        ([entry(offset=3), bytes(300)], {"tensors": 1}, "off alignment"),
        ([entry(b"a"), entry(b"b"), bytes(300)], {"tensors": 2}, "overlaps"),
        ([], {}, "no tensors"),
        ([], {"version": 1}, "version 1"),
        ([], {"version": 4}, "version 4"),
        (
            [text(b"general.alignment"), struct.pack("<II", 4, 0), entry(), bytes(200)],
            {"keys": 1, "tensors": 1},
            "no alignment",
        ),
    ],
)
def test_damage_is_named(parts, counts, said, tmp_path):
    assert said in refusal(raw(tmp_path / "m.gguf", *parts, **counts))


def test_another_kind_of_file_is_named(tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    assert "not a GGUF file" in refusal(path)


def test_a_text_that_is_not_shown_may_hold_any_bytes(tmp_path):
    path = raw(
        tmp_path / "m.gguf",
        text(b"tokenizer.x"), struct.pack("<I", 8), text(b"\xff\xfe"),
        text(b"tokenizer.y"), struct.pack("<IIQ", 9, 8, 1), text(b"\xff"),
        entry(), bytes(300), keys=2, tensors=1,
    )  # fmt: skip
    assert header(path).metadata == {"tokenizer.x#": 2, "tokenizer.y#": 1}


def split(tmp_path, number, *, of=2, announced=18, tensors=None, own=None):
    keys = llama_keys() | {"split.count": of, "split.tensors.count": announced}
    keys["split.no"] = number - 1 if own is None else own
    path = tmp_path / f"m-{number:05}-of-00002.gguf"
    return write_gguf(path, keys, tensors or llama_tensors())


def test_a_missing_part_is_named(tmp_path):
    assert "1 of 2 parts are missing beside it: m-00002-of-00002.gguf" in refusal(
        split(tmp_path, 1)
    )


def test_parts_that_say_another_number_are_refused(tmp_path):
    split(tmp_path, 1)
    assert "its name says part 2, its header part 0" in refusal(split(tmp_path, 2, own=0))


def test_parts_of_different_models_are_refused(tmp_path):
    split(tmp_path, 1)
    assert "stands in two parts" in refusal(split(tmp_path, 2))


def test_a_renamed_part_is_told_from_a_whole_model(tmp_path):
    path = split(tmp_path, 1).rename(tmp_path / "renamed.gguf")
    assert "one of 2 parts by its header, of 1 by its name" in refusal(path)


def test_fewer_tensors_than_announced_are_refused(tmp_path):
    tensors = llama_tensors()
    split(tmp_path, 1, tensors=tensors[:5], announced=99)
    path = split(tmp_path, 2, tensors=tensors[5:], announced=99)
    assert "99 are announced" in refusal(path)


@pytest.mark.parametrize(
    "name", ["m-00003-of-00002.gguf", "m-00000-of-00002.gguf", "m-00001-of-99999.gguf"]
)
def test_impossible_part_numbers_are_refused(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"GGUF")
    assert "check the file's name" in refusal(path)


def test_reading_stops_between_parts_when_nobody_waits(tmp_path):
    tensors = llama_tensors()
    split(tmp_path, 1, tensors=tensors[:5])
    path = split(tmp_path, 2, tensors=tensors[5:])
    asked = iter([False, True])
    with pytest.raises(ImportCancelled):
        read_gguf(path, lambda: next(asked))


def test_no_more_than_the_header_and_one_window_is_read(tmp_path, monkeypatch):
    keys = llama_keys() | {
        "tokenizer.ggml.tokens": [f"token{i}" for i in range(150_000)],
        "tokenizer.ggml.scores": [0.5] * 150_000,
    }
    path = write_gguf(tmp_path / "m.gguf", keys, llama_tensors())
    with path.open("r+b") as file:
        file.truncate(20_000_000_000)
    taken = []
    read = BoundedFile.read
    monkeypatch.setattr(
        BoundedFile, "read", lambda self, at, n: taken.append(read(self, at, n)) or taken[-1]
    )
    found = read_gguf(path)
    assert found.metadata["tokenizer.ggml.tokens#"] == 150_000
    assert max(map(len, taken)) <= 1 << 20
    assert sum(map(len, taken)) <= found.header_bytes + (1 << 20)
    assert "bytes after the tensors" in found.notes[0]
