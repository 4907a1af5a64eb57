"""The files that the guides in docs/ show can be used as they stand."""

import re
import shutil
from pathlib import Path

import msgspec
import pytest

from ourmodels_gui import paths
from ourmodels_gui.library.check import check_hardware
from ourmodels_gui.library.check_compositions import check_compositions
from ourmodels_gui.library.check_models import check_model
from ourmodels_gui.library.compositions import CompositionRecord
from ourmodels_gui.library.hardware import Configuration, HardwareRecord, Memory
from ourmodels_gui.library.load import load
from ourmodels_gui.library.models import (
    Audit,
    ExpertSet,
    LayerGroup,
    ModelRecord,
    Mtp,
    Published,
    Tensors,
    total_parameters,
)
from ourmodels_gui.library.records import Figure

DOCS = Path(__file__).parents[1] / "docs"


GUIDE = (DOCS / "catalog.md").read_text(encoding="utf-8")


def whole_examples() -> list[str]:
    """The complete JSON files that the guide shows: a machine, a model, a composition."""
    return [block for block in re.findall(r"```json\n(.*?)```", GUIDE, re.S) if '"name"' in block]


@pytest.fixture
def library(tmp_path):
    folders = ("hardware", "models", "compositions")
    for folder, text in zip(folders, whole_examples(), strict=True):
        (tmp_path / "user" / folder).mkdir(parents=True)
        name = "example-x1-x2.json" if folder == "compositions" else "example.json"
        (tmp_path / "user" / folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "catalog").mkdir()
    shutil.copy(paths.catalog() / "links.json", tmp_path / "catalog")
    return load(tmp_path / "catalog", tmp_path / "user")


@pytest.mark.parametrize(
    "struct",
    [
        HardwareRecord, Memory, Configuration, Figure, ModelRecord, Tensors, ExpertSet, LayerGroup,
        Mtp, Published, Audit, CompositionRecord,
    ],
)  # fmt: skip
def test_the_guide_names_every_key(struct):
    keys = [field.encode_name for field in msgspec.structs.fields(struct)]
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`\n]+)`", GUIDE)) + GUIDE))
    assert [key for key in keys if key not in named] == []


def test_the_examples_pass_every_check(library):
    records = {entry.place: entry.record for entry in library.machines.values()}
    assert check_hardware(records, None) == []
    assert check_model(library.models["example"].record, "example.json") == []
    assert check_compositions(library, None, yours=True) == []


def test_the_examples_load_without_a_problem(library):
    assert library.problems == ()


def test_the_machine_is_what_the_guide_says(library):
    machine = library.machines["example-x1"].machine
    assert machine.capacity_bytes == 24 * 2**30
    assert machine.bandwidth_bytes_per_s == 1e12


def test_the_shapes_of_the_model_sum_to_its_published_total(library):
    record = library.models["example"].record
    assert total_parameters(record) == record.published_parameters
