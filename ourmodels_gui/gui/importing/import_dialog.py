"""Import a model: give its files, review what they say, keep it as one's own."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ...language import tr
from ...library.importers.answers import answered
from ...library.importers.found import ImportCancelled
from ...library.models import ModelRecord
from ...problem import BadInput
from ..background import Worker
from ..captions import message, say
from ..consent import may_lose
from ..folding import Scrolled
from ..own.name_and_notes import NameAndNotes
from ..theme import CARD_PADDING, GROUP_GAP, UNIT, hairline, open_at, sized
from .import_reading import Beside, Reviewed, read, review
from .import_review import ReviewPage
from .model_path_row import ModelPathRow
from .model_paths import one_model


class ImportDialog(QDialog):
    """Reads beside the window; the latest request wins, and an error leaves what is shown.

    Parameters: worker, that reads and reviews; beside, what the model is looked at with; save,
    which writes the record and raises BadInput. The dialog closes only after saving worked.
    """

    def __init__(
        self,
        worker: Worker,
        beside: Beside,
        machine: str,
        save: Callable[[ModelRecord], None],
        parent: QWidget | None = None,
    ) -> None:
        """machine: name of the one in use."""
        super().__init__(parent)
        self.setWindowTitle(tr("Import a model"))
        self.setAcceptDrops(True)
        self._worker, self._beside, self._save = worker, beside, save
        self.reviewed: Reviewed | None = None
        self._answers: dict[str, str] = {}
        worker.done.connect(self._done)
        worker.failed.connect(self._failed)
        self.page = ReviewPage(machine, self)
        self.page.answered.connect(self._answer)
        self._build()
        self._show_state()

    def read(self, path: Path) -> None:
        """Read the model at a path; what is shown stays until that is done."""
        self.path.setText(str(path))
        self._ask(lambda stop: read(path, self._beside, stop), tr("Reading the headers\u2026"))

    def accept(self) -> None:
        """Keep the model as one's own and close, or say why not."""
        self.page.questions.finish()
        if self.reviewed is None or not self.save_button.isEnabled():
            return
        try:
            self._save(self.fields.put_in(self.reviewed.imported.record))
        except BadInput as bad:
            say(self.trouble, str(bad.problem))
            return
        super().accept()

    def reject(self) -> None:
        """Stop reading; or close, but not over work that nobody agreed to lose."""
        if self._worker.is_busy and self.reviewed is None:
            self.stop()
            return
        is_edited = self._answers or (self.reviewed and self.fields.is_edited)
        words = tr("Close without saving the model?")
        if not is_edited or may_lose(self, tr("Unsaved model"), words):
            super().reject()

    def stop(self) -> None:
        """Stop reading; what was shown before stays, with the answers that it was shown with."""
        self._worker.cancel()
        if self.reviewed is not None:
            self._answers = dict(self.reviewed.answers)
            self.page.present(self.reviewed)
        self._show_state()

    def done(self, result: int) -> None:
        self._worker.cancel()
        super().done(result)

    def _build(self) -> None:
        self.trouble = message(self, error=True)
        self.trouble.setAccessibleName(tr("Problem"))
        self.given = ModelPathRow(self)
        self.path = self.given.path
        self.given.given.connect(self.read)
        self.given.refused.connect(lambda words: say(self.trouble, words))
        self.fields = NameAndNotes(self)
        self.reason = message(self)
        self.reason.setFont(sized("text"))
        self.reason.setForegroundRole(QPalette.ColorRole.WindowText)
        self.save_button = self._button(tr("Save as own model"), self.accept)
        self.save_button.setToolTip(tr("Keep it among your models and choose it (Ctrl+Enter)"))
        self.close_button = self._button(tr("Close"), self.reject)
        keys = QShortcut(QKeySequence("Ctrl+Return"), self)
        keys.activated.connect(self.accept)
        foot = QHBoxLayout()
        foot.setSpacing(2 * UNIT)
        foot.addWidget(self.reason, 1)
        foot.addStretch(0)
        foot.addWidget(self.save_button)
        foot.addWidget(self.close_button)
        shown = QWidget(self)
        body = QVBoxLayout(shown)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(CARD_PADDING)
        body.addWidget(self.fields)
        body.addWidget(self.page, 1)
        self.stack = QStackedWidget(self)
        self.stack.addWidget(self._nothing_yet())
        self.stack.addWidget(Scrolled(shown, sideways=False))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP_GAP, GROUP_GAP, GROUP_GAP, GROUP_GAP)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(self.given)
        layout.addWidget(self._progress())
        layout.addWidget(self.trouble)
        layout.addWidget(self.stack, 1)
        layout.addWidget(hairline(self))
        layout.addLayout(foot)
        open_at(self, 1160, 720)

    def _nothing_yet(self) -> QLabel:
        words = QLabel(
            tr(
                "Give a model's files: choose them, type or paste their path, or drop them here.\n"
                "Only headers and metadata are read, never a weight, and nothing is sent anywhere."
            ),
            self,
        )
        words.setAlignment(words.alignment().AlignCenter)
        words.setWordWrap(True)
        words.setForegroundRole(words.palette().ColorRole.PlaceholderText)
        return words

    def _progress(self) -> QWidget:
        self.busy = QWidget(self)
        self._doing = QLabel(self.busy)
        self._doing.setFont(sized("caption"))
        bar = QProgressBar(self.busy)
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setFixedHeight(6)
        self.stop_button = self._button(tr("Stop"), self.stop)
        row = QHBoxLayout(self.busy)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._doing)
        row.addWidget(bar, 1)
        row.addWidget(self.stop_button)
        return self.busy

    def _button(self, words: str, does: Callable[[], None]) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)  # Enter in a field belongs to the field
        button.clicked.connect(lambda _checked=False: does())
        return button

    def _ask(self, work: Callable[[Callable[[], bool]], Reviewed], doing: str) -> None:
        say(self.trouble, "")
        self._doing.setText(doing)
        self._worker.ask(lambda request: work(request.stop))
        self._show_state()

    def _answer(self, key: str, answer: str) -> None:
        """Look at the model with another answer; one that cannot be taken is refused there."""
        if self.reviewed is None:
            return
        files = self.reviewed.imported.files
        answers = {other: given for other, given in self._answers.items() if other != key}
        if answer:
            answers[key] = answer
            try:
                answered(files.said, {key: answer})
            except BadInput as bad:
                self.page.questions.boxes[key].refuse(bad.problem.message)
                return
        self._answers = answers
        self._ask(
            lambda stop: review(files, answers, self._beside, stop), tr("Looking at it\u2026")
        )

    def _done(self, reviewed: Reviewed) -> None:
        before, self.reviewed = self.reviewed, reviewed
        self._answers = dict(reviewed.answers)
        if before is None or before.imported.files is not reviewed.imported.files:
            self.page.questions.clear()
            self.fields.present(reviewed.imported.record)
        self.page.present(reviewed)
        self._show_state()

    def _failed(self, error: Exception) -> None:
        if self.reviewed is not None:
            self._answers = dict(self.reviewed.answers)
            self.page.present(self.reviewed)
        if not isinstance(error, ImportCancelled):
            say(self.trouble, self._words(error))
        self._show_state()

    def _words(self, error: Exception) -> str:
        if isinstance(error, BadInput):
            return str(error.problem)
        if isinstance(error, OSError):
            return tr("{path} cannot be read: {reason}.").format(
                path=error.filename or self.path.text(), reason=error.strerror or str(error)
            )
        return tr("The files cannot be read: {reason}").format(
            reason=str(error) or type(error).__name__
        )

    def _show_state(self) -> None:
        """Whether something is read now, whether something is shown, whether it can be kept."""
        busy, shown = self._worker.is_busy, self.reviewed
        self.busy.setVisible(busy)
        self.stack.setCurrentIndex(0 if shown is None else 1)
        problems = shown.imported.problems if shown is not None else ()
        words = "; ".join(problems)
        if shown is not None and not problems and shown.imported.record.layers is None:
            words = tr(
                "The cache layout is unknown: it can be kept for its bytes, but no session and no "
                "rate is bounded until it is known."
            )
        say(self.reason, words)
        self.save_button.setEnabled(shown is not None and not problems and not busy)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if one_model(event.mimeData().urls(), any_file=True) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls: list[QUrl] = event.mimeData().urls()
        path = one_model(urls, any_file=True)
        if path is not None:
            event.acceptProposedAction()
            self.read(path)
