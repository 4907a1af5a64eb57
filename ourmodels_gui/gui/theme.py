"""Colours, type and spacing of the window, in light and dark.

A widget asks for its colours when it paints or when its palette changes (`changeEvent` with
`QEvent.Type.PaletteChange`): ``colours(self).accent``. Nothing else tells it of a change of theme,
and no colour is written anywhere else.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from .. import paths, settings

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


def style_sheet(palette: Palette, icons: Path) -> str:
    """What Qt's roles alone cannot do: outlines that show in the dark, thin scroll bars, flat tabs.

    Parameters: palette; icons, the folder of the check mark and the chevron.
    """
    folder = icons.as_posix()
    check = f"{folder}/check-{'light' if palette is LIGHT else 'dark'}.svg"
    dot, ring = px(6), px(4)
    sign = dot + 2 * ring - 2  # a radio button keeps its size with its dot
    field = f"border: 1px solid {palette.outline}; border-radius: 4px; background: {palette.base};"
    return f"""
QLineEdit {{ {field} padding: 2px 4px; }}
QComboBox {{ {field} padding: 2px 2px 2px 6px;
    selection-background-color: {palette.accent}; selection-color: {palette.on_accent}; }}
QPlainTextEdit[isField="true"] {{ {field} }}
QLineEdit:focus, QComboBox:focus, QPlainTextEdit[isField="true"]:focus {{
    border-color: {palette.accent}; }}
QLineEdit:disabled, QComboBox:disabled {{ background: {palette.window}; color: {palette.muted}; }}
QComboBox::drop-down {{ border: none; width: {px(20)}px; }}
QComboBox::down-arrow {{ image: url("{folder}/chevron-down.svg");
    width: {sign}px; height: {sign}px; }}
QCheckBox {{ spacing: 6px; }}
QCheckBox::indicator, QTreeView::indicator, QTableView::indicator {{ {field}
    width: {sign}px; height: {sign}px; border-radius: 3px; }}
QCheckBox::indicator:focus {{ border-color: {palette.accent}; }}
QCheckBox::indicator:checked, QTreeView::indicator:checked,
QTableView::indicator:checked {{ image: url("{check}");
    background: {palette.accent}; border-color: {palette.accent}; }}
QRadioButton {{ spacing: 6px; }}
QRadioButton::indicator {{ {field}
    width: {sign}px; height: {sign}px; border-radius: {sign // 2 + 1}px; }}
QRadioButton::indicator:focus {{ border-color: {palette.accent}; }}
QRadioButton::indicator:checked {{ width: {dot}px; height: {dot}px;
    border: {ring}px solid {palette.accent}; background: {palette.on_accent}; }}
QSlider::groove:horizontal {{ height: 4px; background: {palette.line}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {palette.accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ width: 12px; margin: -5px 0; border-radius: 7px;
    background: {palette.base}; border: 1px solid {palette.accent}; }}
QSlider::handle:horizontal:focus {{ background: {palette.accent}; }}
QSlider::sub-page:horizontal:disabled {{ background: {palette.outline}; }}
QSlider::handle:horizontal:disabled {{ border-color: {palette.outline}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QScrollBar {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: {SCROLL_PX}px; }}
QScrollBar:horizontal {{ height: {SCROLL_PX}px; }}
QScrollBar::handle {{ background: {palette.outline}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 24px; }}
QScrollBar::handle:horizontal {{ min-width: 24px; }}
QScrollBar::handle:hover {{ background: {palette.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: transparent; }}
QSplitter::handle:vertical {{ border-top: 1px solid {palette.line}; margin: 3px 0 0 0; }}
QSplitter::handle:horizontal {{ border-left: 1px solid {palette.line}; }}
QTabBar {{ qproperty-drawBase: 0; }}
QTabBar::tab {{ padding: 6px 12px; border: none; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ border-bottom-color: {palette.accent}; color: {palette.accent}; }}
QTabBar::tab:focus {{ border-bottom-color: {palette.text}; }}
QTabWidget::pane {{ border: none; border-top: 1px solid {palette.line}; }}
QStatusBar::item {{ border: none; }}
"""


def colours(widget: QWidget) -> Palette:
    """The palette that the widget is drawn with now."""
    return DARK if _is_dark(widget.palette()) else LIGHT


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
    return _text_px(QApplication.font().key()) / TEXT_PX


@lru_cache(maxsize=8)
def _text_px(_font: str) -> int:
    """The pixels of the application's font, which is looked for on the system."""
    return QFontInfo(QApplication.font()).pixelSize()


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
    return QFont(_sized(role, bold, QApplication.font().key()))


@lru_cache(maxsize=64)
def _sized(role: Text, bold: bool, _font: str) -> QFont:
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


def qt_palette(palette: Palette) -> QPalette:
    """The same colours in the roles that Qt's own widgets use.

    Muted text is `PlaceholderText`, hairlines are `Mid`.
    """
    role = QPalette.ColorRole
    out = QPalette()
    for name, colour in {
        role.Window: palette.window,
        role.Base: palette.base,
        role.AlternateBase: palette.window,
        role.Button: palette.window,
        role.WindowText: palette.text,
        role.Text: palette.text,
        role.ButtonText: palette.text,
        role.BrightText: palette.unfit,
        role.ToolTipBase: palette.base,
        role.ToolTipText: palette.text,
        role.PlaceholderText: palette.muted,
        role.Highlight: palette.accent,
        role.Accent: palette.accent,
        role.HighlightedText: palette.on_accent,
        role.Link: palette.accent,
        role.LinkVisited: palette.power,
        role.Light: palette.base,
        role.Midlight: palette.line,
        role.Mid: palette.line,
        role.Dark: palette.line,
        role.Shadow: palette.line,
    }.items():
        out.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        out.setColor(QPalette.ColorGroup.Disabled, name, QColor(palette.muted))
    out.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(palette.line))
    return out


class Theme(QObject):
    """Gives the application Fusion, its text size and one of the two palettes; follows the system.

    text_percent: of the size that the system asks for.
    """

    def __init__(self, app: QApplication, text_percent: int = 100) -> None:
        super().__init__(app)
        self._app = app
        self._plain_is_dark = _is_dark(app.palette())
        self.choice: settings.Theme = "system"
        self._shown: Palette | None = None
        self._is_bare = False
        app.setStyle("Fusion")
        font = QFont(app.font())
        size = max(QFontInfo(font).pixelSize(), TEXT_PX)
        font.setPixelSize(round(size * text_percent / 100))
        app.setFont(font)
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self.choose("system")

    def choose(self, choice: settings.Theme) -> None:
        """Use the light or the dark palette, or the one the system asks for."""
        self.choice = choice
        hints = self._app.styleHints()
        # Title bars follow the colour scheme, where the platform lets a program set it.
        if choice == "system":
            hints.unsetColorScheme()
        else:
            dark = choice == "dark"
            hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)
        self._show()

    def _show(self) -> None:
        palette = DARK if self._wants_dark() else LIGHT
        if palette == self._shown:
            return
        self._shown = palette
        # A style sheet holds on to the palette that a widget had when it was put on.
        self._app.setStyleSheet("")
        self._app.setPalette(qt_palette(palette))
        self._dress()

    @contextmanager
    def bare(self) -> Iterator[None]:
        """Widgets that are made meanwhile are dressed together at the end: under a style sheet each
        would be polished anew at every change of its parent, a fifth of the start."""
        self._is_bare = True
        self._app.setStyleSheet("")
        try:
            yield
        finally:
            self._is_bare = False
            self._dress()

    def _dress(self) -> None:
        if self._shown is not None and not self._is_bare:
            self._app.setStyleSheet(style_sheet(self._shown, paths.resources() / "icons"))

    def _wants_dark(self) -> bool:
        if self.choice != "system":
            return self.choice == "dark"
        scheme = self._app.styleHints().colorScheme()
        if scheme == Qt.ColorScheme.Unknown:
            return self._plain_is_dark
        return scheme == Qt.ColorScheme.Dark

    def _system_changed(self) -> None:
        if self.choice == "system":
            self._show()


def _is_dark(palette: QPalette) -> bool:
    base = palette.color(QPalette.ColorRole.Base)
    return base.lightness() < palette.color(QPalette.ColorRole.Text).lightness()
