import doctest
import importlib
import pkgutil

import pytest

from ourmodels_gui import engine

MODULES = [module.name for module in pkgutil.iter_modules(engine.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_docstrings_come_out(name):
    module = importlib.import_module(f"ourmodels_gui.engine.{name}")
    assert doctest.testmod(module).failed == 0
