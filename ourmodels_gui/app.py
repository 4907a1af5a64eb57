"""The window's program: one QApplication, the library, the store, the window."""

import gc
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLibraryInfo, QSettings, QTimer
from PySide6.QtGui import QFileOpenEvent, QPixmapCache
from PySide6.QtWidgets import QApplication, QWidget

from . import __version__, paths
from .gui.about import icon
from .gui.autosave import Autosave
from .gui.faults import Faults
from .gui.first import first_scenario
from .gui.freed_memory import FreedMemory, collect_in_this_thread_only, use_one_heap
from .gui.importing.imports import Imports
from .gui.main_window import MainWindow, Panels
from .gui.own.own_compositions import OwnCompositions
from .gui.own.own_machines import OwnMachines
from .gui.own.own_models import OwnModels
from .gui.preferences import Preferences
from .gui.qt_theme import Theme
from .gui.ranking.tray import Tray, mark_of
from .gui.recompute import Recompute
from .gui.sources import Sources
from .gui.speech import speak
from .gui.store import Store
from .gui.typed import use_numbers
from .library.load import Library, load

if TYPE_CHECKING:
    from .gui.evidence.measurements import Measurements

TOLD_MS = 4000
"""How long the status bar says what was marked."""


PIXMAPS_KB = 2048
"""Of pictures of signs and arrows, which the style draws anew in no time; Qt keeps five times as
much."""


class Application(QApplication):
    """Opens the files that macOS hands over as events; keeps little of what can be made again."""

    window: MainWindow | None = None

    def __init__(self, arguments: list[str]) -> None:
        use_one_heap()
        collect_in_this_thread_only()
        super().__init__(arguments)
        QPixmapCache.setCacheLimit(PIXMAPS_KB)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and self.window is not None:
            self.window.open(Path(event.file()))
            return True
        return super().event(event)


def load_platform(kinds: list[str]) -> None:
    """Load what Qt draws windows with, before Qt does: it aborts where a library is missing.

    Parameters: kinds of display that answer, in Qt's names. Raises ImportError in the loader's
    words when no plugin of theirs can be loaded.
    """
    import ctypes  # noqa: PLC0415 - other systems need none of it

    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath), "platforms")
    for kind in kinds:
        try:
            ctypes.CDLL(str(plugins / f"libq{kind}.so"))
        except OSError as error:
            fault = error
        else:
            return
    raise ImportError(str(fault))


def smoke() -> int:
    """Start, answer, paint every tab and end; 0 when all went well. Leaves nothing behind."""
    from .gui.smoke import Smoke  # noqa: PLC0415 - no other start needs it

    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="ourmodels-") as folder:
        os.environ[paths.HOME_VARIABLE] = folder
        return main(started=Smoke)


def main(path: Path | None = None, *, started: Callable[[MainWindow], object] | None = None) -> int:
    """Open the window; returns the exit status.

    Parameters: path of a scenario file; started, told once of the window that is shown.
    """
    app = Application(sys.argv[:1])
    app.setApplicationName("ourmodels")
    app.setApplicationDisplayName("Our Models")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("org.ourmodels.OurModels")
    app.setWindowIcon(icon())
    folder = paths.user_data()
    # Qt's file dialog keeps where it was: among the user's files, and not for every program to read
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(folder))
    preferences = Preferences(folder)
    speak(app, preferences.settings.language)
    use_numbers(preferences.settings.numbers)
    theme = Theme(app, preferences.settings.text_percent)
    theme.choose(preferences.settings.theme)
    window = build(theme, preferences)
    autosave = Autosave(window.document, folder, window)
    if path is None:
        autosave.restore()
    app.window = window
    sys.excepthook = Faults(window, autosave.keep, window.catalog_version).hook
    gc.freeze()  # what the start made stays until the end
    window.show()
    if path is not None:
        QTimer.singleShot(0, window, lambda: window.open(path))
    if started is not None:
        started(window)
    status = app.exec()
    autosave.end()
    preferences.end()
    return status


RANK = 5
"""The place of the tab Rank."""


def build(theme: Theme, preferences: Preferences) -> MainWindow:
    """The window on the shipped catalog and the user's own files."""
    folder = paths.user_data()

    def reload() -> Library:
        return load(paths.catalog(), folder)

    library = reload()
    store = Store(first_scenario(library), library)
    recompute = Recompute(store)
    tray = Tray()

    @cache
    def measurements() -> "Measurements":
        """Made by the first tab that asks: what it imports takes longer than the start."""
        from .gui.evidence.measurements import Measurements  # noqa: PLC0415

        made = Measurements(lambda: store.library, paths.catalog(), folder, window)
        made.changed.connect(recompute.now)
        made.told.connect(window.bar.say)
        return made

    panels = Panels(
        lambda: _answers(store, window),
        (
            ("Decode", lambda: _decode_tab(measurements())),
            ("Prefill", lambda: _prefill_tab(measurements())),
            ("Memory traffic", _traffic_tab),
            ("Cache", lambda: _cache_tab(store)),
            ("Speculation", _speculation_tab),
            ("Rank", lambda: _rank_tab(store, preferences, tray)),
            ("Find", lambda: _find_tab(store, preferences, tray, window)),
            ("Compare", lambda: _compare_tab(store, preferences, tray, window)),
            ("Evidence", lambda: _evidence_tab(measurements())),
        ),
    )
    with theme.bare():
        window = MainWindow(
            store,
            recompute,
            theme,
            panels,
            preferences=preferences,
            examples=paths.resources() / "examples",
        )
    store.setParent(window)
    recompute.setParent(window)
    preferences.setParent(window)
    tray.setParent(window)
    window.menus.mark.connect(lambda: tray.add(mark_of(store.scenario)))
    tray.changed.connect(lambda: window.statusBar().showMessage(tray.said(), TOLD_MS))
    preferences.refused.connect(window.bar.say)
    if preferences.notice:
        window.bar.say(preferences.notice)
    OwnMachines(store, window, folder, reload)
    OwnCompositions(store, window, folder, reload)
    OwnModels(store, window, folder, reload)
    Imports(store, window, folder, reload)
    Sources(store, recompute, window)
    FreedMemory(window)
    return window


# The answers import numpy and the tabs pyqtgraph, which cost as much as the rest of the start; they
# load once the window is painted.


def _answers(store: Store, window: MainWindow) -> QWidget:
    from .gui.answered.answers import AnswerPanel  # noqa: PLC0415
    from .gui.answered.lighter import lighter_offer  # noqa: PLC0415

    panel = AnswerPanel(lambda evaluation: lighter_offer(evaluation, store.library))
    panel.ranking_asked.connect(lambda: window.show_tab(RANK))
    return panel


def _decode_tab(measurements: "Measurements") -> QWidget:
    from .gui.tabs.decode_tab import DecodeTab  # noqa: PLC0415

    tab = DecodeTab()
    tab.measured = measurements.points
    return tab


def _prefill_tab(measurements: "Measurements") -> QWidget:
    from .gui.tabs.prefill_tab import PrefillTab  # noqa: PLC0415

    tab = PrefillTab()
    tab.measured = measurements.points
    return tab


def _evidence_tab(measurements: "Measurements") -> QWidget:
    from .gui.evidence.evidence_tab import EvidenceTab  # noqa: PLC0415

    return EvidenceTab(measurements)


def _traffic_tab() -> QWidget:
    from .gui.tabs.traffic_tab import TrafficTab  # noqa: PLC0415

    return TrafficTab()


def _cache_tab(store: Store) -> QWidget:
    from .gui.tabs.cache_tab import CacheTab  # noqa: PLC0415
    from .library.resolve import resolve  # noqa: PLC0415

    return CacheTab(lambda scenario: resolve(scenario, store.library))


def _speculation_tab() -> QWidget:
    from .gui.tabs.speculation_tab import SpeculationTab  # noqa: PLC0415

    return SpeculationTab()


def _rank_tab(store: Store, preferences: Preferences, tray: Tray) -> QWidget:
    from .gui.ranking.rank_tab import RankTab  # noqa: PLC0415

    return RankTab(lambda: store.library, preferences, tray)


def _find_tab(store: Store, preferences: Preferences, tray: Tray, window: MainWindow) -> QWidget:
    from .gui.ranking.find_tab import FindTab  # noqa: PLC0415

    tab = FindTab(lambda: store.library, preferences, tray)
    tab.report_asked.connect(window.menus.report)
    return tab


def _compare_tab(store: Store, preferences: Preferences, tray: Tray, window: MainWindow) -> QWidget:
    from .gui.ranking.compare_tab import CompareTab  # noqa: PLC0415

    tab = CompareTab(lambda: store.library, preferences, tray)
    tab.report_asked.connect(window.menus.report)
    return tab
