"""The shipped catalog and its measured set, loaded once for all of these tests."""

import pytest

from ourmodels_gui import paths
from ourmodels_gui.library.load import Library, load
from ourmodels_gui.measured import runs
from ourmodels_gui.measured.proof import Held, held


@pytest.fixture(scope="session")
def library() -> Library:
    return load(paths.catalog())


@pytest.fixture(scope="session")
def measured() -> runs.MeasuredSet:
    return runs.load(paths.catalog())


@pytest.fixture(scope="session")
def ceilings(measured, library) -> Held:
    return held(measured, library)
