"""What holds for every test."""

import os

import pytest
from hypothesis import settings

from ourmodels_gui import cli, paths

# In CI random setups are drawn from a fixed seed: a run there judges the change, not the draw.
# Everywhere else each run draws new ones.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# Tests read the texts of the code, whatever the system speaks.
os.environ["OURMODELS_LANGUAGE"] = "en"


@pytest.fixture
def command(capfdbinary, monkeypatch, tmp_path):
    """Runs a command in this process: status, standard output, the lines of standard error."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))

    def run(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode().splitlines()

    return run
