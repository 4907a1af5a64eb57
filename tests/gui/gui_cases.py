"""What the window and its views are tried with: setups of the toy machine and of a mixture of
experts on a fast GPU, windows with and without views, and ways to use them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
from gguf_files import llama_keys, llama_tensors, write_gguf
from PySide6.QtCore import Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from ourmodels_gui import app as program
from ourmodels_gui import paths
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Experts,
    Machine,
    ModelCosts,
    Setup,
    Workload,
)
from ourmodels_gui.evaluation import Evaluation
from ourmodels_gui.gui.faults import Faults
from ourmodels_gui.gui.main_window import MainWindow, Panels
from ourmodels_gui.gui.own import this_machine
from ourmodels_gui.gui.own.model_editor import ModelEditor
from ourmodels_gui.gui.own.this_machine import ThisMachine
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.recompute import Recompute
from ourmodels_gui.gui.store import Store
from ourmodels_gui.library.compositions import parts_of
from ourmodels_gui.probe.found import Computer, Gpu, Module
from ourmodels_gui.scenario import ModelRef, Scenario

TOY = Machine(128e9, 800e9)
FAST = Machine(34e9, 1792e9, {"fp4": 1600e12, "bf16": 200e12})
GIB = 2.0**30
DESKTOP = Computer(
    "Linux",
    cpu="AMD Ryzen 9 7950X",
    cores=16,
    memory_bytes=32 * GIB,
    modules=(Module(16 * GIB, "DDR5", 5600.0, bank="P0 CHANNEL A", bits=64),) * 2,
    gpus=(Gpu("NVIDIA GeForce RTX 4090", 23.99 * GIB),),
)


def part_of(library, machines, models=None):
    """The library with these machines alone, and the compositions that are made of them."""
    whole = {
        id_: entry
        for id_, entry in library.compositions.items()
        if all(part in machines for _, part in parts_of(entry.hardware))
    }
    models = library.models if models is None else models
    return msgspec.structs.replace(library, machines=machines, models=models, compositions=whole)


def dense():
    """A 32B-class dense model at 4 bits, without what prefill needs."""
    return ModelCosts(
        resident_bytes=18e9,
        always_bytes=18e9,
        cache=(CacheLayer("full", 64, bytes_per_token=4062.5, read_bytes_per_token=4062.5),),
        max_context_tokens=131_072,
    )


def mixture():
    """A sparse model with recurrent layers and everything that prefill needs."""
    return ModelCosts(
        resident_bytes=17.5e9,
        always_bytes=0.9e9,
        cache=(
            CacheLayer("full", 10, bytes_per_token=2048.0, read_bytes_per_token=2048.0),
            CacheLayer("state", 30, state_bytes=2e6),
        ),
        experts=(Experts(256, 8, 6.5e7),),
        max_context_tokens=262_144,
        cache_write_bytes_per_token=20_480.0,
        linear_active_parameters=2.6e9,
        head_parameters=5e8,
        attention=(
            AttentionLayer("full", 10, query_width=4096.0),
            AttentionLayer("state", 30, flop_per_token=8e6),
        ),
    )


def evaluated(model, *, machine=None, prompt=None, speculation=None, **workload):
    """An evaluation of `model` on its usual machine, with changes to the usual workload."""
    usual = {
        "reserved_context_tokens": 100_000,
        "read_context_tokens": 32_000,
        "floor_tokens_per_s": 20.0,
        "overhead_bytes": 1e9 if model.experts else 6e9,
    }
    setup = Setup(
        machine or (FAST if model.experts else TOY),
        model,
        Workload(**(usual | workload)),
        linear_mode={"fp4": 1.0},
        attention_mode={"bf16": 1.0},
        speculation=speculation,
        prompt=prompt,
    )
    chosen = Scenario(hardware="machine", model=ModelRef("model"))
    return Evaluation(chosen, setup, evaluate(setup))


def preferences(folder: Path, **chosen: object) -> Preferences:
    """Settings of a user who has chosen the light theme, and whatever else is given."""
    made = Preferences(folder)
    made.edit(theme="light", **chosen)
    return made


class View(QWidget):
    """Stands in for a view at the right; keeps what it was given."""

    edited = Signal(dict)

    def __init__(self):
        super().__init__()
        self.given = []

    def present(self, evaluation):
        self.given.append(evaluation)


VIEWS = Panels(View, (("Decode", View),))


def bare_window(scenario, library, theme, folder, *, panels=VIEWS, examples=None):
    """A window without the program's views; `store` is what it edits."""
    store = Store(scenario, library)
    recompute = Recompute(store)
    made = MainWindow(
        store,
        recompute,
        theme,
        panels,
        preferences=preferences(folder),
        examples=examples or folder,
    )
    store.setParent(made)
    recompute.setParent(made)
    made.store = store
    return made


def whole_window(qtbot, theme, folder, monkeypatch):
    """The window as people get it, with every tab, on the user's folder given."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(folder))
    made = program.build(theme, preferences(folder))
    qtbot.addWidget(made, before_close_func=forget_changes)
    with qtbot.waitExposed(made):
        made.show()
    made.resize(1280, 800)
    made.activateWindow()
    qtbot.waitUntil(lambda: made.answers._view is not None)
    return made


def forget_changes(window):
    """Closing asks nothing."""
    window.document._saved = window._store.scenario


def settle(window, qtbot):
    """Wait until what was edited is evaluated."""
    qtbot.waitUntil(lambda: not window._recompute._timer.isActive())


def tab_to(window, wanted, limit=200):
    """Press Tab until `wanted` holds of the focused control."""
    for _ in range(limit):
        current = QApplication.focusWidget()
        if current is not None and wanted(current):
            return current
        QTest.keyClick(current or window, Qt.Key.Key_Tab)
    raise AssertionError("the Tab key never gets there")


def dialogs(window: MainWindow, monkeypatch, tmp_path: Path) -> tuple[Callable[[], object], ...]:
    """What opens each dialog of a window; the computer that it stands on is DESKTOP."""
    monkeypatch.setattr(this_machine, "ThisMachine", partial(ThisMachine, probe_=lambda: DESKTOP))
    keys = llama_keys(layers=4) | {".attention.sliding_window": 512}
    model = write_gguf(tmp_path / "its.gguf", keys, llama_tensors(layers=4), arch="llama")
    record = window._library.models["qwen3-8b"].record
    fault = Faults(window, lambda: None, "2026.11")
    return (
        window.menus.about.emit,
        *(partial(window.sources_asked.emit, page) for page in ("machine", "model", "audit")),
        partial(window.machine_asked.emit, "probe"),
        partial(window.machine_asked.emit, "duplicate"),
        window.menus.report.emit,
        partial(window.open, model),
        partial(fault.hook, ValueError, ValueError("it"), None),
        lambda: ModelEditor(record, lambda _record: None, window).show(),
        window.menus.filter.emit,
    )
