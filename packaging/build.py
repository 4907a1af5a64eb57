"""Builds what this system can build, into dist/: `make package`.

Linux: the bundle's folder, a tarball and, where dpkg-deb is, a .deb. macOS and Windows: see the
files in macos/ and windows/. Every bundle is started once with --smoke before it is packed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from bundle import CONTACT, ROOT, version

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


def strip_python(folder: Path) -> None:
    """Take the debugging symbols out of Python's own libraries, where a Python has them: 20 MB."""
    strip = shutil.which("strip")
    if sys.platform == "linux" and strip:
        inside = folder / "_internal"
        own = [*inside.glob("libpython*.so*"), *inside.glob("python3*/lib-dynload/*.so")]
        run(strip, "--strip-unneeded", *own)


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
    strip_python(folder)
    check(folder)
    if sys.platform == "linux":
        run(sys.executable, HERE / "linux" / "pack.py", folder)
    elif sys.platform == "darwin":
        run("sh", HERE / "macos" / "pack.sh", cwd=ROOT)
    else:
        given = f"/DVersion={version()} packaging/windows/ourmodels.iss"
        print(f"Inno Setup makes the installer: iscc {given}")
    if CONTACT.endswith(".invalid"):
        print("Not for others yet: packaging/README.md says what whoever publishes has to set.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
