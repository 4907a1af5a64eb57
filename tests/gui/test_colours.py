"""Colours that carry meaning stay apart for the colour-blind, and none carries it alone."""

from itertools import combinations

import numpy as np
import pytest
from gui_cases import dense, evaluated, mixture
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionViewItem

from ourmodels_gui.engine.setup import Prompt
from ourmodels_gui.gui.answered.cards import SIGNS
from ourmodels_gui.gui.tabs.decode_plot import DecodePlot
from ourmodels_gui.gui.tabs.prefill_plot import PrefillPlot
from ourmodels_gui.gui.tabs.traffic_board import UNLIT
from ourmodels_gui.gui.theme import DARK, LIGHT, mixed

SIGHT = {
    "usual": np.eye(3),
    # Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = XYZ @ np.ones(3)
FILLS = ("weights", "experts", "cache", "state", "draft", "overhead")
CURVES = ("aggregate", "session", "power")
VERDICTS = ("serves", "below", "unfit")
APART = 10.0
"""CIE76 distance at which two patches side by side are told apart at a glance."""


def linear(colour):
    channels = np.array(QColor(colour).getRgbF()[:3])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(colour, sight):
    seen = np.clip(SIGHT[sight] @ linear(colour), 0.0, 1.0)
    ratio = XYZ @ seen / WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, sight):
    return float(np.linalg.norm(lab(one, sight) - lab(other, sight)))


def contrast(one, other):
    light, dark = sorted((linear(one) @ XYZ[1], linear(other) @ XYZ[1]), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_distance_is_that_of_the_books():
    assert lab("#ffffff", "usual") == pytest.approx([100, 0, 0], abs=0.05)
    assert lab("#ff0000", "usual") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    assert distance("#ff0000", "#00a000", "deuteranopia") < distance("#ff0000", "#00a000", "usual")


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("roles", [FILLS, CURVES], ids=["fills", "curves"])
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_beside_each_other_are_told_apart(palette, roles, sight):
    for one, other in combinations(roles, 2):
        found = distance(getattr(palette, one), getattr(palette, other), sight)
        assert found >= APART, (one, other, found)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("role", ["weights", "cache"])
def test_a_lit_cell_is_told_from_one_that_is_not(palette, role, sight):
    lit = getattr(palette, role)
    assert distance(lit, mixed(palette.base, lit, UNLIT), sight) >= 2 * APART


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_that_carry_meaning_stand_out(palette):
    for role in ("text", "muted", "accent", *VERDICTS, *CURVES):
        for ground in (palette.base, palette.window):
            assert contrast(getattr(palette, role), ground) >= 4.5, role
    for role in FILLS:
        assert contrast(palette.on_fill, getattr(palette, role)) >= 4.5, role


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_current_row_of_an_open_list_can_be_read(palette, theme, qtbot, qapp):
    theme.choose("light" if palette is LIGHT else "dark")
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["WWWW", "MMMM"])
    box.view().setCurrentIndex(box.model().index(1, 0))
    row = QStyleOptionViewItem()
    box.view().initViewItemOption(row)
    row.rect = QRect(0, 0, 120, 30)
    row.state |= QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_Enabled
    picture = QImage(row.rect.size(), QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    box.itemDelegate().paint(painter, row, box.model().index(1, 0))
    painter.end()
    theme.choose("system")
    inside = [picture.pixelColor(x, y).name() for x in range(4, 116) for y in range(4, 26)]
    assert inside[0] == palette.accent.lower()
    assert max(contrast(colour, palette.accent) for colour in inside) >= 4.5


def test_every_verdict_has_a_sign_of_its_own():
    assert len({SIGNS[verdict] for verdict in VERDICTS}) == len(VERDICTS)


def test_curves_differ_in_their_dashes_and_have_names(qtbot):
    decode = DecodePlot()
    qtbot.addWidget(decode)
    decode.present(evaluated(dense()))
    assert decode._all._dash != decode._each._dash
    assert decode._all.name_text and decode._each.name_text
    prefill = PrefillPlot()
    qtbot.addWidget(prefill)
    prefill.present(evaluated(mixture(), prompt=Prompt(8192)))
    named = [prefill._memory, prefill._compute, prefill._combined]
    assert all(curve.name_text for curve in named)
    assert len({(curve.role, curve._dash) for curve in named}) == len(named)
    assert prefill._memory._dash != prefill._compute._dash
