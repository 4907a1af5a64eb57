"""The user's own measurements in a report, each against its ceiling."""

import msgspec
import pytest
from report_cases import known, library

from ourmodels_gui.evaluation import run
from ourmodels_gui.measured import log
from ourmodels_gui.measured.check import check
from ourmodels_gui.measured.runs import MeasuredRun, Said
from ourmodels_gui.report.build import build
from ourmodels_gui.report.known import gather
from ourmodels_gui.report.shapes import Table
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice
from ourmodels_gui.units import rate

OWNED = Scenario(
    "geforce-rtx-3090",
    ModelRef("qwen3-32b", weights="q4_k_m"),
    workload=WorkloadChoice(reserved_context_tokens=8000, read_context_tokens=4000),
)


def measured(**changed):
    usual = {
        "id": "",
        "source": "",
        "said": Said("RTX 3090", "Qwen3-32B", "Q4_K_M"),
        "phase": "decode",
        "tokens_per_s": 34.0,
        "machine": "geforce-rtx-3090",
        "model": "qwen3-32b",
        "weights": "q4_k_m",
        "batch": 1,
        "depth_tokens": 4000,
    }
    return MeasuredRun(**(usual | changed))


@pytest.fixture
def logged(tmp_path):
    """The runs of a log as a report knows them."""

    def add(*runs):
        log.add(tmp_path, runs, "2026-11-30")
        entries = gather(library(), tmp_path / "no catalog", tmp_path).logged
        assert len(entries) == len(runs)
        return msgspec.structs.replace(known(), logged=entries)

    return add


def own_runs(report):
    blocks = [block for part in report.sections for block in part.blocks]
    return next((b for b in blocks if isinstance(b, Table) and b.name == "own-runs"), None)


def test_a_logged_run_stands_with_its_ceiling_and_the_room_that_is_left(logged):
    done = logged(measured(), measured(machine="geforce-rtx-4090"))
    (row,) = own_runs(build([run(OWNED, library())], done)).rows
    limit = check(measured(), library()).ceiling
    assert limit.tokens_per_s > 34.0
    assert row[1:] == (
        "2026-11-30",
        "34.0",
        rate(limit.tokens_per_s),
        f"{100 * limit.ratio:.0f} %",
        rate(limit.tokens_per_s - 34.0),
    )
    assert row[0].startswith("decode") and "at depth 4,000" in row[0]


def test_a_run_above_its_ceiling_has_no_room(logged):
    done = logged(measured(tokens_per_s=500.0))
    assert own_runs(build([run(OWNED, library())], done)).rows[0][-1] == "above it"


def test_of_several_each_run_names_whose_it_is(logged):
    other = msgspec.structs.replace(OWNED, hardware="geforce-rtx-4090")
    done = logged(measured(machine="geforce-rtx-4090"))
    both = [run(OWNED, library()), run(other, library())]
    assert [row[0] for row in own_runs(build(both, done)).rows] == ["B"]


def test_without_a_log_or_with_a_damaged_one_nothing_is_said(tmp_path):
    assert own_runs(build([run(OWNED, library())], known())) is None
    path = tmp_path / log.FILE
    path.write_text("{")
    assert gather(library(), tmp_path / "no catalog", tmp_path).logged == ()
    assert path.read_text() == "{"
