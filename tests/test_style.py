"""Style and types are part of what is tested, so that nobody has to remember to run the tools."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("tool", ["ruff check", "ruff format --check", "mypy"])
def test_the_tool_has_nothing_to_say(tool):
    done = subprocess.run(
        [sys.executable, "-m", *tool.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
