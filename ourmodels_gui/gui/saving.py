"""Where to save: one kind of file first, its ending always written, nothing replaced unasked."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from ..language import tr


def ask_where(
    parent: QWidget, title: str, suggestion: Path, kinds: Mapping[str, str]
) -> Path | None:
    """Ask for a file; None when nothing was chosen.

    The kind that is chosen in the list decides over an ending that was only suggested; an ending of
    another kind that was typed decides over the list. One of no kind stays, with the ending behind.

    Parameters: title, of the dialog; suggestion, with the ending of the first kind; kinds, endings
    with what they are.
    """
    filters = ";;".join(f"{words} (*{ending})" for ending, words in kinds.items())
    name, chosen = QFileDialog.getSaveFileName(parent, title, str(suggestion), filters)
    if not name:
        return None
    first = next(iter(kinds))
    kind = next((ending for ending in kinds if f"(*{ending})" in chosen), first)
    path = ended(Path(name), kinds, kind, first)
    asked = str(path) == str(Path(name))  # by the system's own dialog
    return path if asked or not path.exists() or may_replace(parent, path) else None


def ended(path: Path, kinds: Mapping[str, str], chosen: str, suggested: str) -> Path:
    """The path with the ending of its kind.

    >>> kinds = {".pdf": "PDF", ".html": "Web page"}
    >>> for name, chosen in (("a.pdf", ".html"), ("a.html", ".pdf"), ("a v1.2", ".pdf")):
    ...     print(ended(Path(name), kinds, chosen, ".pdf"))
    a.html
    a.html
    a v1.2.pdf
    >>> print(ended(Path("a.json"), {".ourmodels.json": "Scenario"}, ".ourmodels.json", ""))
    a.json
    """
    ending = next((one for one in kinds if path.name.casefold().endswith(one)), None)
    if ending is None:
        whole = path.suffix.casefold() == Path(f"name{chosen}").suffix
        return path if whole else path.with_name(path.name + chosen)
    if ending == suggested != chosen:
        return path.with_name(path.name[: -len(ending)] + chosen)
    return path


def may_replace(parent: QWidget, path: Path) -> bool:
    """Ask whether a file may be replaced; what happens without a choice is that it stays."""
    button = QMessageBox.StandardButton
    words = tr("\u201c{name}\u201d is already there. Saving replaces it.")
    answer = QMessageBox.warning(
        parent,
        tr("Replace the file?"),
        words.format(name=path.name),
        button.Save | button.Cancel,
        button.Cancel,
    )
    return answer == button.Save
