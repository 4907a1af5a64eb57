"""The log is one file that is never lost: damage is set aside, two windows both get through."""

import json

import pytest

from ourmodels_gui.composed import HardwareRef
from ourmodels_gui.measured import log
from ourmodels_gui.measured.log import Entry, add, load, read, remove, subject, subject_of, write
from ourmodels_gui.measured.runs import Drafting, MeasuredRun, Said
from ourmodels_gui.problem import BadInput
from ourmodels_gui.scenario import ModelRef, Scenario

DAY = "2026-11-30"


def run(**changes):
    fields = {
        "id": "pasted-1",
        "said": Said("RTX 3090", "Llama 3 8B", "Q4_K_M"),
        "machine": "geforce-rtx-3090",
        "model": "llama-3-8b",
        "weights": "q4_k_m",
        "phase": "decode",
        "batch": 2,
        "generated_tokens": 128.0,
        "drafting": Drafting("mtp", 3, 0.5),
        "tokens_per_s": 111.74,
        "decimals": 2,
        "source": "pasted",
    }
    return MeasuredRun(**fields | changes)


def stored(folder, **changes):
    """A log with one good entry, its document changed."""
    document = json.loads(write((Entry(DAY, run()),))) | changes
    (folder / log.FILE).write_text(json.dumps(document), encoding="utf-8")


def test_no_file_is_an_empty_log(tmp_path):
    assert load(tmp_path) == log.Log()
    assert list(tmp_path.iterdir()) == []


def test_what_is_logged_is_read_again_the_same(tmp_path):
    written = add(tmp_path / "new", (run(), run(tokens_per_s=9.5)), DAY)
    again = load(tmp_path / "new")
    assert again == written
    assert [entry.run.id for entry in again.entries] == ["log-1", "log-2"]
    assert again.entries[0].run.drafting == Drafting("mtp", 3, 0.5)


def test_ids_are_free_ones_and_removal_takes_the_named(tmp_path):
    add(tmp_path, (run(), run(), run()), DAY)
    left = remove(tmp_path, frozenset({"log-2"}))
    assert [entry.run.id for entry in left.entries] == ["log-1", "log-3"]
    assert [entry.run.id for entry in add(tmp_path, (run(),), DAY).entries][-1] == "log-2"


def test_a_damaged_entry_is_set_aside_with_a_notice_once(tmp_path):
    good = json.loads(write((Entry(DAY, run()),)))["entries"][0]
    broken = {"logged": DAY, "run": {"id": "x", "speed": 4}}
    stored(tmp_path, entries=[good, broken, 7])
    found = load(tmp_path)
    assert [entry.run for entry in found.entries] == [run()]
    assert "2 measurements could not be read" in found.notice and "entries[1]" in found.notice
    aside = json.loads((tmp_path / "measurements.unread-1.json").read_bytes())
    assert aside["entries"] == [broken, 7]
    assert load(tmp_path).notice == ""
    assert [entry.run for entry in load(tmp_path).entries] == [run()]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe\x00", b'{"format": "other"}', b""])
def test_a_damaged_file_is_kept_under_another_name(tmp_path, content):
    (tmp_path / log.FILE).write_bytes(content)
    found = load(tmp_path)
    assert found.entries == () and "measurements.unread-1.json" in found.notice
    assert (tmp_path / "measurements.unread-1.json").read_bytes() == content
    assert not (tmp_path / log.FILE).exists()


def test_a_later_version_is_not_read_and_not_lost(tmp_path):
    stored(tmp_path, version=2)
    assert "the file has 2" in load(tmp_path).notice
    assert (tmp_path / "measurements.unread-1.json").exists()


@pytest.mark.parametrize("day", ["2026-13-01", "2026-1-01", "yesterday!", "2026-11-32"])
def test_a_day_that_is_none_is_refused(day):
    row = json.loads(write((Entry(DAY, run()),)))["entries"][0] | {"logged": day}
    document = {"format": log.FORMAT, "version": 1, "entries": [row]}
    entries, damaged = read(json.dumps(document).encode())
    assert entries == () and "logged" in damaged[0][1]


def test_two_windows_lose_nothing(tmp_path, monkeypatch):
    add(tmp_path, (run(),), DAY)
    calm, replaced = log.replace, []

    def slow(path, data, expected):
        if not replaced:
            replaced.append(True)
            add(tmp_path, (run(tokens_per_s=5.0),), DAY)  # the other window is quicker
        calm(path, data, expected)

    monkeypatch.setattr(log, "replace", slow)
    rates = [entry.run.tokens_per_s for entry in add(tmp_path, (run(),), DAY).entries]
    assert rates == [111.74, 5.0, 111.74]


def test_a_full_log_refuses_and_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(log, "MOST_ENTRIES", 2)
    add(tmp_path, (run(), run()), DAY)
    with pytest.raises(BadInput, match="at most 2"):
        add(tmp_path, (run(),), DAY)
    assert len(load(tmp_path).entries) == 2


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "blocked").write_text("a file", encoding="utf-8")
    with pytest.raises(BadInput):
        add(tmp_path / "blocked", (run(),), DAY)
    assert (tmp_path / "blocked").read_text(encoding="utf-8") == "a file"


def test_a_full_log_stays_below_what_is_read_at_once():
    long = run(note="n" * 120, said=Said("m" * 60, "n" * 60, "w" * 20), where="x" * 40)
    entries = (Entry(DAY, long),) * log.MOST_ENTRIES
    assert len(write(entries)) / log.MOST_ENTRIES < 900


def test_a_run_belongs_to_the_scenario_of_its_ids_or_names(library):
    chosen = Scenario("geforce-rtx-3090", ModelRef("llama-3-8b", "q4_k_m"))
    assert subject(chosen, library) == subject_of(run())
    as_released = Scenario("geforce-rtx-3090", ModelRef("llama-3-8b"))
    assert subject(as_released, library) == subject_of(run(weights="bf16"))
    travelling = Scenario(HardwareRef("geforce-rtx-3090", {}), chosen.model)
    assert subject(travelling, library) == subject_of(run())
