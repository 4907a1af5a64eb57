from ourmodels_gui import paths


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
