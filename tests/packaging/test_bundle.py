"""What the bundles say of the program agrees with the program; no bundle is built here."""

import configparser
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ourmodels_gui
from ourmodels_gui import app, cli
from ourmodels_gui.scenario import SUFFIX

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"
MIME = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}


def loaded(path):
    spec = spec_from_file_location(f"packaging_{path.stem}", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bundle():
    return loaded(PACKAGING / "bundle.py")


@pytest.fixture
def desktop(bundle):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / f"{bundle.APP_ID}.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


@pytest.fixture
def metadata(bundle):
    return ElementTree.parse(LINUX / f"{bundle.APP_ID}.metainfo.xml").getroot()


def test_the_version_of_a_bundle_is_the_programs(bundle):
    assert bundle.version() == ourmodels_gui.__version__


def test_every_system_knows_the_program_by_one_id(bundle, desktop, metadata):
    assert f'setDesktopFileName("{bundle.APP_ID}")' in Path(app.__file__).read_text("utf-8")
    assert metadata.findtext("id") == bundle.APP_ID
    assert metadata.findtext("launchable") == f"{bundle.APP_ID}.desktop"
    assert desktop["Icon"] == desktop["StartupWMClass"] == bundle.APP_ID
    flatpak = (PACKAGING / "flatpak" / f"{bundle.APP_ID}.yml").read_text(encoding="utf-8")
    assert f"\nid: {bundle.APP_ID}\n" in flatpak
    assert f"id={bundle.APP_ID}\n" in (LINUX / "install.sh").read_text(encoding="utf-8")


def test_every_system_is_told_the_same_name_and_authors(bundle, desktop, metadata):
    assert f'setApplicationDisplayName("{bundle.NAME}")' in Path(app.__file__).read_text("utf-8")
    assert desktop["Name"] == metadata.findtext("name") == bundle.NAME
    assert metadata.findtext("developer/name") == bundle.AUTHORS
    assert bundle.APP_ID.startswith(metadata.find("developer").get("id") + ".")
    windows = (PACKAGING / "windows" / "ourmodels.iss").read_text(encoding="utf-8")
    assert f'#define Name "{bundle.NAME}"\n' in windows
    assert f"\nAppPublisher={bundle.AUTHORS}\n" in windows
    macos = (PACKAGING / "macos" / "pack.sh").read_text(encoding="utf-8")
    assert f'"dist/{bundle.NAME}.app"' in macos
    assert bundle.AUTHORS.lower() in (ROOT / "NOTICE").read_text(encoding="utf-8").lower()


def test_only_one_place_says_whom_to_write_to(bundle):
    listed = subprocess.run(
        ["git", "grep", "--untracked", "-Ilo", r"[[:alnum:].-]*@[[:alnum:].-]*\.invalid"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode == 128:
        pytest.skip("no git here")
    places = {ROOT / name for name in listed.stdout.splitlines()}
    words = {path for path in places if path.suffix == ".po"}
    assert places - words <= {PACKAGING / "bundle.py"}
    for path in (ROOT / "resources" / "locale").rglob("*.po"):
        assert path.read_text(encoding="utf-8").count(f"{bundle.AUTHORS} <{bundle.CONTACT}>") == 2


def test_the_manual_names_every_command_as_the_program_does():
    page = (LINUX / "ourmodels.1").read_text(encoding="utf-8")
    (commands,) = (
        action for action in cli._parser()._actions if hasattr(action, "_choices_actions")
    )
    told = "".join(f".TP\n.B {each.dest}\n{each.help}\n" for each in commands._choices_actions)
    assert told.count(".TP") > 5
    assert told in page


def test_a_bundle_carries_the_licences_of_what_only_a_bundle_carries(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import pathlib, licences; licences.WRITTEN = pathlib.Path(sys.argv[2])\n"
        "licences.starter = licences.python\n"
        "for name, path, kind in licences.entries(['libz.so.1', 'libcairo.so.2']):\n"
        "    print(name, kind, len(pathlib.Path(path).read_text('utf-8')))\n"
    )
    command = [sys.executable, "-c", code, str(PACKAGING), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    folder = "ourmodels_gui/_data/resources/licences"
    names = [f"{folder}/{name}" for name in ("Python.txt", "PyInstaller.txt")]
    if sys.platform == "linux" and shutil.which("dpkg-query"):
        names.append(f"{folder}/system-libraries.txt")
        text = (tmp_path / "system-libraries.txt").read_text(encoding="utf-8")
        assert text.startswith("libz.so.1 (Debian package zlib1g)")
        assert "cairo" not in text.partition("\n")[0]
    assert [name for name, _, _ in lines] == names
    assert all(kind == "DATA" and int(length) > 500 for _, kind, length in lines)


def test_scenario_files_open_with_the_program(bundle, desktop, metadata):
    kind = ElementTree.parse(LINUX / f"{bundle.APP_ID}.xml").getroot().find("m:mime-type", MIME)
    assert kind.find("m:glob", MIME).get("pattern") == f"*{SUFFIX}"
    assert desktop["MimeType"] == f"{kind.get('type')};"
    assert metadata.findtext("provides/mediatype") == kind.get("type")
    command, *arguments = desktop["Exec"].split()
    assert command == metadata.findtext("provides/binary") == "ourmodels"
    assert arguments == ["gui", "%f"]


def test_the_about_dialog_gets_the_versions_of_the_dependencies(bundle):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {re.match(r"[\w-]+", line).group() for line in project["dependencies"]}
    assert set(bundle.COMPONENTS) == named


def test_flatpak_gets_no_network_and_no_files():
    (page,) = (PACKAGING / "flatpak").glob("*.yml")
    asked = re.findall(r"^  - (--\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert "--socket=wayland" in asked
    assert [word for word in asked if "network" in word or "filesystem" in word] == []


@pytest.mark.parametrize(
    "name", ["macos/pack.sh", "macos/entitlements.plist", "windows/ourmodels.iss", "flatpak"]
)
def test_what_could_not_be_tried_says_so(name):
    place = PACKAGING / name
    files = [place] if place.is_file() else list(place.iterdir())
    assert files
    assert all("UNTESTED" in path.read_text(encoding="utf-8") for path in files)


def test_every_size_of_the_icon_is_drawn(tmp_path, bundle):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import pathlib, icons; icons.FOLDER = pathlib.Path(sys.argv[2]); sys.exit(icons.main())"
    )
    command = [sys.executable, "-c", code, str(PACKAGING), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} >= {"16.png", "256.png", "ourmodels.ico"}
    assert (tmp_path / "16.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "ourmodels.icns").read_bytes().startswith(b"icns")


@pytest.mark.skipif(sys.platform != "linux", reason="about Linux alone")
def test_the_tarballs_installer_takes_out_all_it_put_in(tmp_path, bundle):
    unpacked, home = tmp_path / "unpacked", tmp_path / "home"
    for name in (
        "bin/ourmodels",
        "lib/ourmodels/ourmodels",
        "share/doc/ourmodels/copyright",
        "share/man/man1/ourmodels.1.gz",
        f"share/applications/{bundle.APP_ID}.desktop",
        f"share/mime/packages/{bundle.APP_ID}.xml",
        f"share/metainfo/{bundle.APP_ID}.metainfo.xml",
        f"share/icons/hicolor/16x16/apps/{bundle.APP_ID}.png",
        f"share/icons/hicolor/scalable/apps/{bundle.APP_ID}.svg",
    ):
        (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / name).write_text("shipped", encoding="utf-8")
    own = home / ".local" / "share" / "ourmodels" / "settings.json"
    own.parent.mkdir(parents=True)
    own.write_text("{}", encoding="utf-8")
    (home / ".local" / "state").mkdir()
    script = unpacked / "install.sh"
    script.write_bytes((LINUX / "install.sh").read_bytes())

    def files():
        return {path.relative_to(home) for path in home.rglob("*")}

    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    before = files()
    subprocess.run(["sh", script], env=environment, check=True, capture_output=True)
    subprocess.run(["sh", script], env=environment, check=True, capture_output=True)
    installed = files() - before
    assert len([name for name in installed if (home / name).is_file()]) >= 8
    subprocess.run(["sh", script, "--remove"], env=environment, check=True, capture_output=True)
    assert files() == before
