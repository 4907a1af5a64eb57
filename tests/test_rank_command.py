import csv
import io
from functools import partial

import pytest

from ourmodels_gui import paths, scenario
from ourmodels_gui.library.load import load

EXAMPLES = paths.resources() / "examples"


@pytest.fixture
def run(command):
    """Runs `ourmodels rank`: status, standard output, the lines of standard error."""
    return partial(command, "rank")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_machines_for_a_model(run):
    status, out, err = run("--model", "qwen3-30b-a3b", "--weights", "q4_k_m", "--csv")
    assert status == 0 and err == []
    found = rows(out)
    library = load(paths.catalog())
    assert {row["hardware"] for row in found} == library.machines.keys() | library.compositions
    assert {row["model_id"] for row in found} == {"qwen3-30b-a3b"}
    assert {row["weights"] for row in found} == {"q4_k_m"}
    rates = [float(row["aggregate_tokens_per_s"]) for row in found if row["verdict"] == "serves"]
    assert rates == sorted(rates, reverse=True)
    verdicts = [row["verdict"] == "serves" for row in found]
    assert verdicts == sorted(verdicts, reverse=True)
    assert all(
        bool(row["reason"]) is not serves for row, serves in zip(found, verdicts, strict=True)
    )


def test_models_for_a_machine(run):
    status, out, _ = run("--hardware", "geforce-rtx-4090")
    assert status == 0 and "gpt-oss-20b" in out and "pairs serve" in out


def test_models_for_a_composition(run):
    status, out, _ = run("--hardware", "geforce-rtx-3090-x2", "--csv")
    found = rows(out)
    assert status == 0 and {row["hardware"] for row in found} == {"geforce-rtx-3090-x2"}
    row = next(row for row in found if row["model_id"] == "qwen3-8b")
    assert float(row["price"]) == 2 * 1499 and float(row["watts"]) == 700
    assert float(row["prefill_tokens_per_s"]) > 0.0 < float(row["time_to_first_token_s"])


def test_one_pair(run):
    status, out, _ = run("--model", "gpt-oss-20b", "--hardware", "geforce-rtx-4090", "--csv")
    assert status == 0 and len(rows(out)) == 1


def test_the_whole_catalog_is_cut_in_text_and_says_so(run):
    status, out, _ = run()
    assert status == 0
    assert "more rows; --csv prints all of them" in out
    assert len(out.splitlines()) < 120


def test_the_workload_is_the_scenarios(run):
    path = EXAMPLES / f"dgx-spark-qwen3.6-35b-a3b{scenario.SUFFIX}"
    chosen = scenario.read_file(path)
    status, out, _ = run("--scenario", path, "--model", "gpt-oss-20b")
    assert status == 0
    assert f"{chosen.workload.reserved_context_tokens or 100_000:,} tokens" in out


def test_best_takes_the_largest_format_that_serves(run):
    _, out, _ = run("--model", "qwen3-30b-a3b", "--weights", "best", "--csv")
    served = {row["weights"] for row in rows(out) if row["verdict"] == "serves"}
    assert {"bf16", "q4_k_m"} <= served


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["--model", "no-such-model"], "no-such-model"),
        (["--hardware", "no-such-machine"], "no-such-machine"),
        (["--model", "gpt-oss-20b", "--weights", "q9"], "q9"),
        (["--weights", "q4_k_m"], "--model"),
        (["--colour"], "--help"),
    ],
)
def test_bad_input_is_one_line_and_status_2(run, arguments, word):
    status, out, err = run(*arguments)
    assert status == 2 and out == "" and len(err) == 1 and word in err[0]


def test_a_bad_scenario_has_status_2_and_a_missing_one_3(run, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"format": "ourmodels-scenario", "version": 1, "surprise": 1}')
    status, out, err = run("--scenario", bad)
    assert status == 2 and out == "" and "surprise" in err[0]
    status, out, err = run("--scenario", tmp_path / "missing.json")
    assert status == 3 and out == "" and "missing.json" in err[0]


def test_own_prices_are_printed_and_damaged_ones_set_aside(run, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.json").write_text(
        '{"format": "ourmodels-settings", "version": 1,'
        ' "prices": {"geforce-rtx-4090": {"amount": 77}}}'
    )
    pair = ["--model", "gpt-oss-20b", "--hardware", "geforce-rtx-4090", "--csv"]
    assert rows(run(*pair)[1])[0]["price"] == "77.0"
    (home / "settings.json").write_text("{")
    status, out, err = run(*pair)
    assert status == 0 and rows(out)[0]["price"] != "77.0" and "unread-1" in err[0]
