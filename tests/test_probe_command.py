"""`ourmodels probe` prints what it found, and saves a machine only with what it needs."""

import json

import pytest

from ourmodels_gui import cli, paths
from ourmodels_gui.library.load import load
from ourmodels_gui.probe import bandwidth
from ourmodels_gui.probe.bandwidth import Bandwidth, Passes


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    return tmp_path


def test_it_says_what_was_found_and_what_was_not_guessed(capfdbinary):
    assert cli.main(["probe"]) == 0
    text = capfdbinary.readouterr().out.decode()
    assert text.startswith("Found\n")
    assert "\nMachines\n" in text


def test_json_holds_the_same(capfdbinary):
    assert cli.main(["probe", "--json"]) == 0
    found = json.loads(capfdbinary.readouterr().out)
    assert found["computer"]["system"]
    assert found["machines"]


def test_a_machine_is_saved_with_the_limit_that_was_given(home, capfdbinary):
    arguments = ["probe", "--save", "--name", "My box", "--limit", "89.6"]
    assert cli.main(arguments) == 0
    library = load(paths.catalog(), home)
    own = next(entry for entry in library.machines.values() if entry.yours)
    assert own.name == "My box"
    assert own.machine.bandwidth_bytes_per_s == 89.6e9
    assert library.problems == ()
    assert b"saved as" in capfdbinary.readouterr().err


def test_a_measured_bandwidth_is_saved_beside_the_limit(home, monkeypatch, capfdbinary):
    measured = Bandwidth(2, (Passes(2**30, (50e9, 61e9)),))
    monkeypatch.setattr(bandwidth, "measure", lambda *_given: measured)
    assert cli.main(["probe", "--bandwidth", "--save", "--limit", "89.6"]) == 0
    library = load(paths.catalog(), home)
    own = next(entry for entry in library.machines.values() if entry.yours)
    assert own.measured == {"bandwidth": 61e9}
    assert library.problems == ()
    assert b"61.0 GB/s sustained" in capfdbinary.readouterr().out


@pytest.mark.parametrize("limit", ["0", "-3", "nan", "1e30"])
def test_a_limit_that_is_none_is_refused(limit, home):
    assert cli.main(["probe", "--save", "--limit", limit]) == 2
    assert not (home / "hardware").exists()


def test_a_measurement_above_the_limit_is_not_saved(home, monkeypatch):
    measured = Bandwidth(2, (Passes(2**30, (61e9,)),))
    monkeypatch.setattr(bandwidth, "measure", lambda *_given: measured)
    assert cli.main(["probe", "--bandwidth", "--save", "--limit", "40"]) == 2
    assert not (home / "hardware").exists()
