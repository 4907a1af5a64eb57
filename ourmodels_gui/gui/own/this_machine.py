"""What this computer is: found, matched, not guessed; and what its memory sustains."""

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ...language import tr
from ...library.hardware import HardwareRecord
from ...library.load import Library
from ...probe import Candidate, Computer, candidates, probe
from ...probe.bandwidth import Bandwidth, measure
from ...probe.words import bandwidth_lines, candidate_line, found_lines, refusals
from ...problem import BadInput
from .. import typed
from ..background import Worker
from ..captions import message, say
from ..folding import Scrolled
from ..theme import GROUP_GAP, UNIT, open_at, px, sized
from .machine_values import Values

SECONDS = 6.0


class ThisMachine(QDialog):
    """Probes when it opens, beside the window.

    chosen: the id of a catalog machine. own: the values of a machine to be saved as the user's own,
    and the measured bandwidth, None when there is none.
    """

    chosen = Signal(str)
    own = Signal(object, object)

    def __init__(
        self,
        library: Library,
        *,
        probe_: Callable[[], Computer] = probe,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("This machine"))
        self._library, self._probe = library, probe_
        self._computer: Computer | None = None
        self._candidates: tuple[Candidate, ...] = ()
        self.bandwidth: Bandwidth | None = None
        self._prober, self._measurer = Worker(self), Worker(self)
        self._prober.done.connect(self._probed)
        self._prober.failed.connect(self._failed)
        self._measurer.done.connect(self._measured)
        self._measurer.failed.connect(self._failed)
        self._measurer.told.connect(self._progress)
        self._build()
        self._prober.ask(lambda _request: self._probe())

    def _build(self) -> None:
        self.found = self._words(tr("What was found"))
        self.found.setText(tr("Looking\u2026"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Machines that this computer is or holds"))
        self.list.setWordWrap(True)
        self.list.setFixedHeight(px(84))
        self.list.currentRowChanged.connect(lambda _row: self._enable())
        self.refused = self._words(tr("What was not guessed"))
        self.trouble = message(error=True)
        self.measure_button = QPushButton(tr("Measure the memory"))
        self.measure_button.setToolTip(
            tr(
                "Reads main memory with all cores for {seconds:.0f} seconds, buffers far larger "
                "than the caches. Let nothing else run."
            ).format(seconds=SECONDS)
        )
        self.measure_button.clicked.connect(self._measure)
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.hide()
        self.sustained = self._words(tr("Measured read bandwidth"))
        self.use_button = QPushButton(tr("Choose it"))
        self.use_button.clicked.connect(self._use)
        self.save_button = QPushButton(tr("Save as your own\u2026"))
        self.save_button.clicked.connect(self._save)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.addWidget(self.use_button)
        foot.addWidget(self.save_button)
        foot.addStretch(1)
        foot.addWidget(close)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(GROUP_GAP, GROUP_GAP, GROUP_GAP, GROUP_GAP)
        whole.addWidget(Scrolled(self._page(), sideways=False), 1)
        whole.addLayout(foot)
        open_at(self, 600, 560)
        self._enable()

    def _page(self) -> QWidget:
        measuring = QHBoxLayout()
        measuring.addWidget(self.measure_button)
        measuring.addWidget(self.bar, 1)
        measuring.addStretch(1)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT + 2)
        for title, widget in (
            (tr("Found"), self.found),
            (tr("Machines"), self.list),
            (tr("Not guessed"), self.refused),
        ):
            head = QLabel(title)
            head.setFont(sized("text", bold=True))
            layout.addWidget(head)
            layout.addWidget(widget)
        layout.addSpacing(UNIT)
        layout.addLayout(measuring)
        layout.addWidget(self.sustained)
        layout.addWidget(self.trouble)
        layout.addStretch(1)
        return page

    def _words(self, name: str) -> QLabel:
        label = QLabel()
        label.setWordWrap(True)
        label.setAccessibleName(name)
        label.setTextInteractionFlags(
            label.textInteractionFlags().TextSelectableByMouse
            | label.textInteractionFlags().TextSelectableByKeyboard
        )
        return label

    def _probed(self, computer: Computer) -> None:
        self._computer = computer
        self._candidates = candidates(computer, self._library)
        rows = "".join(
            f"<tr><td style='padding-right:12px'>{_html(label)}</td><td>{_html(value)}</td></tr>"
            for label, value in found_lines(computer, typed.separators())
        )
        self.found.setText(f"<table>{rows}</table>")
        write = typed.separators()
        self.list.addItems([candidate_line(one, write) for one in self._candidates])
        for row, one in enumerate(self._candidates):
            self.list.item(row).setToolTip("\n".join(one.notes))
        self.list.setCurrentRow(0)
        said = refusals(computer, self._candidates)
        self.refused.setText("\n".join(f"\u2022 {one}" for one in said) if said else tr("nothing"))
        self._enable()

    def _failed(self, error: Exception) -> None:
        self.bar.hide()
        words = str(error) or type(error).__name__
        if isinstance(error, MemoryError):
            words = tr("There is no room in memory for the measurement.")
        say(self.trouble, words)
        self._enable()

    def _measure(self) -> None:
        if self._measurer.is_busy:
            self._measurer.cancel()
            self.sustained.setText("")
            self.bar.hide()
            self._enable()
            return
        assert self._computer is not None
        cache, memory = self._computer.cache_bytes, self._computer.memory_bytes
        say(self.trouble, "")
        self.sustained.setText(tr("Filling the buffers\u2026"))
        self.bar.setValue(0)
        self.bar.show()
        self._measurer.ask(
            lambda request: measure(
                cache,
                memory,
                seconds=SECONDS,
                stop=request.stop,
                tell=lambda *said: request.tell(said),
            )
        )
        self._enable()

    def _progress(self, said: tuple[Bandwidth, float]) -> None:
        so_far, share = said
        self.bar.setValue(round(100 * share))
        self.sustained.setText("\n".join(bandwidth_lines(so_far, typed.separators())))

    def _measured(self, found: Bandwidth | None) -> None:
        self.bar.hide()
        self.bandwidth = found
        if found is not None:
            words = list(bandwidth_lines(found, typed.separators()))
            words.append(
                tr(
                    "Saved with your own machine it stands beside the limit. Ceilings that use it "
                    "(rates: measured) are estimates, no bounds."
                )
            )
            self.sustained.setText("\n".join(words))
        self._enable()

    def _chosen(self) -> Candidate | None:
        row = self.list.currentRow()
        return self._candidates[row] if 0 <= row < len(self._candidates) else None

    def _enable(self) -> None:
        one = self._chosen()
        self.use_button.setEnabled(one is not None and bool(one.id))
        self.save_button.setEnabled(one is not None and not self._measurer.is_busy)
        self.measure_button.setEnabled(self._computer is not None)
        words = tr("Stop") if self._measurer.is_busy else tr("Measure the memory")
        self.measure_button.setText(words)

    def _use(self) -> None:
        if (one := self._chosen()) is not None:
            self.chosen.emit(one.id)
            self.accept()

    def _save(self) -> None:
        one = self._chosen()
        if one is None:
            return
        measured = self.bandwidth if one.reads_main_memory else None
        self.own.emit(one, measured)
        self.accept()

    def done(self, result: int) -> None:
        self._prober.close()
        self._measurer.close()
        super().done(result)


def start_of(one: Candidate, library: Library) -> tuple[HardwareRecord | None, Values]:
    """What the machine editor starts from: a record to copy, or the values that are known."""
    if one.id:
        entry = library.machines[one.id]
        own = next(size for size in entry.record.configurations if size.id == one.id)
        record = msgspec.structs.replace(
            entry.record,
            name=tr("{name}, this machine").format(name=entry.name),
            memory=own.memory or entry.record.memory,
            configurations=(msgspec.structs.replace(own, memory=None),),
            replaced_by="",
        )
        return record, {}
    try:
        if (made := one.record()) is not None:
            return made, {}
    except BadInput:
        pass
    values: dict[str, Any] = {
        "name": one.name[:120],
        "vendor": one.vendor or None,
        "kind": one.kind,
        "capacity": one.capacity.value if one.capacity else None,
        "unit": one.capacity.unit if one.capacity else "GiB",
        "memory.type": one.memory_type or None,
    }
    return None, {key: value for key, value in values.items() if value is not None}


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
