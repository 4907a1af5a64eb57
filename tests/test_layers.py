"""The layers of docs/architecture.md; import-linter's contracts stand in pyproject.toml."""

import re
import sys
from pathlib import Path

import grimp
import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ourmodels_gui"


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("ourmodels_gui", include_external_packages=True, cache_dir=None)


def importers(graph: grimp.ImportGraph, package: str) -> set[str]:
    """Modules of the program that import the package themselves."""
    if package not in graph.modules:
        return set()
    return graph.find_modules_that_directly_import(package)


def test_every_contract_is_kept(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS, capsys.readouterr().out


def test_only_plot_modules_know_pyqtgraph(imports):
    assert {name for name in importers(imports, "pyqtgraph") if "plot" not in name} == set()


def test_nothing_imports_a_way_to_the_network(imports):
    for package in ("socket", "ssl", "http", "urllib", "ftplib", "smtplib", "asyncio", "requests"):
        assert importers(imports, package) == set(), package


def test_the_engine_stands_on_numpy_and_msgspec_alone(imports):
    engine = {name for name in imports.modules if name.startswith("ourmodels_gui.engine")}
    used = set().union(*(imports.find_modules_directly_imported_by(name) for name in engine))
    outside = {name.partition(".")[0] for name in used - engine} - sys.stdlib_module_names
    assert outside <= {"numpy", "msgspec"}


def test_the_module_tree_of_the_architecture_is_the_real_one():
    """Every module stands once, below its folder."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tree = page.partition("    ourmodels_gui/\n")[2].partition("    resources/")[0]
    named: list[Path] = []
    folders = {4: PACKAGE}
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip())
        folder = folders[max(depth for depth in folders if depth < indent)]
        if inside := re.match(r" *(\w+)/", line):
            folders = {depth: path for depth, path in folders.items() if depth < indent}
            folders[indent] = folder / inside[1]
        else:
            named += [folder / name for name in re.findall(r"(?<![\w/])\w+\.py", line)]
    assert sorted(path for path in set(named) if named.count(path) > 1) == []
    real = {path for path in PACKAGE.rglob("*.py") if not path.name.startswith("__")}
    assert {str(path.relative_to(PACKAGE)) for path in real ^ set(named)} == set()
