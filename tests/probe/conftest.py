"""The shipped catalog, loaded once."""

import pytest

from ourmodels_gui import paths
from ourmodels_gui.library.load import Library, load


@pytest.fixture(scope="session")
def library() -> Library:
    return load(paths.catalog())
