"""Where shipped data and the user's files live."""

import os
from pathlib import Path

from .problem import BadInput

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


def home() -> Path:
    """Where file dialogs begin: the user's home, or the current folder of one who has none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path.cwd()


def as_text(path: Path) -> str:
    r"""A path as a file of text can keep it; "" for one whose name is no text in this system's
    encoding, as from a disk of another system.

    >>> as_text(Path("/a/b")), as_text(Path("/a/\udcff"))
    ('/a/b', '')
    """
    name = str(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        return ""
    return name


def user_data() -> Path:
    """The user's own folder; it need not exist yet.

    Raises BadInput for a user without a home, as some services and containers have.
    """
    if chosen := os.environ.get(HOME_VARIABLE):
        return Path(chosen)
    import platformdirs  # noqa: PLC0415 - not every start asks for it

    try:
        return platformdirs.user_data_path("ourmodels", appauthor=False, roaming=True)
    except RuntimeError:
        from .language import tr  # noqa: PLC0415 - which asks here where its words are

        raise BadInput(
            HOME_VARIABLE, tr("there is no home folder here; name a folder for your files in it")
        ) from None
