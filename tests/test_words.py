"""The words of every language: complete, current, compiled; and who speaks which language."""

import ast
import gettext
import importlib.util
import os
import re
import string
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ourmodels_gui import language, paths
from ourmodels_gui import spoken as engine_words
from ourmodels_gui.library.importers import importing
from ourmodels_gui.problem import BadInput
from ourmodels_gui.units import Separators

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "ourmodels_gui").rglob("*.py"))
EXAMPLE = paths.resources() / "examples" / "toy-machine.ourmodels.json"


def script():
    spec = importlib.util.spec_from_file_location("docs_words", ROOT / "docs" / "words.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


words = script()
CODES = words.codes()


class Marked(gettext.NullTranslations):
    """Says every text in brackets."""

    def gettext(self, message):
        return f"[{message}]"

    def ngettext(self, msgid1, msgid2, n):
        return f"[{msgid1 if n == 1 else msgid2}]"


@pytest.fixture
def english_again():
    yield
    language.use("en")


@pytest.fixture(scope="module")
def texts():
    return words.extracted()


def fields(text):
    """Names of what is put in, each with whether its digits are grouped."""
    parsed = string.Formatter().parse(text)
    return {(name, "," in spec) for _, name, spec, _ in parsed if name is not None}


def test_texts_of_the_code_are_found(texts):
    assert "de" in CODES
    assert len(texts) > 500
    assert "About Our Models" in texts


@pytest.fixture(scope="module")
def given():
    """Every text that the code gives to be translated, with whether it is counted."""
    kinds = {}
    for path in MODULES:
        for call in calls(ast.parse(path.read_text(encoding="utf-8")), {"tr", "mark", "trn"}):
            text = call.args[0]
            if isinstance(text, ast.Constant):
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                kinds.setdefault(text.value, set()).add(name == "trn")
    return kinds


def test_every_text_that_is_given_to_be_translated_is_found(given, texts):
    """What reads the code for words sees none inside of an f-string."""
    assert {text for text in given if text not in texts} == set()


def test_a_text_is_counted_everywhere_or_nowhere(given):
    """One entry would have to serve both, and only one of them would find it."""
    assert {text for text, found in given.items() if len(found) > 1} == set()


@pytest.mark.parametrize("code", CODES)
def test_the_words_kept_are_those_of_the_code(code, texts):
    held = words.place(code).read_bytes()
    assert held == words.as_po(words.updated(code, texts)), "run make words"
    assert words.place(code).with_suffix(".mo").read_bytes() == words.as_mo(words.read(code))


@pytest.mark.parametrize("code", CODES)
def test_every_text_has_a_translation_that_nobody_doubts(code):
    missing = [text.id for text in words.read(code) if text.id and not words.translated(text)]
    assert missing == []


@pytest.mark.parametrize("code", CODES)
def test_a_translation_has_the_fields_of_its_text(code):
    for entry in words.read(code):
        if not entry.id:
            continue
        if entry.pluralizable:
            one, many = entry.id
            assert all(fields(one) <= fields(said) <= fields(many) for said in entry.string), one
        else:
            assert fields(entry.string) == fields(entry.id), entry.id


def calls(tree, names):
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in names
    ]


def test_a_text_is_translated_when_it_is_shown_and_not_when_its_module_is_loaded():
    """A constant would keep the language that was in use then; `mark` is for those."""
    for path in MODULES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {
            id(call)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for part in (node.body if isinstance(node.body, list) else [node.body])
            for call in calls(part, {"tr", "trn"})
        }
        early = [call.lineno for call in calls(tree, {"tr", "trn"}) if id(call) not in inside]
        assert early == [], path


def test_the_language_is_the_one_asked_for_or_the_first_known_of_the_system():
    assert language.chosen("de", ["en-GB"]) == "de"
    assert language.chosen("de_DE.UTF-8", []) == "de"
    assert language.chosen("", ["xx", "DE", "en"]) == "de"
    assert language.chosen("xx", ["C"]) == "en"


def test_words_are_used_until_others_are(english_again):
    language.speak(Marked())
    assert language.tr("Save") == "[Save]"
    assert language.tr("") == ""
    assert language.trn("{n} row", "{n} rows", 2) == "[{n} rows]"
    assert language.mark("Save") == "Save"
    language.use("en")
    assert language.tr("Save") == "Save"


def test_what_leaves_the_window_can_be_said_in_english_by_one_thread_alone(english_again):
    language.speak(Marked())
    heard = []
    with language.english():
        aside = threading.Thread(target=lambda: heard.append(language.tr("Save")))
        aside.start()
        aside.join()
        heard.append(language.tr("Save"))
    heard.append(language.tr("Save"))
    assert heard == ["[Save]", "Save", "[Save]"]


@pytest.mark.parametrize("arguments", [["evaluate", EXAMPLE, "--text"], ["evaluate", EXAMPLE]])
def test_commands_speak_english_everywhere(arguments):
    def said(**more):
        done = subprocess.run(
            [sys.executable, "-m", "ourmodels_gui", *map(str, arguments)],
            env={**os.environ, **more},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    german = dict.fromkeys(("LANG", "LC_ALL", "LANGUAGE", "OURMODELS_LANGUAGE"), "de_DE.UTF-8")
    assert said(**german) == said(OURMODELS_LANGUAGE="en")


def texts_of(path):
    """What a module of the engine may say: texts with a space, but those of errors and docs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Assert)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for part in ast.walk(node)
    }
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in silent or id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "1" for part in node.values)
            yield "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_text_of_the_engine_is_known_to_be_translated():
    said = {
        text
        for path in (ROOT / "ourmodels_gui" / "engine").rglob("*.py")
        for text in texts_of(path)
        if " " in text.strip() and any(letter.isalpha() for letter in text)
    }
    assert "model does not fit" in said
    patterns = [pattern for _, pattern in engine_words._patterns()]
    known = {text for text in said if any(pattern.fullmatch(text) for pattern in patterns)}
    assert said - known <= set(engine_words.WORDS)


def test_the_values_in_a_text_of_the_engine_are_written_as_the_window_writes(english_again):
    language.speak(Marked())
    german = Separators(".", ",")
    said = engine_words.spoken(
        "the reservation of 8,000 tokens is too small for 9,000 of prompt", german
    )
    assert said == "[the reservation of 8.000 tokens is too small for 9.000 of [prompt]]"
    said = engine_words.spoken(
        "memory side: the attention layers, the machine's rate in fp8_fp32acc unknown; "
        "compute side: the attention layers unknown"
    )
    missing = "[the attention layers], [the machine's rate in fp8_fp32acc]"
    assert said == (
        f"[[memory side]: {missing} unknown]; [[compute side]: [the attention layers] unknown]"
    )


# Numbers in texts


@pytest.fixture
def german_numbers():
    language.use_signs(lambda: (".", ","))
    yield
    language.use_signs(None)


def test_a_number_that_is_quoted_reads_as_it_is_in_a_file(german_numbers):
    assert language.tr("{alignment!r} is no alignment").format(alignment=48.5) == (
        "48.5 is no alignment"
    )


def test_a_text_can_be_stored_as_it_is(german_numbers):
    texts = [language.tr("memory side"), language.tr("{n} of them").format(n=1)]
    texts.append(language.trn("one row", "many rows", 2))
    assert msgspec.json.decode(msgspec.json.encode(texts)) == texts


def test_numbers_are_put_in_with_the_signs_in_use(german_numbers):
    text = language.tr("{size:.3g} GB of cache at {tokens:,} tokens")
    assert text.format(size=1.25, tokens=np.int64(32768)) == "1,25 GB of cache at 32.768 tokens"
    assert language.tr("{a} {b} {c}").format(a="1.5", b=2.5, c=True) == "1.5 2,5 True"
    rows = language.trn("{count:,} row", "{count:,} rows", 2000)
    assert rows.format(count=2000) == "2.000 rows"
    with language.english():
        assert language.tr("{size:,.1f}").format(size=1234.5) == "1,234.5"


def test_without_a_window_they_are_english():
    assert language.tr("{size:,.1f}").format(size=1234.5) == "1,234.5"


def test_what_goes_wrong_with_a_file_is_said_in_them(german_numbers, tmp_path):
    (tmp_path / "cut.safetensors").write_bytes((5000).to_bytes(8, "little") + b"{}")
    with pytest.raises(BadInput, match=r"5\.000 bytes"):
        importing.import_model(tmp_path / "cut.safetensors")


ENGLISH_BY_INTENT = (
    *("engine", "report", "commands", "measured/proof.py", "measured/composed_proof.py"),
    *("measured/ceiling.py", "measured/paste", "ranking/printed.py", "ranking/comparison.py"),
    *("library/importers/profile_text.py", "library/importers/layout.py", "probe/bandwidth.py"),
    *("units.py", "language.py", "gui/typed.py", "summary", "library/provenance.py", "fitting.py"),
    *("gui/ranking/found_rows.py", "gui/asked/composition_rows.py"),
)
"""What leaves the window, is said anew by `spoken`, is read again, or takes separators itself."""
WITH_SIGNS = re.compile(r",|\.[1-9]\d*[fge]|\?")


def test_no_other_number_is_written_past_them():
    found = []
    for path in MODULES:
        name = path.relative_to(ROOT / "ourmodels_gui").as_posix()
        if name.startswith(ENGLISH_BY_INTENT):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                spec = ast.unparse(node.format_spec)
                if WITH_SIGNS.search(spec):
                    found.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    assert found == [], "put numbers in with tr(...).format, units or language.written"
