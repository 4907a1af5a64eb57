"""The standing proof: no sound published run lies above its ceiling, and the page says so."""

import re
from collections import Counter
from pathlib import Path

import msgspec

from ourmodels_gui import paths
from ourmodels_gui.library.hardware import MachineEntry
from ourmodels_gui.measured.comparisons import comparisons
from ourmodels_gui.measured.proof import beaten, held, page

PAGE = Path(__file__).parents[2] / "docs" / "proof.md"


def with_bandwidth(library, id_: str, share: float):
    """The library with one machine's bandwidth multiplied by a share."""
    entry: MachineEntry = library.machines[id_]
    machine = msgspec.structs.replace(
        entry.machine, bandwidth_bytes_per_s=share * entry.machine.bandwidth_bytes_per_s
    )
    slower = msgspec.structs.replace(entry, machine=machine)
    return msgspec.structs.replace(library, machines=library.machines | {id_: slower})


def test_no_sound_run_lies_above_its_ceiling(measured, ceilings):
    assert {run.id: ceilings[run.id].ratio for run in beaten(measured, ceilings)} == {}


def test_the_proof_covers_every_run_that_is_not_left_out(measured, ceilings):
    matched = {run.id for run in measured.runs.values() if not run.left_out}
    assert set(ceilings) == matched
    assert len(ceilings) >= 440


def test_a_bandwidth_that_is_too_low_is_found(measured, library):
    # the highest decode run on this machine reaches 0.87 of its ceiling
    wrong = with_bandwidth(library, "amd-ryzen-ai-max-395-strix-halo-128gb", 0.85)
    above = beaten(measured, held(measured, wrong))
    assert {run.machine for run in above} == {"amd-ryzen-ai-max-395-strix-halo-128gb"}


def test_a_run_just_above_its_ceiling_counts_only_beyond_rounding(measured, ceilings):
    at = ceilings["m0001"]
    assert msgspec.structs.replace(at, ratio=1 + 2 * at.rounding).beaten
    assert not msgspec.structs.replace(at, ratio=1 + at.rounding / 2).beaten


def test_the_page_is_current(measured, library, ceilings):
    compared = comparisons(paths.resources() / "examples", library)
    now = page(measured, library, ceilings, compared)
    assert PAGE.read_text(encoding="utf-8") == now, "run make proof"


def test_the_page_counts_every_run_once(measured):
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (m\d+)(?: \?)? \|", text, re.MULTILINE)
    left = re.findall(r"`(m\d+)`", text.partition("## Left out")[2].partition("## Every run")[0])
    assert Counter(rows + left) == Counter(list(measured.runs))


def test_every_doubtful_run_is_explained(measured):
    text = PAGE.read_text(encoding="utf-8").partition("## Doubtful runs")[2]
    lines = {line[3:8]: line for line in text.partition("## Left")[0].splitlines() if line}
    doubtful = {run.id for run in measured.runs.values() if run.doubt}
    assert set(lines) == doubtful
    assert all("ratio" in line or "no ceiling: " in line for line in lines.values())


def test_the_two_comparisons_of_the_formulation_come_out(library):
    gemma, bf16, fp4 = comparisons(paths.resources() / "examples", library)
    assert round(gemma.estimate_tokens_per_s) == 333
    assert [round(ratio, 2) for ratio in gemma.ratios] == [0.77, 0.87]
    # six sweeps of 71.28 GB at 273 GB/s and the rereads: the memory is the limit in both brackets
    assert bf16.estimate_tokens_per_s == fp4.estimate_tokens_per_s
    assert 5100 < fp4.estimate_tokens_per_s < 8192 / (6 * 71.28 / 273)
