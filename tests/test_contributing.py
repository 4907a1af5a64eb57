"""What the pages for those who join say is true of the code."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINKED = re.findall(
    r"\[`(\w+)\.(?!py`)(\w+)`\]\(\.\./(ourmodels_gui/engine/[\w/]+)\.py\)",
    (ROOT / "docs" / "formulation.md").read_text(encoding="utf-8"),
)


def test_the_formulation_links_its_functions():
    assert len(LINKED) > 20


@pytest.mark.parametrize("module, function, file", LINKED)
def test_a_formula_links_to_the_function_that_computes_it(module, function, file):
    assert Path(file).name == module
    name = file.replace("/", ".")
    found = getattr(importlib.import_module(name), function)
    assert callable(found)
    assert found.__module__ == name
    assert found.__doc__


def test_the_hooks_before_a_commit_download_nothing():
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^  - repo: (.*)$", text, re.MULTILINE) == ["local"]
    assert re.findall(r"^        language: (.*)$", text, re.MULTILINE) == ["system"] * 4
    assert "://" not in text
    commands = re.findall(r"^        entry: (.*)$", text, re.MULTILINE)
    assert all(command.startswith(".venv/bin/python -m ") for command in commands)


def test_paths_named_in_the_contributing_page_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"(?:`|^ +\S+ )((?:tests|ourmodels_gui)/[\w./]+)", text, re.MULTILINE)
    assert len(named) >= 6
    assert [name for name in named if not (ROOT / name).exists()] == []
