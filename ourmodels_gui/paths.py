"""Where shipped data and the user's files live."""

import os
from pathlib import Path

HOME_VARIABLE = "OURMODELS_HOME"
"""Environment variable that moves the user's folder, for tests and for portable use."""


def shipped() -> Path:
    """The folder that holds `catalog` and `resources`.

    An installed package carries them in `_data`; a checkout has them beside the package.
    """
    package = Path(__file__).resolve().parent
    inside = package / "_data"
    return inside if inside.is_dir() else package.parent


def catalog() -> Path:
    """The folder of shipped machines, models and sources."""
    return shipped() / "catalog"


def resources() -> Path:
    """The folder of icons, licence texts and example scenarios."""
    return shipped() / "resources"


def user_data() -> Path:
    """The user's own folder; it need not exist yet."""
    if chosen := os.environ.get(HOME_VARIABLE):
        return Path(chosen)
    import platformdirs  # noqa: PLC0415 - not every start asks for it

    return platformdirs.user_data_path("ourmodels", appauthor=False, roaming=True)
