"""The pages that docs/write.py computes are current."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def script():
    spec = importlib.util.spec_from_file_location("write_pages", DOCS / "write.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages():
    return script().pages()


@pytest.mark.parametrize("name", ["audit.md", "catalog-sizes.md"])
def test_a_computed_page_is_current(pages, name):
    held = (DOCS / name).read_text(encoding="utf-8")
    assert held == pages[name], "run python docs/write.py"


def test_every_exception_stands_in_its_page_with_a_reason(pages):
    rows = pages["catalog-sizes.md"].split("## Exceptions")[1].split("## Not compared")[0]
    entries = [line for line in rows.splitlines() if line.startswith("| ")][1:]
    assert entries
    for entry in entries:
        assert len(entry.split(" | ")[-1]) > 40
