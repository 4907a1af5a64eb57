"""Which language the window speaks, and Qt's own words in it."""

import os

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

from .. import language


def speak(parent: QObject, asked: str = "") -> QTranslator | None:
    """Call before the first text is shown; gives Qt's own words, installed, None for English.

    Parameters: asked, the code of a language; "" for that of the environment, else the system's.
    """
    asked = asked or os.environ.get(language.VARIABLE, "")
    system = QLocale.system()
    code = language.chosen(asked, system.uiLanguages())
    language.use(code)
    if asked and QLocale(code).language() != system.language():
        QLocale.setDefault(QLocale(code))  # "1.008" is read as one's language has it
    words = QTranslator(parent)
    place = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if code == language.ENGLISH or not words.load(f"qtbase_{code}", place):
        return None
    QCoreApplication.installTranslator(words)
    return words
