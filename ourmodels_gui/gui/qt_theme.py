"""The same look for Qt's own widgets: palette, style sheet, and whether light or dark is in use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFont, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from .. import paths, settings
from .focus_ring import KeyboardFocus
from .theme import DARK, LIGHT, SCROLL_PX, TEXT_PX, Palette, is_dark, px


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
QLineEdit[told="odd"], QComboBox[told="odd"] {{ border-color: {palette.below}; }}
QLineEdit[told="wrong"], QComboBox[told="wrong"] {{ border-color: {palette.unfit}; }}
QLineEdit:disabled, QComboBox:disabled {{ background: {palette.window}; color: {palette.muted}; }}
QComboBox::drop-down {{ border: none; width: {px(20)}px; }}
QComboBox::down-arrow {{ image: url("{folder}/chevron-down.svg");
    width: {sign}px; height: {sign}px; }}
QAbstractButton, QTabBar {{ outline: none; }}
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
QTabBar::tab {{ padding: 5px 10px; border: 2px solid transparent; }}
QTabBar::tab:selected {{ border-bottom-color: {palette.accent}; color: {palette.accent}; }}
QTabBar::tab:focus {{ border-color: {palette.accent}; border-radius: 4px; }}
QTabWidget::pane {{ border: none; border-top: 1px solid {palette.line}; }}
QStatusBar::item {{ border: none; }}
"""


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
        self._plain_is_dark = is_dark(app.palette())
        self.choice: settings.Theme = "system"
        self._shown: Palette | None = None
        self._is_bare = False
        app.setStyle("Fusion")
        font = QFont(app.font())
        size = max(QFontInfo(font).pixelSize(), TEXT_PX)
        font.setPixelSize(round(size * text_percent / 100))
        app.setFont(font)
        if app.findChild(KeyboardFocus) is None:  # two would hide each other's ring
            KeyboardFocus(app)
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
