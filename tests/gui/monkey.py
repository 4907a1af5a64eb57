"""Uses the window as somebody would who knows nothing: at random, from a seed.

    python tests/gui/monkey.py SEED ACTIONS [MINUTES]

prints what came of it, after MINUTES at the latest; the exit status is 1 when there was a fault, a
Qt warning or a leak, or when the window at rest holds more than it may.
"""

import contextlib
import faulthandler
import gc
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from math import inf
from pathlib import Path
from statistics import mean
from time import monotonic
from unittest import mock

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QPoint,
    QPointF,
    Qt,
    QTimer,
    qInstallMessageHandler,
)
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from ourmodels_gui import app, paths
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.gui.ranking import rank_tab

TARGETS = (QAbstractButton, QAbstractItemView, QAbstractSlider, QComboBox, QLineEdit, QTabBar)
TEXTS = (
    "", "0", "1", "-1", "32k", "1e999", "1,5", "1.234,5", "7B", "nan", "∞", "%s{}", "  ", "24 GB",
    "rtx 4090", "日本", "100000000000000000000", "'; --", "\U0001f600", "x" * 300,
)  # fmt: skip
KEYS = (
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Space,
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home,
    Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Delete, Qt.Key.Key_F1,
    Qt.Key.Key_A, Qt.Key.Key_7,
)  # fmt: skip
MODIFIERS = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton)
SIZES = ((900, 560), (1024, 700), (1280, 800), (1920, 1080), (3840, 2160), (1, 1))
STUCK_S = 300
"""So long nothing may wait for a person."""
MOST_GROWTH = 0.05
MOST_MB = 250.0
KEPT_MS = 500
"""In place of the half minute that a ranking is kept after its tab was left."""
HARMLESS = ("This plugin does not support", 'Mouse event "MouseMove" not accepted')
"""Of the platform, which has no keyboard to grab; of QTest, where what is dragged is disabled."""


class Monkey:
    """Parameters: window; seed; folder that it may save into and open from."""

    def __init__(self, window, seed: int, folder: Path) -> None:
        self.window = window
        self.random = random.Random(seed)
        self.folder = folder
        self.faults: list[str] = []
        self.done: Counter[str] = Counter()
        self.last: list[str] = []
        self._in_action = False
        self._root: QWidget | None = None
        self._actions = (
            [self.click] * 6 + [self.press] * 4 + [self.type] * 4 + [self.command] * 2
            + [self.wheel, self.drag, self.resize, self.tab]
        )  # fmt: skip

    @contextlib.contextmanager
    def at_work(self):
        """Answers every question that would wait for a person; hears faults and warnings."""
        old_hook, sys.excepthook = sys.excepthook, self._fault
        old_handler = qInstallMessageHandler(self._message)
        with contextlib.ExitStack() as patches:
            for kind, name, answer in (
                (QFileDialog, "getOpenFileName", lambda *_, **__: (self._file(), "")),
                (QFileDialog, "getSaveFileName", lambda *_, **__: (self._file(), "")),
                (QInputDialog, "getText", lambda *_, **__: self._answer()),
                (QMessageBox, "question", self._choose),
                (QMessageBox, "warning", self._choose),
                (QMenu, "exec", lambda menu, *_: self.random.choice([None, *menu.actions()])),
            ):
                patches.enter_context(mock.patch.object(kind, name, answer))
            try:
                yield self
            finally:
                sys.excepthook = old_hook
                qInstallMessageHandler(old_handler)

    def act(self, times: int) -> None:
        for _ in range(times):
            action = self.random.choice(self._actions)
            self.done[action.__name__] += 1
            before = len(self.faults)
            self._in_action = True
            QTimer.singleShot(0, self._end_waiting)
            action()
            self._in_action = False
            QCoreApplication.processEvents()
            self._let_go()
            if len(self.faults) > before:
                self.faults.append(f"after {sum(self.done.values())}: {self.last[-5:]}")
                return

    def click(self) -> None:
        widget = self._target()
        where = self._inside(widget)
        button = self.random.choice(BUTTONS)
        twice = self.random.random() < 0.1
        self._note(f"click {type(widget).__name__} {widget.accessibleName()!r}")
        (QTest.mouseDClick if twice else QTest.mouseClick)(widget, button, pos=where)

    def press(self) -> None:
        widget = QApplication.focusWidget() or self._target()
        key, modifier = self.random.choice(KEYS), self.random.choice(MODIFIERS)
        self._note(f"press {key.name} {modifier.name} on {type(widget).__name__}")
        QTest.keyClick(widget, key, modifier)

    def type(self) -> None:
        field = self._target((QLineEdit,))
        text = self.random.choice(TEXTS)
        self._note(f"type {text[:20]!r} into {field.accessibleName()!r}")
        if isinstance(field, QLineEdit) and field.isEnabled() and not field.isReadOnly():
            field.setFocus()
            field.selectAll()
            if text.isascii():
                QTest.keyClicks(field, text)
            else:
                field.insert(text)
            if self.random.random() < 0.7:
                QTest.keyClick(field, Qt.Key.Key_Return)

    def command(self) -> None:
        """A command of the menus, dialogs of files included; leaving is not one of them."""
        commands = list(_commands(self.window.menuBar()))
        chosen = self.random.choice([c for c in commands if c.text() != "Quit" and c.isEnabled()])
        self._note(f"command {chosen.text()!r}")
        chosen.trigger()

    def wheel(self) -> None:
        widget = self._target()
        where = QPointF(self._inside(widget))
        turn = QPoint(0, self.random.choice((-1200, -120, 120, 1200)))
        self._note(f"wheel {type(widget).__name__}")
        no_button, no_key = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        phase = Qt.ScrollPhase.NoScrollPhase
        place = widget.mapToGlobal(where)
        event = QWheelEvent(where, place, QPoint(), turn, no_button, no_key, phase, False)
        QApplication.sendEvent(widget, event)

    def drag(self) -> None:
        widget = self._target((QWidget,))
        self._note(f"drag {type(widget).__name__}")
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=self._inside(widget))
        for _ in range(3):
            QTest.mouseMove(widget, self._inside(widget))
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=self._inside(widget))

    def resize(self) -> None:
        size = self.random.choice(SIZES)
        self._note(f"resize {size}")
        self.window.resize(*size)

    def tab(self) -> None:
        place = self.random.randrange(12)
        self._note(f"tab {place}")
        self.window.show_tab(place)

    def _target(self, kinds=TARGETS) -> QWidget:
        """A widget in sight, of the window in front."""
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        open_ = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not front]
        root = (
            front if front and self.random.random() < 0.7 else self.random.choice(open_ or [front])
        )
        found = [w for w in root.findChildren(QWidget) if w.isVisible() and isinstance(w, kinds)]
        self._root = root  # Python's halves of what is found inside are good as long as this one
        return self.random.choice(found or [root])

    def _inside(self, widget: QWidget) -> QPoint:
        width, height = max(1, widget.width()), max(1, widget.height())
        return QPoint(self.random.randrange(width), self.random.randrange(height))

    def _end_waiting(self) -> None:
        """Runs in an action only where Qt waits for an answer: then a key, then it closes."""
        if not self._in_action:
            return
        QTimer.singleShot(0, self._end_waiting)
        for widget in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if widget is not None:
                if self.random.random() < 0.5:
                    QTest.keyClick(widget, self.random.choice(KEYS))
                if isValid(widget):
                    widget.close()
                return

    def _let_go(self) -> None:
        """Now and then what stands in the way is closed, as people do."""
        while QApplication.activePopupWidget() is not None and self.random.random() < 0.5:
            QApplication.activePopupWidget().close()
            QCoreApplication.processEvents()
        for widget in QApplication.topLevelWidgets():
            small = widget is not self.window and not isinstance(widget, QMenu)
            if small and widget.isVisible() and self.random.random() < 0.05:
                widget.close()
        if not self.window.isVisible():
            self.window.show()

    def _file(self) -> str:
        there = sorted(self.folder.iterdir())
        names = ["", "new.ourmodels.json", "a/b.json", "table.csv", "report.pdf", "p.png", "odd"]
        named = [str(self.folder / name) if name else "" for name in names]
        return self.random.choice([*named, *map(str, there)])

    def _answer(self) -> tuple[str, bool]:
        return self.random.choice(TEXTS), self.random.random() < 0.7

    def _choose(self, *_, **__):
        kind = QMessageBox.StandardButton
        return self.random.choice((kind.Save, kind.Discard, kind.Cancel, kind.Yes, kind.No))

    def _note(self, words: str) -> None:
        self.last = [*self.last[-9:], words]

    def _fault(self, kind, error, trace) -> None:
        self.faults.append("".join(traceback.format_exception(kind, error, trace)))

    def _message(self, _kind, _context, words: str) -> None:
        if not words.startswith(HARMLESS):
            self.faults.append(f"Qt: {words}")


def _commands(holder):
    for action in holder.actions():
        if action.menu() is not None:
            action.menu().aboutToShow.emit()
            yield from _commands(action.menu())
        elif not action.isSeparator():
            yield action


def rest(ms: int) -> None:
    """The window is left alone for so long, but for a last event."""
    loop = QEventLoop()
    QTimer.singleShot(ms, lambda: QTimer.singleShot(20, loop.quit))
    loop.exec()


def close_all(window) -> None:
    """All but the window is closed, unsaved or not, what was to be deleted is; a moment of rest."""
    discard = QMessageBox.StandardButton.Discard
    window.resize(1280, 800)
    with mock.patch.object(QMessageBox, "question", lambda *_, **__: discard):
        for _ in range(3):
            for widget in QApplication.topLevelWidgets():
                if widget is not window:
                    widget.close()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()
    gc.collect()
    rest(20)


def memory_mb() -> float:
    """What the process holds in memory now; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(held: list[float]) -> float:
    """How much more the last two fifths hold than the two in the middle.

    >>> growth([1.0, 2.0, 2.0, 2.0, 3.0])
    0.25
    """
    parts = len(held)
    middle = mean(held[parts * 3 // 10 : parts * 7 // 10] or held)
    return mean(held[-max(parts * 4 // 10, 1) :]) / middle - 1 if middle else 0.0


def part(monkey: Monkey, actions: int, end: float) -> None:
    """Some actions, until a fault or the end of the time."""
    for _ in range(actions):
        faulthandler.dump_traceback_later(STUCK_S, exit=True)
        monkey.act(1)
        if monkey.faults or monotonic() > end:
            return


def main(seed: int, actions: int, minutes: float = inf) -> int:
    end = monotonic() + 60.0 * minutes
    application = app.Application(sys.argv[:1])
    rank_tab.KEPT_MS = KEPT_MS
    with tempfile.TemporaryDirectory() as home:
        os.environ[paths.HOME_VARIABLE] = home
        folder = Path(home) / "files"
        folder.mkdir()
        window = app.build(Theme(application), Preferences(Path(home)))
        window.show()
        held: list[float] = []
        with Monkey(window, seed, folder).at_work() as monkey:
            while sum(monkey.done.values()) < actions and monotonic() < end and not monkey.faults:
                part(monkey, max(actions // 10, 1), end)
                close_all(window)
                rest(1200)
                in_use = memory_mb()
                window.show_tab(0)
                rest(KEPT_MS + 1200)
                gc.collect()
                rest(1200)
                held.append(memory_mb())
                said = "actions {}, widgets {}, memory {:.0f} MB as left, {:.0f} MB at rest"
                widgets = len(QApplication.allWidgets())
                print(said.format(sum(monkey.done.values()), widgets, in_use, held[-1]), flush=True)
        print(f"seed {seed}: {dict(monkey.done)}")
        print(*monkey.faults, sep="\n")
        grown = growth(held)
        print(f"memory grew by {grown:.1%} from the middle to the end", flush=True)
        os._exit(1 if monkey.faults or grown > MOST_GROWTH or held[-1] > MOST_MB else 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *map(float, sys.argv[3:])))
