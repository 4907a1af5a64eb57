"""The licence texts of what only a bundle carries: Python, its starter, libraries of the system."""

import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from bundle import CARRIED, ROOT

WRITTEN = ROOT / "build" / "licences"
PLACE = "ourmodels_gui/_data/resources/licences"
"""Where the About dialog of a bundle looks for them."""


def python() -> Path:
    """Python's own; on Windows it lies a folder higher than elsewhere."""
    places = (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix))
    return next(path for place in places if (path := place / "LICENSE.txt").is_file())


def starter() -> Path:
    """That of PyInstaller's part in every bundle."""
    (text,) = (
        path for path in distribution("pyinstaller").files or () if path.name == "COPYING.txt"
    )
    return Path(text.locate())


def system(names: Iterable[str]) -> str:
    """What the system's packages say of the licences of the libraries taken from them."""
    found: dict[str, list[str]] = {}
    where = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    places = dict(re.findall(r"^\t(\S+) .*=> (\S+)$", where.stdout, re.MULTILINE)[::-1])
    for name in sorted(names):
        if name.startswith(CARRIED) and name in places:
            found.setdefault(owner(Path(places[name])), []).append(name)
    parts = []
    for package, libraries in sorted(found.items()):
        words = Path("/usr/share/doc", package, "copyright").read_text("utf-8", errors="replace")
        parts.append(f"{', '.join(libraries)} (Debian package {package})\n\n{words}")
    return ("\n" + "-" * 80 + "\n\n").join(parts)


def owner(library: Path) -> str:
    """The Debian package that a library came with, by the file or by its name in /usr."""
    real = library.resolve()
    for path in (library, real, Path(str(real).removeprefix("/usr")), Path(f"/usr{real}")):
        asked = ["dpkg-query", "-S", str(path)]
        said = subprocess.run(asked, capture_output=True, text=True, check=False)
        if said.returncode == 0:
            return said.stdout.partition(":")[0]
    raise SystemExit(f"whose licence {library} stands under is not known on this system")


def entries(libraries: Iterable[str]) -> list[tuple[str, str, str]]:
    """They as PyInstaller lists data: name in the bundle, file, kind.

    Parameters: libraries, the names that the bundle has for its own.
    """
    texts = {"Python.txt": python(), "PyInstaller.txt": starter()}
    if sys.platform == "linux":
        WRITTEN.mkdir(parents=True, exist_ok=True)
        texts["system-libraries.txt"] = WRITTEN / "system-libraries.txt"
        texts["system-libraries.txt"].write_text(system(libraries), encoding="utf-8")
    return [(f"{PLACE}/{name}", str(path), "DATA") for name, path in texts.items()]
