"""The tool that changes the engine: what it changes, and that nothing else sees it."""

import ast
import os
from types import FunctionType

import pytest
from mutate import in_fork, replace
from mutations import changes, codes, executable, explained, modules, mutant, places

from ourmodels_gui.engine import turn
from ourmodels_gui.engine.setup import Prompt

TURN = "ourmodels_gui/engine/turn.py"


def test_only_what_computes_is_changed():
    text = """
@cached(size=1)
class A(B, frozen=True):
    field: Literal[2] = 3
    def f(self, x: Literal[4] = 5 < 6) -> Literal[7]:
        assert x != 10
        zip(x, x, strict=True)
        return x + 8 and "9"
"""
    found = {ast.unparse(node) for node, _ in places(ast.parse(text))}
    assert found == {"3", "5", "6", "8", "5 < 6", "x + 8", "x + 8 and '9'"}


def test_a_change_is_told_by_its_line_and_knows_whether_a_function_holds_it():
    told = {change.what: change for change in changes(TURN)}
    change = told["(prompt.answer_tokens or 1) - 1 -> (prompt.answer_tokens or 1) + 1"]
    assert change.code == "answer = (prompt.answer_tokens or 1) - 1"
    assert change.in_function
    assert str(change).startswith(f"{TURN}:{change.line}: {change.what}")
    defaults = [found for found in changes(TURN) if "batch: int = 1" in found.code]
    assert [(found.what, found.in_function) for found in defaults] == [("1 -> 2", False)]


def test_every_change_has_a_name_of_its_own_and_lies_on_a_line_that_can_be_executed():
    for module in modules():
        found = changes(module)
        assert len({change.key for change in found}) == len(found)
        statements = executable(module)
        assert all(change.line in statements for change in found), module


def test_a_mutant_differs_from_the_module_in_one_function():
    for change in changes(TURN):
        one = {code.co_qualname: code for code in codes(mutant(change))}
        assert {"turn", "turn_tokens", "total_read_bytes"} <= set(one), change
    with open(turn.__file__, encoding="utf-8") as file:
        usual = {code.co_qualname: code for code in codes(compile(file.read(), "", "exec"))}
    change = next(found for found in changes(TURN) if found.code.startswith("answer = ("))
    other = {code.co_qualname: code for code in codes(mutant(change))}
    differ = [name for name, code in usual.items() if code.co_code != other[name].co_code]
    assert differ == ["turn_tokens"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_mutant_lives_in_a_process_of_its_own():
    change = next(found for found in changes(TURN) if "- 1 -> " in found.what)
    live = [found for found in vars(turn).values() if isinstance(found, FunctionType)]
    prompt = Prompt(100, 10, answer_tokens=3)

    def changed():
        replace(mutant(change), live)
        return turn.turn_tokens(prompt)

    assert turn.turn_tokens(prompt) == 112
    assert in_fork(changed) == 114
    assert turn.turn_tokens(prompt) == 112
    assert in_fork(lambda: os.kill(os.getpid(), 9)) is None


def test_what_is_explained_is_still_there():
    """A survivor whose line has changed is to be tried again."""
    there = {change.key[:3] for module in modules() for change in changes(module)}
    assert explained()
    assert explained() <= there, sorted(explained() - there)
