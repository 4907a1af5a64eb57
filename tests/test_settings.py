import pytest

from ourmodels_gui import settings
from ourmodels_gui.problem import BadInput
from ourmodels_gui.settings import (
    FILE,
    Layout,
    OwnPrice,
    RankChoice,
    ReportChoice,
    Settings,
    change,
    edited,
)

MINE = Settings(
    "EUR",
    0.9,
    0.32,
    5.0,
    {"geforce-rtx-4090": OwnPrice(1700.0, "2026-01", "used")},
    theme="dark",
    language="de",
    numbers="1.234,5",
    text_percent=130,
    layout=Layout("AP8=", "", "bGVmdA=="),
    report=ReportChoice("Ann", "/pictures/logo.png", "letter"),
    rank=RankChoice("pairs", "map", facets={"verdict": ("serves",)}, descending=False),
    recent=("/pictures/a.ourmodels.json",),
    hints_put_away=("Cache",),
)


def test_settings_survive_a_file(tmp_path):
    settings.change(tmp_path / "new" / "folder", Settings(), MINE)
    assert settings.load(tmp_path / "new" / "folder") == (MINE, "")


def test_no_file_means_the_defaults(tmp_path):
    assert settings.load(tmp_path) == (Settings(), "")


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "",
        "[]",
        '{"format": "ourmodels-settings", "version": 2}',
        '{"format": "ourmodels-settings", "version": 1, "currency": "euro"}',
        '{"format": "ourmodels-settings", "version": 1, "prices": {"a": {"amount": "cheap"}}}',
        '{"format": "ourmodels-settings", "version": 1, "lifetime_years": 0}',
        '{"format": "ourmodels-settings", "version": 1, "theme": "pink"}',
        '{"format": "ourmodels-settings", "version": 1, "text_percent": 1000}',
        '{"format": "ourmodels-settings", "version": 1, "layout": {"geometry": 3}}',
        "\udcff",
    ],
)
def test_a_file_that_cannot_be_read_is_set_aside_with_a_notice(tmp_path, text):
    data = text.encode("utf-8", "surrogateescape")
    (tmp_path / FILE).write_bytes(data)
    found, notice = settings.load(tmp_path)
    assert found == Settings() and "settings.unread-1.json" in notice
    assert (tmp_path / "settings.unread-1.json").read_bytes() == data
    assert not (tmp_path / FILE).exists()
    assert settings.load(tmp_path) == (Settings(), "")


def test_what_was_set_aside_is_never_written_over(tmp_path):
    for text in ("{1", "{2"):
        (tmp_path / FILE).write_text(text)
        settings.load(tmp_path)
    assert (tmp_path / "settings.unread-1.json").read_text() == "{1"
    assert (tmp_path / "settings.unread-2.json").read_text() == "{2"


def test_a_folder_in_place_of_the_file_does_not_stop_the_program(tmp_path):
    (tmp_path / FILE).mkdir()
    found, notice = settings.load(tmp_path)
    assert found == Settings() and notice


@pytest.mark.parametrize("amount", ["0", "-5", '"1,200"', "true", "null"])
def test_a_price_of_nothing_or_in_words_is_bad_input(amount):
    text = (
        '{"format": "ourmodels-settings", "version": 1, "prices": {"a": {"amount": '
        + amount
        + "}}}"
    )
    with pytest.raises(BadInput) as bad:
        settings.read(text.encode())
    assert bad.value.problem.key == "prices.a.amount"


def test_an_older_version_is_migrated(monkeypatch):
    monkeypatch.setattr(settings, "VERSION", 2)
    monkeypatch.setitem(
        settings.MIGRATIONS,
        1,
        lambda old: (
            {key: value for key, value in old.items() if key != "money"}
            | {"currency": old["money"]}
        ),
    )
    old = b'{"format": "ourmodels-settings", "version": 1, "money": "CHF"}'
    assert settings.read(old).currency == "CHF"


def test_two_windows_keep_each_others_changes(tmp_path):
    change(tmp_path, Settings(), MINE)
    first = edited(MINE, {"prices": MINE.prices | {"a": OwnPrice(5.0)}, "theme": None})
    second = edited(MINE, {"prices": {}, "rank": RankChoice("models"), "recent": ()})
    change(tmp_path, MINE, first)
    kept = change(tmp_path, MINE, second)
    assert kept == settings.load(tmp_path)[0]
    assert kept.prices == {"a": OwnPrice(5.0)}
    assert (kept.theme, kept.recent, kept.rank) == ("system", (), RankChoice("models"))
    assert (kept.layout, kept.report) == (MINE.layout, MINE.report)


def test_what_differs_by_nothing_leaves_the_rest_alone(tmp_path):
    change(tmp_path, Settings(), MINE)
    assert change(tmp_path, MINE, MINE) == MINE


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"theme": "pink"}, "theme"), ({"currency": "euro"}, "currency"), ({"colour": 1}, "colour")],
)
def test_a_value_that_cannot_stand_is_refused(changes, key):
    with pytest.raises(BadInput) as bad:
        edited(MINE, changes)
    assert bad.value.problem.key == key
