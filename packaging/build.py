"""Builds what this system can build, into dist/: `make package`.

Linux: the bundle's folder, a tarball and, where dpkg-deb is, a .deb. macOS and Windows: see the
files in macos/ and windows/. Every bundle is started once with --smoke before it is packed.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

from bundle import CARRIED, ROOT

HERE = Path(__file__).parent
LARGEST_MB = 250


def run(*command: str | Path, **options: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **options)


def freeze() -> Path:
    """The bundle: a folder that starts on a system without Python."""
    dist, work = ROOT / "dist", ROOT / "build" / "pyinstaller"
    options = ("--noconfirm", "--log-level", "ERROR", "--distpath", dist, "--workpath", work)
    run(sys.executable, HERE / "icons.py")
    run(sys.executable, "-m", "PyInstaller", *options, HERE / "ourmodels.spec", cwd=ROOT)
    return dist / "ourmodels"


def add_licences(folder: Path) -> None:
    """Put the texts of what only a bundle carries beside the others."""
    (licences,) = folder.rglob("resources/licences")
    shutil.copy(Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", licences / "Python.txt")
    (boot,) = (
        path for path in distribution("pyinstaller").files or () if path.name == "COPYING.txt"
    )
    shutil.copy(boot.locate(), licences / "PyInstaller.txt")
    if sys.platform == "linux":
        text = system_licences(sorted(path.name for path in (folder / "_internal").glob("lib*")))
        (licences / "system-libraries.txt").write_text(text, encoding="utf-8")


def system_licences(names: list[str]) -> str:
    """What the system's packages say of the licences of the libraries taken from them."""
    found: dict[str, list[str]] = {}
    where = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    places = dict(re.findall(r"^\t(\S+) .*=> (\S+)$", where.stdout, re.MULTILINE)[::-1])
    for name in names:
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


def check(folder: Path) -> None:
    """It is small enough, and passes its own test with nothing in the environment."""
    size_mb = sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    print(f"{folder.name}: {size_mb:.0f} MB", flush=True)
    if size_mb > LARGEST_MB:
        raise SystemExit(f"a bundle may have {LARGEST_MB} MB")
    name = "ourmodels.exe" if sys.platform == "win32" else "ourmodels"
    environment = dict(os.environ) if sys.platform == "win32" else {"LC_ALL": "C.UTF-8"}
    run(folder / name, "--smoke", env=environment, cwd=folder)


def main() -> int:
    folder = freeze()
    add_licences(folder)
    check(folder)
    if sys.platform == "linux":
        run(sys.executable, HERE / "linux" / "pack.py", folder)
    elif sys.platform == "darwin":
        run("sh", HERE / "macos" / "pack.sh", cwd=ROOT)
    else:
        print("Inno Setup makes the installer: iscc packaging/windows/ourmodels.iss")
    return 0


if __name__ == "__main__":
    sys.exit(main())
