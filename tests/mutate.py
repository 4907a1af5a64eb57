"""Changes one operator or number of a module at a time and says which changes no test notices.

    python tests/mutate.py MODULE.py [EVERY] [TEST...]

EVERY: try each n-th change only. TEST: what has to notice; tests/engine without any. The module is
changed in a copy of the checkout. Exit status 1 when a change survived.
"""

import ast
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import hypothesis  # noqa: F401 - loaded once, not in every trial
import numpy  # noqa: F401
import pytest

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 300
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def places(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Nodes that can be changed, and the field to change; annotations are left alone."""
    left_alone = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if (part := getattr(node, name, None)) is not None:
                left_alone.update(map(id, ast.walk(part)))
    found = []
    for node in ast.walk(tree):
        if id(node) in left_alone:
            continue
        if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
            found.append((node, "op"))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            found.append((node, "ops"))
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            found.append((node, "value"))
    return found


def mutant(source: str, number: int) -> tuple[str, str]:
    """The source with its n-th place changed, and what was changed."""
    tree = ast.parse(source)
    node, field = places(tree)[number]
    before = ast.unparse(node)
    if field == "value":
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif field == "ops":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    else:
        node.op = SWAPS[type(node.op)]()
    return ast.unparse(tree), f"line {node.lineno}: {before} -> {ast.unparse(node)}"


def passes(folder: Path, tests: list[str]) -> bool:
    """Whether the tests pass on the copy of the checkout in a folder, within the limit of time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.chdir(folder)
            sys.path[:] = [str(folder), *(path for path in sys.path if path != str(ROOT / "tests"))]
            sys.dont_write_bytecode = True
            os.environ |= {"CI": "1", "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            signal.alarm(LIMIT_S)
            # what is loaded already says so, and warnings are errors
            loaded = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            status = int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *loaded, *tests]))
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def main(module: Path, every: int, tests: list[str]) -> int:
    source = (ROOT / module).read_text(encoding="utf-8")
    survivors, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("ourmodels_gui", "tests"):
            shutil.copytree(ROOT / name, copy / name)
        for name in ("catalog", "resources"):
            (copy / name).symlink_to(ROOT / name)
        shutil.copy(ROOT / "pyproject.toml", copy)
        if not passes(copy, tests):
            print("the tests fail without any change")
            return 2
        for number in range(0, len(places(ast.parse(source))), every):
            text, what = mutant(source, number)
            (copy / module).write_text(text, encoding="utf-8")
            tried += 1
            if passes(copy, tests):
                survivors.append(what)
                print(f"survived: {what}", flush=True)
    print(f"{module}: {tried - len(survivors)} of {tried} changes noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    path, *rest = sys.argv[1:]
    step = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
    sys.exit(main(Path(path), step, rest or ["tests/engine"]))
