"""Sees to the system libraries that Qt needs on Linux and that its wheel does not carry.

Run as a program it says nothing when all are there. Otherwise it installs Debian's packages when it
may (as root, or where sudo asks for no password), and else prints the one line that does.
Exit status: 0 all there, 1 something is missing still.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (ROOT / "resources" / "debian-packages.txt").read_text(encoding="utf-8").split()
INSTALL = ["install", "-y", "--no-upgrade", "--no-install-recommends", *PACKAGES]
MODULES = ("QtGui", "QtWidgets", "QtSvg", "QtTest", "QtPrintSupport", "QtOpenGLWidgets")


def plugins() -> list[str]:
    """The platform plugins that can be used here: X and Wayland matter only where there is one."""
    names = ["libqoffscreen.so"]
    if os.environ.get("DISPLAY") or shutil.which("Xvfb"):
        names.append("libqxcb.so")
    if os.environ.get("WAYLAND_DISPLAY"):
        names.append("libqwayland.so")
    return names


def qt_binaries() -> list[Path]:
    """The parts of Qt that the program loads, found in the installed wheel without importing it."""
    spec = find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("PySide6 is not installed in this environment; `make run` installs it.")
    root = Path(spec.submodule_search_locations[0])
    modules = [root / f"{name}.abi3.so" for name in MODULES]
    return modules + [root / "Qt" / "plugins" / "platforms" / name for name in plugins()]


def unresolved(ldd_output: str) -> set[str]:
    """The libraries that the loader did not find.

    >>> unresolved("libm.so.6 => /lib/libm.so.6 (0x1)\\n libEGL.so.1 => not found")
    {'libEGL.so.1'}
    """
    lines = (line.split("=>") for line in ldd_output.splitlines())
    return {parts[0].strip() for parts in lines if parts[-1].strip() == "not found"}


def missing() -> list[str]:
    """Names of the shared libraries that Qt asks for and this system does not have."""
    ldd = subprocess.run(["ldd", *qt_binaries()], capture_output=True, text=True, check=False)
    return sorted(unresolved(ldd.stdout))


def privilege() -> list[str] | None:
    """What to write before a command to run it as root without being asked; None: not possible."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if (
        sudo
        and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return [sudo, "-n", "DEBIAN_FRONTEND=noninteractive"]
    return None


def install(prefix: list[str]) -> None:
    """Install the packages; whether it worked is judged by what is missing afterwards."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["-qq", "update"], ["-qq", *INSTALL]):
        subprocess.run([*prefix, "apt-get", *command], env=environment, check=False)


def main() -> int:
    lacking = missing()
    if not lacking:
        return 0
    print(f"Qt needs system libraries that are missing here: {', '.join(lacking)}", flush=True)
    if shutil.which("apt-get") is None:
        print("Install them with your system's package manager, then run this again.")
        return 1
    prefix = privilege()
    if prefix is not None:
        print("Installing them with apt-get.", flush=True)
        install(prefix)
        lacking = missing()
        if not lacking:
            return 0
        print(f"Still missing: {', '.join(lacking)}")
    sudo = "" if prefix == [] else "sudo "
    print(f"This line installs them:\n{sudo}apt-get update && {sudo}apt-get {' '.join(INSTALL)}")
    return 1


if __name__ == "__main__":
    sys.exit(main() if sys.platform == "linux" else 0)
