"""What leaves the window: any table as CSV, Markdown, JSON, any plot as a picture."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from .. import paths
from ..language import english, tr
from ..ranking.sheet import Sheet, to_csv, to_json, to_markdown
from .plots.pictures import copy_picture, save_picture, write_or_tell
from .saving import ask_where

FORMS: dict[str, tuple[str, Callable[[Sheet], str]]] = {
    "CSV": (".csv", to_csv),
    "Markdown": (".md", to_markdown),
    "JSON": (".json", to_json),
}


class ExportButton(QToolButton):
    """A menu of what can be done with the table, and with the picture where one is shown.

    sheet: the table as it stands, None where there is none. picture: the widget that draws, None
    where none is shown. report: what a report would be on, None where there is nothing; without it
    none is offered. report_asked: the report of it is wanted.
    """

    report_asked = Signal()

    def __init__(
        self,
        sheet: Callable[[], Sheet | None],
        picture: Callable[[], QWidget | None],
        name: str,
        parent: QWidget | None = None,
        *,
        report: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self._report = report
        self._sheet, self._picture, self._name = sheet, picture, name
        self.setText(tr("Export"))
        self.setAccessibleName(tr("Export: {what}").format(what=name))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_of_forms = QMenu(self)
        self.setMenu(self.menu_of_forms)
        self._tables = []
        self._reports = []
        if report is not None:
            action = self.menu_of_forms.addAction(tr("Report\u2026"))
            action.triggered.connect(lambda _=False: self.report_asked.emit())
            self._reports.append(action)
            self.menu_of_forms.addSeparator()
        for form in FORMS:
            action = self.menu_of_forms.addAction(tr("Copy as {form}").format(form=form))
            action.triggered.connect(lambda _=False, form=form: self.copy(form))
            self._tables.append(action)
        self.menu_of_forms.addSeparator()
        action = self.menu_of_forms.addAction(tr("Save table…"))
        action.triggered.connect(lambda _=False: self.save())
        self._tables.append(action)
        self.menu_of_forms.addSeparator()
        self._pictures = []
        for words, does in (
            (tr("Copy picture"), copy_picture),
            (tr("Save picture…"), save_picture),
        ):
            action = self.menu_of_forms.addAction(words)
            action.triggered.connect(lambda _=False, does=does: self._draw(does))
            self._pictures.append(action)
        self.menu_of_forms.aboutToShow.connect(self._offer)

    def _offer(self) -> None:
        for action in self._reports:
            action.setEnabled(self._report is not None and self._report() is not None)
        for action in self._pictures:
            action.setVisible(self._picture() is not None)

    def copy(self, form: str) -> None:
        """Put the table on the clipboard."""
        with english():
            sheet = self._sheet()
        if sheet is not None:
            QGuiApplication.clipboard().setText(FORMS[form][1](sheet))

    def save(self) -> None:
        """Ask for a file and write the table, in the form of the file's ending."""
        with english():
            sheet = self._sheet()
        if sheet is None:
            return
        suggestion = paths.home() / f"{self._name.casefold()}.csv"
        kinds = {suffix: form for form, (suffix, _) in FORMS.items()}
        path = ask_where(self, tr("Save the table"), suggestion, kinds)
        if path is not None:
            by_suffix = {suffix: write for suffix, write in FORMS.values()}
            write_or_tell(path, by_suffix[path.suffix.lower()](sheet).encode(), self)

    def _draw(self, does: Callable[[QWidget], None]) -> None:
        picture = self._picture()
        if picture is not None:
            does(picture)
