"""Brings the words of every language up to date with the code, and compiles them.

Run from the repository root after a text of the window changed: make words
A new language, by its code: python docs/words.py fr
docs/language.md says the rest. A test holds what is kept to what this makes.
"""

import json
import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
PRESETS = ROOT / "resources" / "presets"
FOLDER = ROOT / "resources" / "locale"
sys.path.insert(0, str(ROOT / "packaging"))

from bundle import AUTHORS, CONTACT  # noqa: E402 - the folder above holds it

WRITERS = f"{AUTHORS} <{CONTACT}>"
HEAD = "# Words of Our Models Desktop. Only the lines with msgstr are written by people."
NAMED = {"project": "Our Models Desktop", "version": "1", "msgid_bugs_address": WRITERS}
KEYWORDS = {"tr": None, "mark": None, "trn": (1, 2)}


def place(code: str) -> Path:
    """The file of a language's words; the compiled one lies beside it."""
    return FOLDER / code / "LC_MESSAGES" / "ourmodels.po"


def codes() -> list[str]:
    """Every language there is but English."""
    return sorted(path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/ourmodels.po"))


def extracted() -> Catalog:
    """Every text of the code that `tr`, `trn` or `mark` is given, with the modules that have it,
    and what the presets are called."""
    texts = Catalog(fuzzy=False)
    found = extract_from_dir(ROOT / "ourmodels_gui", [("**.py", "python")], keywords=KEYWORDS)
    for name, _, text, comments, context in sorted(found, key=lambda each: each[:2]):
        where = [(f"ourmodels_gui/{Path(name).as_posix()}", 0)]
        texts.add(text, locations=where, auto_comments=comments, context=context)
    for path in sorted(PRESETS.glob("*.json")):
        preset = json.loads(path.read_text(encoding="utf-8"))
        for text in (preset["name"], preset["note"]):
            texts.add(text, locations=[(path.relative_to(ROOT).as_posix(), 0)])
    return texts


def read(code: str) -> Catalog:
    """The words kept of a language; none where there is no file yet."""
    if not place(code).exists():
        return Catalog(code, header_comment=HEAD, last_translator=WRITERS, **NAMED, fuzzy=False)
    with place(code).open("rb") as file:
        return read_po(file, code)


def updated(code: str, texts: Catalog) -> Catalog:
    """The words of a language for the texts of the code; new ones are empty, old ones gone."""
    words = read(code)
    words.update(texts, no_fuzzy_matching=True, update_creation_date=False)
    words.obsolete.clear()
    return words


def translated(text: Message) -> bool:
    """Whether it has words for every number that it may tell of, and nobody doubts them."""
    forms = text.string if isinstance(text.string, tuple) else (text.string,)
    return all(forms) and not text.fuzzy


def as_po(words: Catalog) -> bytes:
    """What is kept for people. No line numbers: they would change with every edit."""
    file = BytesIO()
    write_po(file, words, width=100, sort_output=True, include_lineno=False)
    return file.getvalue()


def as_mo(words: Catalog) -> bytes:
    """What the program reads."""
    file = BytesIO()
    write_mo(file, words)
    return file.getvalue()


def main(new: list[str]) -> None:
    texts = extracted()
    for code in sorted({*codes(), *new}):
        words = updated(code, texts)
        place(code).parent.mkdir(parents=True, exist_ok=True)
        place(code).write_bytes(as_po(words))
        place(code).with_suffix(".mo").write_bytes(as_mo(words))
        missing = [m.id for m in words if m.id and not translated(m)]
        print(f"{code}: {len(words)} texts, {len(missing)} without a translation")
        for text in missing[:20]:
            print(f"  {text if isinstance(text, str) else text[0]}")


if __name__ == "__main__":
    main(sys.argv[1:])
