"""Colours, type and spacing of the window, in light and dark.

A widget asks for its colours when it paints or when its palette changes (`changeEvent` with
`QEvent.Type.PaletteChange`): ``colours(self).accent``. Nothing else tells it of a change of theme,
and no colour is written anywhere else.
"""

from functools import cache
from typing import Literal

import msgspec
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QWidget

Text = Literal["text", "caption", "heading", "figure"]

UNIT = 4
CARD_PADDING = 12
GROUP_GAP = 16
RADIUS = 6
SCROLL_PX = 10
HANDLE_PX = 6

TEXT_PX = 13
_SIZE_PX: dict[Text, int] = {"text": TEXT_PX, "caption": 11, "heading": 15, "figure": 26}


class Palette(msgspec.Struct, frozen=True):
    """One colour per role, as ``#rrggbb``.

    line: hairlines. outline: borders of fields. serves, below, unfit: the three verdicts.
    aggregate, session, power: the curves of decode. weights ... overhead: fills of memory;
    `on_fill` is the text on them, `free` is hatched on base.
    """

    window: str
    base: str
    text: str
    muted: str
    line: str
    outline: str
    accent: str
    on_accent: str
    serves: str
    below: str
    unfit: str
    aggregate: str
    session: str
    power: str
    weights: str = "#E69F00"
    experts: str = "#F6D58A"
    cache: str = "#56B4E9"
    state: str = "#009E73"
    draft: str = "#CC79A7"
    overhead: str = "#C0C7CF"
    on_fill: str = "#1B1F24"

    def verdict(self, verdict: str) -> str:
        """Colour of a decode or prefill verdict, by the engine's words."""
        if verdict == "serves":
            return self.serves
        return self.below if verdict.startswith(("fits", "no setting")) else self.unfit


LIGHT = Palette(
    window="#F6F7F9",
    base="#FFFFFF",
    text="#1B1F24",
    muted="#57606A",
    line="#D0D7DE",
    outline="#B4BDC7",
    accent="#0B62A8",
    on_accent="#FFFFFF",
    serves="#12704F",
    below="#8A5A00",
    unfit="#B42318",
    aggregate="#0072B2",
    session="#B84A08",
    power="#63308F",
)
DARK = Palette(
    window="#1C1F24",
    base="#24282E",
    text="#E6E9ED",
    muted="#A3ACB7",
    line="#3A414A",
    outline="#59626D",
    accent="#6CB6FF",
    on_accent="#1B1F24",
    serves="#58C99A",
    below="#E5B04B",
    unfit="#FF8A80",
    aggregate="#6CB6FF",
    session="#FFA657",
    power="#DDBDF5",
)


def colours(widget: QWidget) -> Palette:
    """The palette that the widget is drawn with now."""
    return DARK if is_dark(widget.palette()) else LIGHT


def mixed(base: str, over: str, share: float) -> str:
    """The colour that `over` makes on `base` at an opacity of `share`.

    >>> mixed("#ffffff", "#000000", 0.2)
    '#cccccc'
    """
    below, above = QColor(base), QColor(over)
    channels = (QColor.red, QColor.green, QColor.blue)
    parts = (round(of(below) * (1 - share) + of(above) * share) for of in channels)
    return "#" + "".join(f"{part:02x}" for part in parts)


def text_scale() -> float:
    """How large text is beside the normal text size."""
    return _text_px() / TEXT_PX


_font: tuple[QFont, int] | None = None
"""The application's font as it was last asked for, and its pixels."""


def _text_px() -> int:
    """The pixels of the application's font, which is looked for on the system when it changes."""
    global _font  # noqa: PLW0603 - asked for a hundred times by each edit
    font = QApplication.font()
    if _font is None or _font[0] != font:
        _font = (font, QFontInfo(font).pixelSize())
        _sized.cache_clear()
    return _font[1]


def px(normal: float) -> int:
    """The pixels that text needs which takes `normal` of them at the normal text size.

    Whatever holds text, or stands beside it, asks when it is made: before, the size is not known.
    """
    return round(normal * text_scale())


def on_screen(window: QWidget, width: int, height: int) -> QSize:
    """A size at the normal text size, grown with the text as far as the screen has room."""
    return QSize(px(width), px(height)).boundedTo(window.screen().availableSize())


def open_at(window: QWidget, width: int, height: int) -> None:
    """Give a window its size at the normal text size, where the screen has room."""
    window.resize(on_screen(window, width, height))


def sized(role: Text, *, bold: bool = False) -> QFont:
    """The application's font at the size of a role, with figures of equal width.

    Sizes grow with the text size that the system asks for.
    """
    # A copy: whoever asked may change it.
    _text_px()
    return QFont(_sized(role, bold))


@cache
def _sized(role: Text, bold: bool) -> QFont:
    font = QFont(QApplication.font())
    font.setPixelSize(px(_SIZE_PX[role]))
    font.setFeature(QFont.Tag("tnum"), 1)
    if bold or role in ("heading", "figure"):
        font.setWeight(QFont.Weight.DemiBold)
    return font


def fixed_font() -> QFont:
    """The font of formulas and files, a little smaller than text."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(px(_SIZE_PX["text"] - 1))
    return font


def hairline(parent: QWidget | None = None) -> QFrame:
    """A thin horizontal line, the only frame between groups."""
    line = QFrame(parent)
    line.setFrameShape(QFrame.Shape.HLine)
    line.setFrameShadow(QFrame.Shadow.Plain)
    line.setForegroundRole(QPalette.ColorRole.Mid)
    line.setFixedHeight(1)
    return line


def is_dark(palette: QPalette) -> bool:
    """Whether what Qt draws with is dark."""
    base = palette.color(QPalette.ColorRole.Base)
    return base.lightness() < palette.color(QPalette.ColorRole.Text).lightness()
