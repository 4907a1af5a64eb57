"""Changes of one operator or number of the engine, named by content rather than by line number."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ENGINE = "ourmodels_gui/engine"
SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


class Change(NamedTuple):
    module: str
    code: str  # the line
    what: str  # "before -> after"
    repeat: int  # which of several that look the same
    line: int
    place: int
    in_function: bool  # not a default, a constant, ...

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.module, self.code, self.what, self.repeat

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.what}    in: {self.code}"


def modules() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / ENGINE).rglob("*.py"))


@cache
def source(module: str) -> str:
    return (ROOT / module).read_text(encoding="utf-8")


def places(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Nodes that can be changed, and the field to change.

    Annotations, decorators, the options of classes, assertions and zip's `strict` compute nothing:
    they are left alone.
    """
    left_alone = set()
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        parts += getattr(node, "decorator_list", [])
        if isinstance(node, ast.ClassDef):
            parts += node.keywords
        if isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            parts.append(node)
        left_alone.update(id(n) for part in parts if part is not None for n in ast.walk(part))
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


def changed(node: ast.AST, field: str) -> object:
    """The other value of a field."""
    old = getattr(node, field)
    if field == "value":
        return not old if isinstance(old, bool) else old + 1
    return [SWAPS[type(old[0])](), *old[1:]] if field == "ops" else SWAPS[type(old)]()


def changes(module: str) -> list[Change]:
    text = source(module)
    tree, lines = ast.parse(text), text.splitlines()
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(n) for body in bodies for statement in body for n in ast.walk(statement)}
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for place, (node, field) in enumerate(places(tree)):
        before, old = ast.unparse(node), getattr(node, field)
        setattr(node, field, changed(node, field))
        code, what = lines[node.lineno - 1].strip(), f"{before} -> {ast.unparse(node)}"
        setattr(node, field, old)
        seen[code, what] += 1
        found.append(
            Change(module, code, what, seen[code, what], node.lineno, place, id(node) in inside)
        )
    return found


def explained() -> set[tuple[str, str, str]]:
    """Module, line and change of every survivor that docs/mutation.md explains."""
    found, module = set(), ""
    for line in (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("`") and line.endswith(".py`"):
            module = f"{ENGINE}/{line.strip('`')}"
        elif line.startswith("- `"):
            code, _, changed_to = line[3:].partition("`: `")
            found |= {(module, code, what) for what in changed_to.rstrip("`").split("`, `")}
    return found


def mutant(change: Change) -> CodeType:
    """The module with the change; its lines are where they were."""
    tree = ast.parse(source(change.module))
    node, field = places(tree)[change.place]
    setattr(node, field, changed(node, field))
    return compile(tree, str(ROOT / change.module), "exec")


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a module and of everything in it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from codes(part)


def executable(module: str) -> set[int]:
    """The lines that can be executed."""
    whole = compile(source(module), module, "exec")
    return {line for code in codes(whole) for *_, line in code.co_lines() if line}
