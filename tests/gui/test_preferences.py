"""The settings in use: written a moment later, whole; numbers and text size of the window."""

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication

from ourmodels_gui import settings
from ourmodels_gui.gui import typed
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.problem import BadInput


def test_what_is_changed_is_written_a_moment_later(qtbot, tmp_path):
    preferences = Preferences(tmp_path)
    preferences.edit(theme="dark")
    preferences.edit(currency="EUR")
    assert not (tmp_path / settings.FILE).exists()
    qtbot.waitUntil((tmp_path / settings.FILE).exists)
    assert settings.load(tmp_path) == (preferences.settings, "")


def test_a_slow_disk_does_not_stop_the_window(qtbot, tmp_path, slow_disk):
    preferences = Preferences(tmp_path)
    preferences.edit(theme="dark")
    qtbot.waitUntil(slow_disk.is_writing)
    preferences.edit(currency="EUR")
    assert not (tmp_path / settings.FILE).exists()
    slow_disk.go_on()
    qtbot.waitUntil(lambda: settings.load(tmp_path)[0].currency == "EUR")
    assert settings.load(tmp_path) == (preferences.settings, "")
    assert preferences.settings.theme == "dark"
    assert not slow_disk.stopped_the_window


def test_what_another_window_wrote_meanwhile_is_kept(qtbot, tmp_path):
    one, other = Preferences(tmp_path), Preferences(tmp_path)
    one.edit(theme="dark")
    other.edit(currency="EUR")
    qtbot.waitUntil(lambda: settings.load(tmp_path)[0] == settings.Settings("EUR", theme="dark"))
    one.edit(language="de")
    one.end()
    kept, notice = settings.load(tmp_path)
    assert (kept.theme, kept.currency, kept.language, notice) == ("dark", "EUR", "de", "")


def test_only_prices_are_told(qtbot, tmp_path):
    preferences, told = Preferences(tmp_path), []
    preferences.prices_changed.connect(lambda: told.append(preferences.settings.money))
    preferences.edit(theme="dark")
    preferences.set_price("a", 5.0)
    preferences.set_price("a", 5.0)
    assert len(told) == 1
    preferences.set_price("a", None)
    assert len(told) == 2 and not preferences.settings.prices


def test_a_value_that_cannot_stand_changes_nothing(tmp_path):
    preferences = Preferences(tmp_path)
    before = preferences.settings
    with pytest.raises(BadInput, match="currency"):
        preferences.edit(currency="euro")
    assert preferences.settings == before


def test_a_folder_that_takes_no_file_is_told_and_the_settings_hold(qtbot, tmp_path):
    (tmp_path / "file").write_text("")
    preferences, refused = Preferences(tmp_path / "file" / "folder"), []
    preferences.refused.connect(refused.append)
    preferences.edit(theme="dark")
    preferences.end()
    assert preferences.settings.theme == "dark"
    assert len(refused) == 1 and str(tmp_path) in refused[0]


def test_recent_files_stand_once_the_last_one_first(tmp_path):
    preferences = Preferences(tmp_path)
    for number in (*range(settings.MOST_RECENT + 2), 5):
        preferences.remember(tmp_path / str(number))
    recent = preferences.settings.recent
    assert len(recent) == settings.MOST_RECENT == len(set(recent))
    assert recent[0] == str(tmp_path / "5")


@pytest.mark.parametrize(
    ("numbers", "written", "text"),
    [("1,234.5", "1,234.5", "12.5"), ("1.234,5", "1.234,5", "12,5"), ("1 234,5", None, "12,5")],
)
def test_numbers_are_read_and_written_as_chosen(qapp, numbers, written, text):
    before = QLocale()
    try:
        typed.use_numbers(numbers)
        assert typed.number(text) == 12.5
        assert typed.number(typed.show(1234567.5)) == 1234567.5
        if written:
            assert typed.separators().group == written[1]
    finally:
        QLocale.setDefault(before)


def test_the_text_grows_as_chosen(qapp, theme):
    before = QApplication.font()
    try:
        normal = QFontInfo(before).pixelSize()
        Theme(qapp, 200)
        assert QFontInfo(QApplication.font()).pixelSize() == 2 * normal
    finally:
        QApplication.setFont(before)
