"""The window's language, and Qt's own words in it."""

import pytest
from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QDialogButtonBox

from ourmodels_gui import language
from ourmodels_gui.gui.speech import speak
from ourmodels_gui.gui.typed import separators


@pytest.fixture
def program(qapp):
    """Stands for the application that a window has of its own; what it installs goes with it."""
    before = QLocale()
    made = QObject()
    yield made
    made.deleteLater()
    QLocale.setDefault(before)
    language.use("en")


def cancel():
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    said = buttons.button(QDialogButtonBox.StandardButton.Cancel).text()
    buttons.deleteLater()
    return said.replace("&", "")


def test_german_is_spoken_by_the_window_and_by_qt(program, qapp):
    words = speak(program, "de")
    assert language.tr("About Our Models") != "About Our Models"
    assert cancel() == "Abbrechen"
    assert separators() == (".", ",")
    qapp.removeTranslator(words)
    assert cancel() == "Cancel"


def test_english_needs_no_words_of_qt(program):
    assert speak(program, "en") is None
    assert language.tr("About Our Models") == "About Our Models"


def test_the_environment_says_what_is_not_asked_for(program, monkeypatch, qapp):
    monkeypatch.setenv(language.VARIABLE, "de")
    qapp.removeTranslator(speak(program))
    assert language.tr("About Our Models") != "About Our Models"
