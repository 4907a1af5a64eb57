"""Take the README's pictures anew: python docs/pictures/take.py, on any display or none.

The window stands as it opens on a first run, at 1280 x 800, in the light and the dark theme.
"""

import os
import tempfile
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsView

from ourmodels_gui import app as program
from ourmodels_gui import paths
from ourmodels_gui.gui.about import icon
from ourmodels_gui.gui.main_window import MainWindow
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme

HERE = Path(__file__).parent
SIZE = (1280, 800)
STEP_MS, MOST_STEPS = 100, 100


def settle(window: MainWindow) -> None:
    """Wait until the answers and the plot are drawn, and a little for its labels."""
    for _ in range(MOST_STEPS):
        QTest.qWait(STEP_MS)
        plots = window.shown_tab.findChildren(QGraphicsView)
        if window.answers.is_drawn and any(plot.isVisible() for plot in plots):
            QTest.qWait(5 * STEP_MS)
            return
    raise SystemExit("The window was not drawn in time; no picture was taken.")


def take(theme: Theme, choice: str) -> None:
    """Write window-light.png or window-dark.png beside this file."""
    preferences = Preferences(paths.user_data())
    preferences.edit(theme=choice)
    window = program.build(theme, preferences)
    window.resize(*SIZE)
    window.show()
    settle(window)
    window.grab().save(str(HERE / f"window-{choice}.png"))
    window.close()


def main() -> None:
    if not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([])
    app.setWindowIcon(icon())
    theme = Theme(app)
    with tempfile.TemporaryDirectory(prefix="ourmodels-") as folder:
        os.environ[paths.HOME_VARIABLE] = folder  # nobody's own machines in the picture
        for choice in ("light", "dark"):
            take(theme, choice)


if __name__ == "__main__":
    main()
