"""What runs here, in versions: for the About dialog and for reports of faults."""

import platform

from PySide6.QtCore import QSysInfo, qVersion
from PySide6.QtGui import QGuiApplication

from .. import __version__
from ..language import mark

COMPONENTS = ("PySide6-Essentials", "pyqtgraph", "numpy", "msgspec", "pypdf", "platformdirs")


def versions(catalog: str) -> tuple[tuple[str, str], ...]:
    """Names and versions. Parameters: catalog, the version of the library's figures."""
    return (
        ("Our Models", __version__),
        (mark("Catalog"), catalog or "unknown"),
        (mark("System"), f"{QSysInfo.prettyProductName()}, {platform.machine()}"),
        (mark("Window system"), QGuiApplication.platformName()),
        ("Python", platform.python_version()),
        ("Qt", qVersion()),
        *((name, _installed(name)) for name in COMPONENTS),
    )


def as_lines(pairs: tuple[tuple[str, str], ...]) -> str:
    """Versions as text.

    >>> as_lines((("Qt", "6.11.3"), ("Python", "3.11.7")))
    'Qt: 6.11.3\\nPython: 3.11.7'
    """
    return "\n".join(f"{name}: {value}" for name, value in pairs)


def _installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow to import

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
