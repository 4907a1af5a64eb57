"""What every bundle has in common: names, the version, and what of Qt is left out."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = "Our Models"
APP_ID = "org.ourmodels.OurModels"
"""The id in desktop files, metadata and bundles; once published the same for ever. Files are named
after it, and tests say where another one still stands."""

AUTHORS = "The Our Models Desktop authors"
CONTACT = "authors@ourmodels.invalid"
"""Who answers for a package. Nobody gets mail at .invalid: whoever publishes writes a real one."""

COMPONENTS = ("PySide6-Essentials", "pyqtgraph", "numpy", "msgspec", "pypdf", "platformdirs")
"""Packages whose metadata the About dialog reads."""

UNUSED_MODULES = (
    "tkinter",
    "readline",
    "sqlite3",
    "PySide6.QtNetwork",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtSql",
    "pyqtgraph.examples",
    "pyqtgraph.opengl",
    "numpy.f2py",
)

UNUSED_FILES = (
    "PySide6/Qt/translations",
    "PySide6/Qt/qml",
    "plugins/platformthemes/libqgtk3",
    "plugins/platforms/libqeglfs",
    "plugins/platforms/libqlinuxfb",
    "plugins/platforms/libqminimalegl",
    "plugins/platforms/libqvkkhrdisplay",
    "plugins/platforms/libqvnc",
    "plugins/egldeviceintegrations",
    "plugins/networkinformation",
    "plugins/tls",
    "plugins/sqldrivers",
    "plugins/qmltooling",
    "plugins/virtualkeyboard",
    "plugins/platforminputcontexts/libqtvirtualkeyboard",
    "Qt6VirtualKeyboard",
    "Qt6Qml",
    "Qt6Quick",
    "Qt6Network",
    "Qt6EglFS",
    "Qt6Pdf",
    "plugins/generic",
    "pyqtgraph/examples",
)
"""Parts of paths. QtOpenGL and QtTest stay: pyqtgraph imports them."""

SYSTEM_FOLDERS = ("/lib", "/usr/lib")
CARRIED = (
    "libbz2",
    "libcrypto",
    "libexpat",
    "libffi",
    "liblzma",
    "libmpdec",
    "libpython",
    "libssl",
    "libuuid",
    "libxcb-",
    "libxkbcommon",
    "libz",
)
"""Beginnings of the names of a Linux system's libraries that a bundle carries: what Python needs,
and the X libraries that many systems lack. All under permissive licences. The rest, of which
every desktop has its own (fonts, glib, OpenGL), comes from there."""


def spoken() -> tuple[str, ...]:
    """The files with Qt's own words in the languages that the program has words of."""
    return tuple(f"qtbase_{path.name}.qm" for path in (ROOT / "resources" / "locale").iterdir())


def belongs(name: str, source: str) -> bool:
    """Whether a bundle holds a library or data file. Parameters: its name there; where it is.

    >>> belongs("PySide6/Qt/translations/qt_de.qm", "x"), belongs("libcairo.so.2", "/lib/x.so")
    (False, False)
    >>> belongs("PySide6/Qt/translations/qtbase_de.qm", "x")
    True
    >>> belongs("libz.so.1", "/lib/libz.so.1"), belongs("libcairo.so.2", "/venv/libcairo.so.2")
    (True, True)
    >>> belongs("python3.11/lib-dynload/_json.so", "/usr/lib/python3.11/lib-dynload/_json.so")
    True
    """
    name = name.replace("\\", "/")
    if any(words in name for words in UNUSED_FILES) and not name.endswith(spoken()):
        return False
    own = name.startswith(CARRIED) or "lib-dynload/" in name  # Python's may be the system's
    return own or not source.startswith(SYSTEM_FOLDERS)


def version() -> str:
    """The program's, from the one place where it stands."""
    text = (ROOT / "ourmodels_gui" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'__version__ = "(.+?)"', text).group(1)
