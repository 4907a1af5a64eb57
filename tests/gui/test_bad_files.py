"""Hundreds of damaged scenarios and machines through the window's own ways of opening them.

Whatever the file holds, the window goes on: it takes the file or says what is wrong, and neither
the file nor the user's own entries are changed.
"""

import json
import random

import pytest
from gui_cases import bare_window, forget_changes
from PySide6.QtCore import QCoreApplication

from ourmodels_gui import paths
from ourmodels_gui import scenario as files
from ourmodels_gui.evaluation import Evaluation
from ourmodels_gui.library.load import load
from ourmodels_gui.scenario import SUFFIX

EXAMPLES = sorted((paths.resources() / "examples").glob(f"*{SUFFIX}"))
ROUNDS = 300
ODD_VALUES = (
    None, True, "", "x" * 400, "\u0000", -1, 0, 1e308, -1e-9, 2**63, 1.5, [], {}, [[]], {"id": 3},
    "NaN", "../../etc", {"a": {"b": {}}},
)  # fmt: skip
ODD_TEXTS = ("NaN", "Infinity", "1e999", "-1e999", '"\\ud800"', "01", "1e5", "\u00e9")


def places(tree, path=()):
    """Every path inside a document."""
    if path:
        yield path
    items = tree.items() if isinstance(tree, dict) else ()
    if isinstance(tree, list):
        items = enumerate(tree)
    for key, value in items:
        yield from places(value, (*path, key))


def spoiled(document: dict, luck: random.Random) -> bytes:
    """The document with one to three things wrong, in a way that files go wrong."""
    tree = json.loads(json.dumps(document))
    for _ in range(luck.randint(1, 3)):
        path = luck.choice(list(places(tree)) or [("format",)])
        parent = tree
        for key in path[:-1]:
            parent = parent[key]
        kind = luck.randrange(4)
        if kind == 0:
            parent[path[-1]] = luck.choice(ODD_VALUES)
        elif kind == 1 and isinstance(parent, dict):
            parent.pop(path[-1], None)
        elif kind == 2 and isinstance(parent, dict):
            parent[luck.choice(("extra", "hardware ", "\u200b"))] = luck.choice(ODD_VALUES)
        else:
            parent[path[-1]] = "@@"
    text = json.dumps(tree).replace('"@@"', luck.choice(ODD_TEXTS))
    data = text.encode("utf-8", "surrogatepass")
    ruin = luck.randrange(8)
    if ruin == 0:
        data = data[: luck.randrange(len(data))]
    elif ruin == 1:
        at = luck.randrange(len(data))
        data = data[:at] + bytes([luck.randrange(256)]) + data[at + 1 :]
    elif ruin == 2:
        data = data.decode("utf-8", "replace").encode("utf-16")
    return data


@pytest.fixture
def opened(qtbot, scenario, library, theme, tmp_path):
    window = bare_window(scenario, library, theme, tmp_path / "home", examples=tmp_path)
    seen: list[Evaluation] = []
    window._recompute.evaluated.connect(seen.append)
    qtbot.addWidget(window, before_close_func=forget_changes)
    return window, window.store, window._recompute, seen


@pytest.mark.parametrize("example", EXAMPLES[:3] + EXAMPLES[-3:], ids=lambda path: path.stem)
def test_damaged_scenarios_are_taken_or_refused_in_words(opened, tmp_path, example):
    window, store, recompute, seen = opened
    luck = random.Random(example.stem)
    document = json.loads(example.read_bytes())
    path = tmp_path / f"bad{SUFFIX}"
    refused = 0
    for _ in range(ROUNDS // 6):
        data = spoiled(document, luck)
        path.write_bytes(data)
        before = store.scenario
        window.document._saved = before
        window.open(path)
        recompute.now()
        assert path.read_bytes() == data
        if window.document.path != path or store.scenario == before:
            said = window.bar.said
            assert said or store.scenario == before
            refused += bool(said)
        evaluation = seen[-1]
        assert (evaluation.result is None) == (evaluation.problem is not None)
        if evaluation.problem is not None:
            assert evaluation.problem.message in window.bar.said
        window.bar.say("")
    assert refused > ROUNDS // 30


def test_damaged_machines_are_listed_and_the_rest_loads(opened, tmp_path, library):
    _, store, recompute, seen = opened
    luck = random.Random(3)
    shipped = paths.catalog() / "hardware"
    documents = [json.loads(path.read_bytes()) for path in sorted(shipped.glob("*.json"))[::40]]
    folder = tmp_path / "home" / "hardware"
    folder.mkdir(parents=True)
    written = {}
    for number in range(ROUNDS // 2):
        path = folder / f"bad-{number}.json"
        written[path] = spoiled(luck.choice(documents), luck)
        path.write_bytes(written[path])
    store.set_library(load(paths.catalog(), folder.parent))
    recompute.now()
    QCoreApplication.processEvents()
    assert library.machines.keys() <= store.library.machines.keys()
    assert len(store.library.problems) > ROUNDS // 6
    assert all(problem.message for problem in store.library.problems)
    assert seen[-1].result is not None
    assert {path: path.read_bytes() for path in written} == written
    for entry in store.library.machines.values():
        if entry.yours:
            store.edit({"hardware": entry.id})
            recompute.now()
            assert (seen[-1].result is None) == (seen[-1].problem is not None)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hardware": "gone-by-now"}, "gone-by-now"),
        ({"model": {"id": "gone-model"}}, "gone-model"),
        (
            {"speculation": {"draft_tokens": 2, "acceptance": 0.5, "draft": {"id": "gone-draft"}}},
            "gone-draft",
        ),
        ({"model.weights": "gone-format"}, "gone-format"),
    ],
)
def test_an_id_that_no_longer_exists_opens_says_so_and_another_can_be_chosen(
    opened, scenario, tmp_path, changes, words
):
    window, _, recompute, seen = opened
    path = tmp_path / f"old{SUFFIX}"
    files.write_file(path, files.edited(scenario, changes))
    window.open(path)
    recompute.now()
    assert window.document.path == path
    assert words in window.bar.said
    assert seen[-1].result is None
    picker = window.machines if "hardware" in changes else window.models
    if "speculation" in changes:
        window.form.edited.emit({"speculation": None})
    elif "model.weights" in changes:
        picker.edited.emit({"model.weights": None})
    else:
        picker.picked.emit(scenario.hardware if "hardware" in changes else scenario.model.id)
    recompute.now()
    assert seen[-1].problem is None
    assert seen[-1].result is not None
