"""The dialog that makes a report: what it says, who made it, a preview, and where to save it."""

from collections.abc import Collection, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ... import paths
from ...evaluation import run
from ...files import read_small
from ...language import english, tr, trn
from ...library.load import Library
from ...ranking.requirements import Requirements
from ...report.build import absent, build
from ...report.search_report import build_search
from ...report.shapes import LARGEST_LOGO_BYTES, SECTIONS, Options, is_picture
from ...scenario import Scenario
from ...settings import ReportChoice
from ..background import Worker
from ..captions import message, say
from ..elided import ElidedLabel
from ..folding import Scrolled
from ..preferences import Preferences
from ..saving import ask_where
from ..theme import GROUP_GAP, UNIT, open_at, px, sized
from .maker import Make, Maker, Page
from .preview import Preview

WAIT_MS = 250
"""After the last change, until the preview is drawn anew."""


Subject = Sequence[Scenario] | Requirements
"""What a report is on: one scenario, some compared, or a reverse search that has been answered."""


def open_report(
    subject: Subject, library: Library, preferences: Preferences, parent: QWidget
) -> str:
    """Open the dialog; why it cannot be, or "" when it is open."""
    if isinstance(subject, Requirements):
        ReportDialog(partial(build_search, subject), library, preferences, parent).open()
        return ""
    evaluations = []
    for chosen in subject:
        kept = msgspec.structs.replace(chosen, catalog_version=library.version or None)
        with english():
            done = run(kept, library)
        if done.problem is not None:
            return str(run(kept, library).problem)
        evaluations.append(done)
    make = partial(build, evaluations)
    ReportDialog(make, library, preferences, parent, without=absent(evaluations)).open()
    return ""


class ReportDialog(QDialog):
    """Every change is drawn anew beside the window; a file is written before anything is drawn."""

    def __init__(
        self,
        make: Make,
        library: Library,
        preferences: Preferences,
        parent: QWidget | None = None,
        *,
        without: Collection[str] = (),
    ) -> None:
        """without: sections that have nothing to say, which are not offered."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Report"))
        self._preferences = preferences
        self._logo, self._logo_path = b"", ""
        self._maker = Maker(make, library)
        self.worker = Worker(self)
        self._writes = False
        self.preview = Preview(self)
        self.state = ElidedLabel()
        self.state.setFont(sized("caption"))
        self.state.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.trouble = message(self, error=True)
        self.done_line = message(self)
        choices = QWidget()
        column = QVBoxLayout(choices)
        column.setContentsMargins(0, 0, UNIT, 0)
        column.setSpacing(2 * UNIT)
        column.addLayout(self._build_fields())
        column.addWidget(QLabel(tr("Sections")))
        self.sections = self._build_sections(column)
        for id_ in without:
            self.sections[id_].hide()
        column.addStretch(1)
        left = QVBoxLayout()
        left.setSpacing(2 * UNIT)
        left.addWidget(Scrolled(choices, sideways=False), 1)
        for line in (self.trouble, self.done_line):
            left.addWidget(line)
        left.addWidget(self._build_buttons())
        across = QHBoxLayout(self)
        across.setContentsMargins(GROUP_GAP, GROUP_GAP, GROUP_GAP, GROUP_GAP)
        across.setSpacing(GROUP_GAP)
        right = QVBoxLayout()
        right.setSpacing(UNIT)
        right.addWidget(self.preview, 1)
        right.addWidget(self.state)
        across.addLayout(left)
        across.addLayout(right, 1)
        self._timer = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._timer.timeout.connect(self._draw)
        self.worker.told.connect(self._told)
        self.worker.failed.connect(self._failed)
        self.worker.done.connect(self._done)
        open_at(self, 960, 680)
        self._read_logo(preferences.settings.report.logo)
        self._draw()

    def options(self) -> Options:
        """What is chosen."""
        today = date.today().isoformat() if self.dated.isChecked() else ""
        return Options(
            title=self.title.text(),
            author=self.author.text(),
            date=today,
            note=self.note.toPlainText(),
            logo=self._logo,
            sections=frozenset(id_ for id_, box in self.sections.items() if box.isChecked()),
            paper=self.paper.currentData(),
        )

    def save_as(self, path: Path) -> None:
        """Write the report in the format of the suffix; what comes of it is told in a line."""
        say(self.trouble, "")
        say(self.done_line, tr("Writing {name}\u2026").format(name=path.name))
        options = self.options()
        self._set_writing(True)
        self.worker.ask(lambda _request: self._maker.write(path, options))

    def done(self, result: int) -> None:
        """Closing waits for the file that is being written."""
        self._timer.stop()
        if self._writes:
            self.worker.wait()
        self.worker.close()
        choice = ReportChoice(self.author.text(), self._logo_path, self.paper.currentData())
        self._preferences.edit(report=choice)
        super().done(result)

    def _build_fields(self) -> QFormLayout:
        self.title = QLineEdit()
        self.author = QLineEdit(self._preferences.settings.report.author)
        self.author.setPlaceholderText(tr("your name or your company's"))
        self.author.setToolTip(self.author.placeholderText())
        self.logo = QPushButton(tr("Choose\u2026"))
        self.logo.clicked.connect(self._choose_logo)
        self.dated = QCheckBox(tr("Print today's date"))
        self.paper = QComboBox()
        self.paper.addItem("A4", "a4")
        self.paper.addItem(tr("US Letter"), "letter")
        self.paper.setCurrentIndex(self.paper.findData(self._preferences.settings.report.paper))
        self.note = QPlainTextEdit()
        self.note.setPlaceholderText(tr("printed on the first page"))
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(px(84))
        for field in (self.title, self.author):
            field.setMaxLength(500)
            field.textChanged.connect(self._change)
        self.note.textChanged.connect(self._change)
        self.dated.toggled.connect(self._change)
        self.paper.currentIndexChanged.connect(self._change)
        rows = QFormLayout()
        rows.setSpacing(2 * UNIT)
        fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Title"), self.title),
            (tr("Name"), self.author),
            (tr("Logo"), self.logo),
            (tr("Note"), self.note),
            (tr("Paper"), self.paper),
            ("", self.dated),
        )
        for words, widget in fields:
            rows.addRow(words, widget)
            if words:
                widget.setAccessibleName(words)
        return rows

    def _build_sections(self, column: QVBoxLayout) -> dict[str, QCheckBox]:
        boxes = {}
        for id_, title in SECTIONS.items():
            box = QCheckBox(tr(title))
            box.setChecked(True)
            box.setEnabled(id_ != "answer")
            box.toggled.connect(self._change)
            column.addWidget(box)
            boxes[id_] = box
        return boxes

    def _build_buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Close
        )
        self.save_button = buttons.button(QDialogButtonBox.StandardButton.Save)
        self.save_button.setText(tr("Save as\u2026"))
        buttons.accepted.connect(self._ask_and_save)
        buttons.rejected.connect(self.reject)
        return buttons

    def _change(self) -> None:
        say(self.trouble, "")
        self._timer.start()

    def _draw(self) -> None:
        if self._writes:
            self._tell(tr("The pages are drawn once the file is written."))
            return
        self._tell(tr("The pages are being drawn\u2026"))
        options, width_px = self.options(), self.preview.width_px()
        self.worker.ask(lambda request: self._maker.draw(options, width_px, request))

    def _tell(self, words: str) -> None:
        """What is going on with the pages: below them, and in their place while there are none."""
        self.preview.say(words)
        self.state.say(words if self.preview.pages else "")

    def _told(self, what: str | Page) -> None:
        if isinstance(what, Page):
            self.preview.show_page(what)
            words = tr("Page {number} of {count} is drawn")
            self._tell(words.format(number=what.place + 1, count=what.pages))
        elif not self.title.text():
            self.title.setPlaceholderText(what)
            self.title.setToolTip(what)

    def _failed(self, error: Exception) -> None:
        say(self.trouble, str(error))
        say(self.done_line, "")
        if not self._writes:
            self.preview.clear()
            self._tell(tr("The pages cannot be drawn: {reason}").format(reason=error))
        self._set_writing(False)

    def _done(self, written: Path | None) -> None:
        if written is None:
            count = len(self.preview.pages)
            self._tell(trn("{count} page", "{count} pages", count).format(count=count))
        else:
            say(self.trouble, "")
            say(self.done_line, tr("{path} is saved.").format(path=written))
            self._set_writing(False)

    def _set_writing(self, writes: bool) -> None:
        """One file at a time; the preview, stopped for it, is drawn when it is written."""
        was, self._writes = self._writes, writes
        self.save_button.setEnabled(not writes)
        if was and not writes:
            self._draw()

    def _ask_and_save(self) -> None:
        name = (self.title.text() or self.title.placeholderText() or "report")[:80]
        stem = "".join("-" if c in '/\\:*?"<>|' or not c.isprintable() else c for c in name)
        kinds = {
            ".pdf": tr("PDF document"),
            ".html": tr("Web page"),
            ".md": tr("Markdown text"),
            ".csv": tr("The tables alone, as CSV"),
        }
        path = ask_where(self, tr("Save the report"), paths.home() / f"{stem}.pdf", kinds)
        if path is not None:
            self.save_as(path)

    def _choose_logo(self) -> None:
        if self._logo:
            self._logo, self._logo_path = b"", ""
            self.logo.setText(tr("Choose\u2026"))
            self._change()
            return
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Choose a logo"), str(paths.home()), tr("Pictures (*.png *.jpg)")
        )
        self._read_logo(name)

    def _read_logo(self, name: str) -> None:
        """A picture that cannot be used is told in a line, and the report goes without it."""
        if not name:
            return
        path = Path(name)
        try:
            data = read_small(path, LARGEST_LOGO_BYTES)
        except (OSError, ValueError) as error:
            reason = (isinstance(error, OSError) and error.strerror) or str(error)
            words = tr("{path} cannot be read: {reason}.")
            say(self.trouble, words.format(path=path, reason=reason))
            return
        if not is_picture(data):
            words = tr("{path} is neither a PNG nor a JPEG picture.")
            say(self.trouble, words.format(path=path))
            return
        self._logo, self._logo_path = data, str(path)
        self.logo.setText(tr("Remove {name}").format(name=path.name))
        self._change()
