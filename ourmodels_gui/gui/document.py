"""The file that the scenario came from and goes to."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from .. import files as file_access
from .. import paths
from .. import scenario as files
from ..language import tr
from ..library.travelling import travelling
from ..problem import BadInput
from ..scenario import SUFFIX, Scenario
from .saving import ask_where
from .store import Store


class Document(QObject):
    """Opens and saves; asks before a change is lost; tells of what went wrong in words.

    changed: path or modification changed. told: a sentence for the user.
    """

    changed = Signal()
    told = Signal(str)

    def __init__(self, store: Store, window: QWidget) -> None:
        super().__init__(window)
        self._store = store
        self._window = window
        self._first = store.scenario
        self._saved: Scenario | None = store.scenario
        self._content: bytes | None = None
        self.path: Path | None = None
        store.changed.connect(self.changed)

    @property
    def is_modified(self) -> bool:
        return self._store.scenario != self._saved

    @property
    def title(self) -> str:
        """Name of the scenario, or of its file."""
        if self.path is not None:
            return self.path.name.removesuffix(SUFFIX)
        return self._store.scenario.name or tr("New scenario")

    def new(self) -> None:
        """Start again from the first scenario."""
        if self.may_leave():
            self._take(self._first, None, None)

    def open(self, path: Path, *, ask: bool = True, as_example: bool = False) -> bool:
        """Open a file; whatever is wrong with it is told, and the current scenario stays.

        as_example: it is a starting point, so saving asks for another name.
        """
        if ask and not self.may_leave():
            return False
        try:
            if _is_report(path):
                return self._open_report(path)
            content = path.read_bytes()
            scenario = files.read_file(path)
        except BadInput as bad:
            self.told.emit(str(bad.problem))
            return False
        except OSError as error:
            reason = error.strerror or str(error)
            self.told.emit(
                tr("{path} cannot be opened: {reason}.").format(path=path, reason=reason)
            )
            return False
        self.told.emit(self._catalog_notice(scenario))
        self._take(scenario, None if as_example else path, content)
        return True

    def _open_report(self, path: Path) -> bool:
        """The first scenario that a report carries, as a starting point of its own."""
        from ..report.pdf_file import scenarios  # noqa: PLC0415 - few starts open a PDF

        held = scenarios(path)
        notice = self._catalog_notice(held[0])
        if len(held) > 1:
            first = tr("The report carries {count} scenarios; this is the first.")
            notice = f"{first.format(count=len(held))} {notice}".rstrip()
        self.told.emit(notice)
        self._take(held[0], None, None)
        return True

    def ask_and_open(self) -> None:
        if not self.may_leave():
            return
        name, _ = QFileDialog.getOpenFileName(
            self._window, tr("Open a scenario"), self._folder(), self._filter()
        )
        if name:
            self.open(Path(name), ask=False)

    def save(self) -> bool:
        """Save where it came from, or ask for a place. False when nothing was saved."""
        if self.path is None:
            return self.save_as()
        return self._write(self.path)

    def save_as(self) -> bool:
        suggestion = Path(self._folder()) / f"{self.title}{SUFFIX}"
        kinds = {SUFFIX: tr("Scenario")}
        path = ask_where(self._window, tr("Save the scenario"), suggestion, kinds)
        return path is not None and self._write(path)

    def may_leave(self) -> bool:
        """Ask what becomes of unsaved changes, if there are any; False to stay."""
        if not self.is_modified:
            return True
        button = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self._window,
            tr("Unsaved changes"),
            tr("Save the changes to \u201c{title}\u201d?").format(title=self.title),
            button.Save | button.Discard | button.Cancel,
            button.Save,
        )
        if answer == button.Save:
            return self.save()
        return answer == button.Discard

    def restore(self, scenario: Scenario, path: Path | None, stamp: str) -> None:
        """Go on with a scenario that a crash left unsaved.

        Parameters: path of its file, if it has one; stamp, what the file held when it was opened.
        """
        content = None
        if path is not None:
            try:
                found = path.read_bytes()
            except OSError:
                path = None
            else:
                # Another content is not ours to write over without asking.
                content = found if file_access.stamp(found) == stamp else None
        self._take(scenario, path, content)
        self._saved = None
        self.told.emit(tr("Restored what was open, and not saved, when the program last ended."))
        self.changed.emit()

    def content(self) -> bytes:
        """The file that saving would write now."""
        return files.write(travelling(self._store.scenario, self._store.library))

    @property
    def stamp(self) -> str:
        """What the file held when it was read or written here last; "" without a file."""
        return "" if self._content is None else file_access.stamp(self._content)

    def _write(self, path: Path, *, agreed: bool = False) -> bool:
        """agreed: whatever the file holds may be lost."""
        scenario = self._store.scenario
        content = self.content()
        try:
            if agreed or path != self.path:
                file_access.write_whole(path, content)
            else:
                file_access.write_over(path, content, self._content)
        except file_access.FileChanged:
            return self._may_overwrite(path) and self._write(path, agreed=True)
        except OSError as error:
            reason = error.strerror or str(error)
            self.told.emit(
                tr("{path} cannot be written: {reason}. Nothing was saved.").format(
                    path=path, reason=reason
                )
            )
            return False
        self.path, self._saved, self._content = path, scenario, content
        self.told.emit("")
        self.changed.emit()
        return True

    def _take(self, scenario: Scenario, path: Path | None, content: bytes | None) -> None:
        self.path, self._saved, self._content = path, scenario, content
        self._store.open(scenario)

    def _may_overwrite(self, path: Path) -> bool:
        button = QMessageBox.StandardButton
        answer = QMessageBox.warning(
            self._window,
            tr("The file has changed"),
            tr(
                "\u201c{name}\u201d holds something else than what was opened here. Saving "
                "replaces it."
            ).format(name=path.name),
            button.Save | button.Cancel,
            button.Cancel,
        )
        return answer == button.Save

    def _catalog_notice(self, scenario: Scenario) -> str:
        then, now = scenario.catalog_version, self._store.library.version
        if not then or then == now:
            return ""
        return tr(
            "Saved with catalog {then}; this program has {now}, so figures may differ."
        ).format(then=then, now=now or tr("another"))

    def _folder(self) -> str:
        return str(self.path.parent if self.path else paths.home())

    def _filter(self) -> str:
        words = tr("Scenarios and reports (*{suffix} *.pdf);;All files (*)")
        return words.format(suffix=SUFFIX)


def _is_report(path: Path) -> bool:
    """Whether the file begins like a PDF. Raises OSError."""
    with open(path, "rb") as file:
        return b"%PDF-" in file.read(1024)
