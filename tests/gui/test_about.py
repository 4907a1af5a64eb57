"""Who made what: versions that are true, and a licence for everything that is shipped."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLabel

from ourmodels_gui import __version__, paths
from ourmodels_gui.gui.about import About, icon


@pytest.fixture
def about(qtbot, library):
    made = About(library.version)
    yield made
    made.close()
    made.deleteLater()


def test_the_versions_are_those_of_what_runs(about, library):
    said = {label.text() for label in about.findChildren(QLabel)}
    assert library.version
    assert {__version__, library.version, qVersion(), version("numpy")} <= said
    assert "unknown" not in said


def test_copied_versions_are_the_shown_ones(about, library):
    about.copy()
    copied = QGuiApplication.clipboard().text()
    assert f"Our Models: {__version__}\nCatalog: {library.version}\n" in copied


def test_every_licence_can_be_read(about):
    shown = {}
    for row in range(about.licences.count()):
        about.licences.setCurrentRow(row)
        shown[about.licences.item(row).text()] = about.text.toPlainText()
    files = {path.stem for path in (paths.resources() / "licences").iterdir()}
    assert set(shown) == {"NOTICE", "LICENSE"} | files
    assert all(len(text) > 500 for text in shown.values())
    assert shown["LICENSE"] != shown["LGPL-3.0"]


def test_the_notice_names_texts_that_are_listed(about):
    notice = about.text.toPlainText()
    names = {about.licences.item(row).text() for row in range(about.licences.count())}
    named = set(re.findall(r"([\w.-]+)\.txt", notice))
    assert named
    assert named <= names


def test_the_icon_is_legible_at_16_pixels(qapp):
    """Tile, line and point keep apart: each has pixels of its own colour."""
    picture = icon().pixmap(16, 16).toImage().convertToFormat(QImage.Format.Format_RGB32)
    colours = [picture.pixelColor(x, y) for x in range(16) for y in range(16)]
    line = [c for c in colours if min(c.red(), c.green(), c.blue()) > 240]
    tile = [c for c in colours if c.blue() > c.red() + 80]
    point = [c for c in colours if c.red() > 230 and c.blue() < 130]
    assert len(line) >= 12
    assert len(tile) >= 100
    assert len(point) >= 6


def test_the_icon_asks_for_nothing_outside_itself():
    text = Path(paths.resources() / "icons" / "ourmodels.svg").read_text(encoding="utf-8")
    assert re.findall(r"href|url\(|<image|<script", text) == []
