"""The pages that docs/build_pages.py computes are current; docs/draw_figures.py draws fairly."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def script(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages():
    return script("build_pages").pages()


@pytest.mark.parametrize("name", ["audit.md", "catalog-sizes.md"])
def test_a_computed_page_is_current(pages, name):
    held = (DOCS / name).read_text(encoding="utf-8")
    assert held == pages[name], "run make pages"


def test_every_exception_stands_in_its_page_with_a_reason(pages):
    rows = pages["catalog-sizes.md"].split("## Exceptions")[1].split("## Not compared")[0]
    entries = [line for line in rows.splitlines() if line.startswith("| ")][1:]
    assert entries
    for entry in entries:
        assert len(entry.split(" | ")[-1]) > 40


def test_a_draw_repeats_itself_and_reaches_machines_and_models():
    draw = script("draw_figures")
    library = draw.load(draw.CATALOG)
    drawn = draw.draw(library, 200, 7)
    assert drawn == draw.draw(library, 200, 7)
    assert drawn != draw.draw(library, 200, 8)
    assert len({(figure.file, figure.key) for figure in drawn}) == 200
    assert {figure.file.split("/")[0] for figure in drawn} == {"hardware", "models"}
    for figure in draw.population(library):
        assert figure.says and figure.source in library.sources, figure
