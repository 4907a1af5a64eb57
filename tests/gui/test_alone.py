"""Tests that need a process without what hundreds of other tests have left in it.

Of memory; and of the focus, because a key or a button that a test left pressed decides of it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "name", ["test_freed_memory", "test_repeated", "test_steady", "test_visible_focus"]
)
def test_it_passes_in_a_process_of_its_own(name):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{HERE / name}.py"],
        env={**os.environ, "ALONE": "1"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
