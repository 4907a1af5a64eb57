"""What holds for the repository as a whole: it stands alone, and its papers agree with it."""

import json
import os
import re
import subprocess
import sys
import tomllib
from email.parser import HeaderParser
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import ourmodels_gui
from ourmodels_gui.library.load import load

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "requirements-test.lock", "requirements-package.lock")
MAKE_TARGETS = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.M))


def tracked() -> list[Path]:
    """Every file of the repository; in an export without git, every file there is."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    found = [ROOT / name for name in names if name] or [
        path for path in ROOT.rglob("*") if not path.relative_to(ROOT).parts[0].startswith(".")
    ]
    return [path for path in found if path.is_file()]


def texts() -> dict[Path, str]:
    """Text files by path, but for this one, which has to name what it looks for."""
    contents = {}
    for path in tracked():
        try:
            contents[path] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    contents.pop(Path(__file__), None)
    return contents


TEXTS = texts()
PAGES = {path: text for path, text in TEXTS.items() if path.suffix == ".md"}


def hits(pattern: str) -> list[str]:
    """Where the pattern stands, as file:line."""
    found = []
    for path, text in TEXTS.items():
        for match in re.finditer(pattern, text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: {match.group()}")
    return found


def test_the_repository_is_read():
    assert {ROOT / "README.md", ROOT / "Makefile", ROOT / "requirements.lock"} <= set(TEXTS)


def test_no_package_registry_is_named():
    hosts = r"pypi\.org|pythonhosted\.org|npmjs\.(org|com)|crates\.io|deb\.debian\.org"
    assert hits(rf"{hosts}|snapshot\.debian\.org|proxy\.golang|(?i:extra-)?index-url\s*=") == []


def test_no_machine_path_is_written_down():
    assert hits(r"(?<![\w.~])/(work|root|home|Users|opt)/[\w.-]+|[A-Z]:\\\\?Users\\") == []


def test_no_path_leads_out_of_the_repository():
    outside = []
    for path, text in TEXTS.items():
        for match in re.finditer(r"(?<![\w./])(\.\./)+[\w.-]+", text):
            if not (path.parent / match.group()).resolve().is_relative_to(ROOT):
                outside.append(f"{path.relative_to(ROOT)}: {match.group()}")
    assert outside == []


def test_links_of_the_pages_lead_somewhere():
    broken = []
    for path, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if not re.match(r"https?:|mailto:", target) and not (path.parent / target).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_make_targets_named_in_pages_exist():
    named = {
        (path.name, target)
        for path, text in PAGES.items()
        for target in re.findall(r"(?:^ +|`)make ([a-z]+)", text, re.MULTILINE)
    }
    assert {("README.md", "run"), ("README.md", "test")} <= named
    assert {entry for entry in named if entry[1] not in MAKE_TARGETS} == set()


def test_commands_named_in_the_readme_exist():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^ +ourmodels ([a-z]+)", page, re.MULTILINE))
    assert "evaluate" in named
    for command in sorted(named):
        done = subprocess.run(
            [sys.executable, "-m", "ourmodels_gui", command, "--help"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"ourmodels {command}: {done.stderr}"


def test_ci_runs_the_test_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.split()[-2:] == ["make", "test"]


def test_the_version_stands_in_one_place():
    version = ourmodels_gui.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert "version" in PYPROJECT["project"]["dynamic"]
    here = re.compile(rf"(?i)version[\W_]{{1,6}}{re.escape(version)}\b")
    places = [path for path, text in TEXTS.items() if path.suffix == ".py" and here.search(text)]
    assert places == [ROOT / "ourmodels_gui" / "__init__.py"]


def test_the_changelog_opens_with_unreleased_work_or_this_version():
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## \[(.+?)\]", page, re.MULTILINE)
    assert first is not None
    assert first.group(1) in ("Unreleased", ourmodels_gui.__version__)


def locked(name: str) -> dict[str, list[Requirement]]:
    """The lock's lines by package; a package may be pinned differently on different Pythons."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    pins: dict[str, list[Requirement]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line.partition(" --hash")[0])
            pins.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return pins


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_is_pinned_and_hashed_and_has_no_address(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if not entry.startswith("#")]
    assert len(entries) > 10
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_the_locks_hold_what_the_project_asks_for():
    project = PYPROJECT["project"]
    runtime = [*project["dependencies"], *PYPROJECT["dependency-groups"]["build"]]
    asked = {
        "requirements.lock": runtime,
        "requirements-test.lock": [*runtime, *project["optional-dependencies"]["test"]],
        "requirements-package.lock": [*runtime, *project["optional-dependencies"]["package"]],
    }
    for name, wanted in asked.items():
        pins = locked(name)
        for requirement in map(Requirement, wanted):
            lines = pins.get(canonicalize_name(requirement.name), [])
            assert lines, f"{name} lacks {requirement}; run `make lock`"
            for line in lines:
                (pin,) = line.specifier
                assert requirement.specifier.contains(pin.version), f"{name}: {line}"


@pytest.mark.parametrize("name", LOCKS[1:])
def test_all_locks_pin_the_same_versions(name):
    small, large = locked(LOCKS[0]), locked(name)
    assert {name: list(map(str, lines)) for name, lines in large.items() if name in small} == {
        name: list(map(str, lines)) for name, lines in small.items()
    }


def shipped_with_the_program() -> set[str]:
    """The project's dependencies and theirs, as installed here."""
    waiting, seen = list(map(Requirement, PYPROJECT["project"]["dependencies"])), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in seen or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        waiting += map(Requirement, distribution(name).requires or [])
    return seen


def test_the_notice_names_every_component_with_its_licence_text():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    named = {canonicalize_name(name) for name in re.findall(r"^  (\S+)  ", notice, re.MULTILINE)}
    assert named == shipped_with_the_program()
    folder = ROOT / "resources" / "licences"
    assert set(re.findall(r"[\w.-]+\.txt", notice)) == {path.name for path in folder.iterdir()}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """The wheel that is shipped and the one of an editable install, built by the locked backend."""
    built = {}
    for kind in ("standard", "editable"):
        folder = tmp_path_factory.mktemp(kind)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", f"wheel:{kind}", "-d", folder],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        (built[kind],) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_catalog_and_resources_whole(wheels):
    with ZipFile(wheels["standard"]) as wheel:
        names = set(wheel.namelist())
    expected = {
        f"ourmodels_gui/_data/{path.relative_to(ROOT).as_posix()}"
        for path in tracked()
        if path.relative_to(ROOT).parts[0] in ("catalog", "resources", "LICENSE", "NOTICE")
    }
    assert expected
    assert {name for name in names if name.startswith("ourmodels_gui/_data/")} == expected


INSTALLED = """
import json, sys
from pathlib import Path
import ourmodels_gui
from ourmodels_gui import cli, language, paths
from ourmodels_gui.library.load import load
library = load(paths.catalog())
language.use("de")
told = {
    "package": str(Path(ourmodels_gui.__file__).parent),
    "data": str(paths.shipped()),
    "machines": len(library.machines),
    "compositions": len(library.compositions),
    "models": len(library.models),
    "problems": len(library.problems),
    "languages": list(language.languages()),
    "word": language.tr("All sessions together"),
    "icons": len(list((paths.resources() / "icons").rglob("*.svg"))),
    "licences": len(list((paths.resources() / "licences").iterdir())),
}
print(json.dumps(told), flush=True)
sys.exit(cli.main(["evaluate", str(paths.resources() / "examples" / sys.argv[1])]))
"""


def test_an_installed_wheel_carries_all_that_the_program_reads(wheels, tmp_path):
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site]
    subprocess.run([sys.executable, *install, wheels["standard"]], check=True, capture_output=True)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        [sys.executable, "-c", INSTALLED, "toy-machine.ourmodels.json"],
        cwd=elsewhere,
        env=kept | {"PYTHONPATH": str(site), "OURMODELS_HOME": str(elsewhere)},
        capture_output=True,
        text=True,
        check=True,
    )
    first, _, answer = ran.stdout.partition("\n")
    told, here = json.loads(first), load(ROOT / "catalog")
    assert told["package"] == str(site / "ourmodels_gui")
    assert told["data"] == str(site / "ourmodels_gui" / "_data")
    assert told["machines"] == len(here.machines) > 0
    assert told["compositions"] == len(here.compositions) > 0
    assert told["models"] == len(here.models) > 0
    assert told["problems"] == 0
    assert "de" in told["languages"] and told["word"] != "All sessions together"
    assert told["icons"] and told["licences"]
    assert json.loads(answer)["decode"]["verdict"] == "serves"
    assert list(elsewhere.iterdir()) == []
    assert [path.name for path in (site / "bin").glob("ourmodels*")] == ["ourmodels"]


def test_the_wheel_says_version_and_licence(wheels):
    with ZipFile(wheels["standard"]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = HeaderParser().parsestr(wheel.read(name).decode("utf-8"))
    assert metadata["Version"] == ourmodels_gui.__version__
    assert metadata["License-Expression"] == "Apache-2.0"


def test_an_editable_install_copies_nothing(wheels):
    with ZipFile(wheels["editable"]) as wheel:
        names = wheel.namelist()
        (pointer,) = [name for name in names if name.endswith(".pth")]
        assert wheel.read(pointer).decode("utf-8").strip() == str(ROOT)
    assert not [name for name in names if name.startswith("ourmodels_gui/")]


def test_json_files_of_the_repository_are_readable():
    for path, text in TEXTS.items():
        if path.suffix == ".json":
            json.loads(text)
