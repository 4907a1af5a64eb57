"""The files that the guides in docs/ show can be used as they stand."""

import re
from pathlib import Path

import pytest

from ourmodels_gui.library.load import load
from ourmodels_gui.library.models import total_parameters

DOCS = Path(__file__).parents[1] / "docs"


def whole_example(guide: str) -> str:
    """The first complete JSON file that a guide shows."""
    text = (DOCS / guide).read_text(encoding="utf-8")
    return next(
        block for block in re.findall(r"```json\n(.*?)```", text, re.S) if '"name"' in block
    )


@pytest.fixture
def library(tmp_path):
    for folder, guide in (("hardware", "adding-a-machine.md"), ("models", "adding-a-model.md")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "example.json").write_text(whole_example(guide), encoding="utf-8")
    return load(tmp_path / "no-catalog", tmp_path)


def test_the_examples_load_without_a_problem(library):
    assert library.problems == ()


def test_the_machine_is_what_the_guide_says(library):
    machine = library.machines["example-x1"].machine
    assert machine.capacity_bytes == 24 * 2**30
    assert machine.bandwidth_bytes_per_s == 1e12


def test_the_shapes_of_the_model_sum_to_its_published_total(library):
    record = library.models["example"].record
    assert total_parameters(record) == record.published_parameters
