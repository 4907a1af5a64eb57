from pathlib import Path

import platformdirs
import pytest

from ourmodels_gui import paths
from ourmodels_gui.problem import BadInput


def test_checkout_finds_its_catalog_beside_the_package():
    assert (paths.catalog() / "sources.json").is_file()
    assert paths.resources().parent == paths.shipped()


def test_installed_package_uses_what_it_carries(tmp_path, monkeypatch):
    package = tmp_path / "ourmodels_gui"
    (package / "_data").mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    assert paths.catalog() == package / "_data" / "catalog"


def test_environment_moves_the_users_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    assert paths.user_data() == tmp_path


def test_users_folder_is_named_after_the_program(monkeypatch):
    monkeypatch.delenv(paths.HOME_VARIABLE, raising=False)
    assert paths.user_data().name == "ourmodels"


def no_home(*_, **__):
    raise RuntimeError("could not determine the home directory")


def test_a_user_without_a_home_is_asked_for_a_folder(tmp_path, monkeypatch, command):
    monkeypatch.delenv(paths.HOME_VARIABLE)
    monkeypatch.setattr(platformdirs, "user_data_path", no_home)
    with pytest.raises(BadInput, match="OURMODELS_HOME: there is no home folder here"):
        paths.user_data()
    status, _, err = command("catalog", "check")
    assert (status, len(err)) == (2, 1)
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    assert command("catalog", "check")[0] == 0


def test_file_dialogs_begin_somewhere_without_a_home(monkeypatch):
    monkeypatch.setattr(Path, "home", no_home)
    assert paths.home() == Path.cwd()


def test_a_home_that_does_not_exist_is_no_fault(tmp_path, monkeypatch, command):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "not" / "yet"))
    status, out, err = command("catalog", "check")
    assert (status, err) == (0, []) and "0 findings" in out
    assert not (tmp_path / "not").exists()
