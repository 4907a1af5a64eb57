"""Packs the bundle for Linux: a tarball for any system, a .deb for Debian and its relatives.

    python packaging/linux/pack.py FOLDER

The tarball holds the same tree as the .deb has in /usr, so its install.sh can put it anywhere.
"""

import gzip
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from email.utils import formatdate
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from bundle import APP_ID, AUTHORS, CONTACT, ROOT, version  # noqa: E402 - the folder above holds it

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
FONTS = "fontconfig, fonts-dejavu-core | fonts-liberation"
CHANGES = """\
ourmodels ({version}) stable; urgency=medium

  * What changed is told in /usr/share/doc/ourmodels/CHANGELOG.md.

 -- {who}  {when}
"""
COMMON = """
On Debian systems the texts of the Apache-2.0, GPL-2, GPL-3 and LGPL-3 licences are also in
/usr/share/common-licenses.
"""


def tree(bundle: Path, prefix: Path) -> None:
    """The files as a system has them below /usr."""
    shutil.copytree(bundle, prefix / "lib" / "ourmodels", symlinks=True)
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "ourmodels").symlink_to("../lib/ourmodels/ourmodels")
    share = prefix / "share"
    for name, place in (
        (f"{APP_ID}.desktop", "applications"),
        (f"{APP_ID}.metainfo.xml", "metainfo"),
        (f"{APP_ID}.xml", "mime/packages"),
    ):
        (share / place).mkdir(parents=True)
        shutil.copy(HERE / name, share / place / name)
    icons = share / "icons" / "hicolor"
    for picture in (ROOT / "build" / "icons").glob("*.png"):
        size = f"{picture.stem}x{picture.stem}"
        (icons / size / "apps").mkdir(parents=True)
        shutil.copy(picture, icons / size / "apps" / f"{APP_ID}.png")
    (icons / "scalable" / "apps").mkdir(parents=True)
    drawing = ROOT / "resources" / "icons" / "ourmodels.svg"
    shutil.copy(drawing, icons / "scalable" / "apps" / f"{APP_ID}.svg")
    (share / "doc" / "ourmodels").mkdir(parents=True)
    shutil.copy(ROOT / "NOTICE", share / "doc" / "ourmodels" / "copyright")
    (share / "man" / "man1").mkdir(parents=True)
    manual = gzip.compress((HERE / "ourmodels.1").read_bytes(), mtime=0)
    (share / "man" / "man1" / "ourmodels.1.gz").write_bytes(manual)
    program = prefix / "lib" / "ourmodels" / "ourmodels"
    for path in prefix.rglob("*"):
        if not path.is_symlink():  # libraries are loaded, not run
            path.chmod(0o755 if path.is_dir() or path == program else 0o644)


def as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def tarball(prefix: Path, name: str) -> Path:
    """With gzip, which every system has; many lack xz and zstd."""
    path = ROOT / "dist" / f"{name}.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=6) as archive:
        archive.add(prefix, name, filter=as_root)
        archive.add(HERE / "install.sh", f"{name}/install.sh", filter=as_root)
    return path


def deb(root: Path, architecture: str) -> Path:
    """Parameters: root, which holds usr/; architecture as Debian calls it."""
    papers = root / "usr" / "share" / "doc" / "ourmodels"
    with (papers / "copyright").open("a", encoding="utf-8") as copyright:
        copyright.write(COMMON)
    shutil.copy(ROOT / "CHANGELOG.md", papers)
    when = formatdate(float(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    release = CHANGES.format(version=version(), who=f"{AUTHORS} <{CONTACT}>", when=when)
    (papers / "changelog.gz").write_bytes(gzip.compress(release.encode(), mtime=0))
    files = [path for path in (root / "usr").rglob("*") if path.is_file() and not path.is_symlink()]
    size_kib = sum(path.stat().st_size for path in files) // 1024
    needed = (ROOT / "resources" / "debian-packages.txt").read_text(encoding="utf-8").split()
    libc = f"libc6 (>= {platform.libc_ver()[1]})"
    control = f"""\
Package: ourmodels
Version: {version()}
Architecture: {architecture}
Maintainer: {AUTHORS} <{CONTACT}>
Installed-Size: {size_kib}
Depends: {", ".join([libc, "libstdc++6", "libgcc-s1", *needed])}
Recommends: {FONTS}
Section: science
Priority: optional
Description: ceilings on how fast a machine can serve an open language model
 Derives, from the sizes and speeds of the hardware and the model alone, the
 tokens per second that no program can exceed: whether a model fits, how fast
 one conversation is, how many can be served at once, how long the first token
 takes.
 It works offline and sends nothing anywhere.
"""
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(control, encoding="utf-8")
    sums = (
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n"
        for path in sorted(files)
    )
    (root / "DEBIAN" / "md5sums").write_text("".join(sums), encoding="utf-8")
    path = ROOT / "dist" / f"ourmodels_{version()}_{architecture}.deb"
    build = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(path)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return path


def main(bundle: Path) -> int:
    root = ROOT / "build" / "linux"
    shutil.rmtree(root, ignore_errors=True)
    tree(bundle, root / "usr")
    machine = platform.machine()
    made = [tarball(root / "usr", f"ourmodels-{version()}-linux-{machine}")]
    if shutil.which("dpkg-deb") and machine in ARCHITECTURES:
        made.append(deb(root, ARCHITECTURES[machine]))
    for path in made:
        print(f"dist/{path.name}: {path.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
