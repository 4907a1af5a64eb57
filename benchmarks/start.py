"""How long the window takes to its first paint and its first answer, against an empty Qt window.

Run from the repository root: python benchmarks/start.py [repetitions]

Every start is a process of its own, timed from before it is launched; both programs take turns,
so that a busy machine slows both. Warm: the first start of each is not counted. Printed are
medians. The limits are 0.4 s and 1 s where an empty window takes 0.1 s; as ratios they hold on
slower machines too. Exits with 1 where one is missed.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PAINT_RATIO, ANSWER_RATIO, MEMORY_MB = 4.0, 10.0, 250.0

EMPTY = """
import time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow

class Window(QMainWindow):
    def paintEvent(self, event):
        print("paint", time.time(), flush=True)
        QTimer.singleShot(0, QApplication.quit)

app = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
app.exec()
"""

WHOLE = """
import time
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from ourmodels_gui import app
from ourmodels_gui.gui.main_window import MainWindow

painted = MainWindow.paintEvent
seen = []

def paint(window, event):
    painted(window, event)
    if not seen:
        seen.append(time.time())
        look(window)

def look(window):
    # The answers and the tab in sight have drawn what they were given.
    if window.answers.is_drawn and window.shown_tab.is_drawn:
        QApplication.processEvents()
        memory = Path("/proc/self/status")
        lines = memory.read_text().splitlines() if memory.exists() else []
        held = [line.split()[1] for line in lines if line.startswith("VmHWM")]
        print("paint", seen[0], "answer", time.time(), "memory", *held, flush=True)
        QApplication.exit(0)
    else:
        QTimer.singleShot(0, window, lambda: look(window))

MainWindow.paintEvent = paint
app.main()
"""


def started(program: str, home: str) -> dict[str, float]:
    """Seconds from the launch of a process to each of its words, and its memory in kB."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "OURMODELS_HOME": home}
    # As installed, with compiled modules, whatever the environment says of keeping them.
    environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{home}/compiled"}
    launch = time.time()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    words = done.stdout.split()
    times = {what: float(at) for what, at in zip(words[::2], words[1::2], strict=False)}
    return {what: at if what == "memory" else at - launch for what, at in times.items()}


def main(repetitions: int = 7) -> int:
    """Print both times, their ratios to an empty window, and the memory."""
    empty, whole = [], []
    with tempfile.TemporaryDirectory() as home:
        for number in range(repetitions + 1):
            first, second = started(EMPTY, home), started(WHOLE, home)
            if number:
                empty.append(first["paint"])
                whole.append(second)
    blank = median(empty)
    paint = median(start["paint"] for start in whole)
    answer = median(start["answer"] for start in whole)
    print(f"an empty Qt window      {blank:5.2f} s")
    print(f"first paint             {paint:5.2f} s, {paint / blank:.1f} times; limit {PAINT_RATIO}")
    ratio = answer / blank
    print(f"first answer and curve  {answer:5.2f} s, {ratio:.1f} times; limit {ANSWER_RATIO}")
    missed = paint / blank > PAINT_RATIO or ratio > ANSWER_RATIO
    held = [start["memory"] / 1e3 for start in whole if "memory" in start]
    if held:
        print(f"memory at most          {max(held):5.0f} MB; limit {MEMORY_MB:.0f} MB")
        missed |= max(held) > MEMORY_MB
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:2])))
