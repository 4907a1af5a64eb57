"""The file of measured runs is read strictly, and every fault names its line."""

import pytest

from ourmodels_gui import paths
from ourmodels_gui.measured import runs
from ourmodels_gui.problem import BadInput

LINE = (
    b'{"id":"a","said":{"machine":"x","model":"y","weights":"z"},"phase":"decode",'
    b'"tokens_per_s":1,"source":"s"}'
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "measured").mkdir()
    sources = b'{"s": {"title": "t", "place": "p", "read": "2026-11-30"}}'
    (tmp_path / "measured" / "sources.json").write_bytes(sources)

    def write(*lines: bytes):
        (tmp_path / "measured" / "runs.jsonl").write_bytes(b"\n".join(lines))
        return tmp_path

    return write


def test_the_shipped_set_reads_back_as_it_was_written(measured):
    written = runs.write(list(measured.runs.values()))
    assert written == (paths.catalog() / "measured" / "runs.jsonl").read_bytes()
    assert len(measured.runs) == 685


def test_every_run_that_is_not_left_out_has_its_ids_in_the_catalog(measured, library):
    for run in measured.runs.values():
        assert run.machine in (*library.machines, ""), run.id
        assert run.model in (*library.models, ""), run.id
        assert run.left_out or (run.machine and run.model and run.weights), run.id


def test_every_source_is_used_and_dated(measured):
    assert {run.source for run in measured.runs.values()} == set(measured.sources)
    assert all(source.place and source.read for source in measured.sources.values())


@pytest.mark.parametrize(
    ("lines", "key", "said"),
    [
        ((LINE, LINE), "runs.jsonl, line 2", "stands twice"),
        ((LINE.replace(b'"s"}', b'"t"}'),), "runs.jsonl, line 1", "sources.json"),
        ((LINE.replace(b":1,", b":0,"),), "runs.jsonl, line 1", "tokens_per_s"),
        ((LINE.replace(b"}", b',"speed":1}', 1),), "runs.jsonl, line 1", "speed"),
        ((LINE[:40],), "runs.jsonl, line 1", "correct that line"),
    ],
)
def test_a_fault_names_its_line(folder, lines, key, said):
    with pytest.raises(BadInput) as bad:
        runs.load(folder(*lines))
    assert bad.value.problem.key == key
    assert said in bad.value.problem.message
