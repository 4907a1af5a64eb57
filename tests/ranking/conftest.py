import pytest

from ourmodels_gui import paths
from ourmodels_gui.library.load import load


@pytest.fixture(scope="session")
def library():
    """The shipped catalog."""
    return load(paths.catalog())
