"""`ourmodels --smoke`: what an installed copy says of itself, even in an empty environment."""

import subprocess
import sys

import pytest

BREAK = "import sys; from ourmodels_gui import app, cli\n{}\nsys.exit(cli.main(['--smoke']))"
NO_ANSWER = """
from ourmodels_gui.gui import recompute
from ourmodels_gui.evaluation import run
import msgspec
recompute.Recompute.__init__.__defaults__ = (
    lambda scenario, library: run(
        msgspec.structs.replace(scenario, hardware="no such machine"), library
    ),
    None,
)
"""
FAULT = "app._prefill_tab = lambda points: 1 / 0"
EMPTY = """
from ourmodels_gui.gui import smoke
smoke.FEWEST_COLOURS = 10**6
"""


def run(*command, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", *command],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need their environment")
def test_it_passes_in_an_empty_environment_and_leaves_nothing(tmp_path):
    done = run("-m", "ourmodels_gui", "--smoke", HOME=str(tmp_path), TMPDIR=str(tmp_path))
    lines = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, lines) == (0, [])
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")}
    # fontconfig keeps a cache for every program of the user
    assert {name for name in left if not name.startswith(".cache")} == set()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need their environment")
@pytest.mark.parametrize(
    "broken, why",
    [(NO_ANSWER, "no answer"), (FAULT, "a fault: ZeroDivisionError"), (EMPTY, "nothing was")],
    ids=["no-answer", "fault", "nothing-painted"],
)
def test_it_fails_and_says_why(broken, why, tmp_path):
    done = run("-c", BREAK.format(broken), HOME=str(tmp_path))
    assert done.returncode == 1
    assert f"smoke: {why}" in done.stderr
