"""The dialog for a machine of the user's own."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ..library.hardware import MODES, Configuration, HardwareRecord, Memory, Price, machine_entries
from ..library.records import Figure
from ..problem import BadInput
from .form import Group, message, say
from .theme import GROUP_GAP, UNIT, hairline

OWN_VENDOR = "own"
LABEL_PX = 112
TERA = "TFLOP/s"

Values = dict[str, Any]


def values_of(record: HardwareRecord, size: int) -> Values:
    """The record's figures by the key of the field that edits each; rates in TFLOP/s and GB/s."""
    capacity = record.configurations[size].capacity
    memory = record.configurations[size].memory or record.memory
    values: Values = {
        "name": record.name,
        "vendor": record.vendor,
        "kind": record.kind,
        "capacity": capacity.value,
        "unit": capacity.unit,
        "memory.type": memory.type or None,
        "memory.bandwidth": _in(memory.bandwidth, "GB/s"),
        "power": record.power and _in(record.power, "W"),
        "price": record.price and record.price.value,
        "currency": record.price and record.price.unit,
    }
    for mode, rate in record.compute.items():
        values[f"compute.{mode}"] = _in(rate, TERA)
    for name, rate in record.measured.items():
        values[f"measured.{name}"] = _in(rate, "GB/s" if name == "bandwidth" else TERA)
    return {key: value for key, value in values.items() if value is not None}


def record_of(values: Values, original: HardwareRecord | None, size: int) -> HardwareRecord:
    """The record that the fields describe; what no field shows is kept from the original.

    A figure that was not changed keeps its source. Raises BadInput naming the field's key.
    """
    for key, what in (
        ("name", "write a name"),
        ("capacity", "write how much memory the machine has"),
        ("memory.bandwidth", "write the memory's bandwidth"),
    ):
        if not values.get(key):
            raise BadInput(key, f"{what}; no answer is possible without it")
    old = values_of(original, size) if original else {}

    def figure(key: str, unit: str, was: Figure | None) -> Figure | None:
        value = values.get(key)
        if value is None:
            return None
        if was is not None and old.get(key) == value and (unit in (was.unit, TERA, "GB/s", "W")):
            return was
        if value <= 0:
            raise BadInput(key, "must be above 0; leave it empty when it is unknown")
        return Figure(value, unit)

    def rates(part: str, known: Mapping[Any, Figure]) -> dict[str, Figure]:
        found = {
            name: figure(f"{part}.{name}", "GB/s" if name == "bandwidth" else TERA, known.get(name))
            for name in ("bandwidth", *MODES)
        }
        return {name: rate for name, rate in found.items() if rate is not None}

    sizes = original.configurations if original else (Configuration("own", Figure(1, "GiB")),)
    own = sizes[size]
    capacity = figure("capacity", values.get("unit", "GiB"), own.capacity if original else None)
    memory = own.memory or (original and original.memory)
    bandwidth = figure("memory.bandwidth", "GB/s", memory.bandwidth if memory else None)
    assert capacity is not None and bandwidth is not None
    kind = values.get("memory.type", "")
    memory = (
        msgspec.structs.replace(memory, type=kind, bandwidth=bandwidth)
        if memory
        else Memory(kind, bandwidth)
    )
    changed = msgspec.structs.replace(own, capacity=capacity)
    if capacity != own.capacity:
        changed = msgspec.structs.replace(changed, marketed=None)
    if own.memory:
        changed = msgspec.structs.replace(changed, memory=memory)
    parts: dict[str, Any] = {
        "name": values["name"],
        "vendor": values.get("vendor") or OWN_VENDOR,
        "kind": values.get("kind", "discrete"),
        "memory": original.memory if original and own.memory else memory,
        "configurations": (*sizes[:size], changed, *sizes[size + 1 :]),
        "compute": rates("compute", original.compute if original else {}),
        "measured": rates("measured", original.measured if original else {}),
        "power": figure("power", "W", original.power if original else None),
        "price": _price(values, original.price if original else None),
    }
    parts["compute"].pop("bandwidth", None)
    record = msgspec.structs.replace(original, **parts) if original else HardwareRecord(**parts)
    try:
        # The same reading as a file's, so that what is saved can be loaded.
        record = msgspec.convert(msgspec.to_builtins(record), HardwareRecord)
        machine_entries(record)
    except msgspec.ValidationError as bad:
        raise BadInput("name", str(bad)) from None
    except BadInput as bad:
        key = bad.problem.key.replace(f"configurations[{size}].", "")
        raise BadInput(key, bad.problem.message) from None
    return record


def _in(figure: Figure, unit: str) -> float:
    """A figure in the unit of its field."""
    factors = {"TB/s": 1e3, "MB/s": 1e-3, "GiB/s": 2.0**30 / 1e9, "kW": 1e3}
    factors |= {"PFLOP/s": 1e3, "POP/s": 1e3, "GFLOP/s": 1e-3}
    return figure.value * (1.0 if figure.unit == unit else factors.get(figure.unit, 1.0))


def _price(values: Values, was: Price | None) -> Price | None:
    value, currency = values.get("price"), values.get("currency")
    if value is None:
        return None
    if value <= 0:
        raise BadInput("price", "must be above 0; leave it empty when it is unknown")
    if not currency:
        raise BadInput("currency", "write the price's currency, such as EUR or USD")
    if was is not None and (was.value, was.unit) == (value, currency):
        return was
    return Price(value, currency, kind="street")


class MachineEditor(QDialog):
    """Edits a copy; `save` writes it and may refuse. The dialog closes only after saving worked.

    Parameters: title; record to start from, or None for a new one; size, the index of the memory
    configuration; save, which raises BadInput.
    """

    def __init__(
        self,
        title: str,
        record: HardwareRecord | None,
        save: Callable[[HardwareRecord], None],
        *,
        size: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._original = record
        self._size = size
        self._save = save
        self.values: Values = (
            values_of(record, size) if record else {"kind": "discrete", "unit": "GiB"}
        )
        self._at_start = dict(self.values)
        self.groups = (self._identity(), self._compute(), self._measured())
        inside = QWidget()
        page = QVBoxLayout(inside)
        page.setContentsMargins(0, 0, GROUP_GAP, 0)
        page.setSpacing(2 * UNIT)
        for group in self.groups:
            if group is not self.groups[0]:
                page.addWidget(hairline(inside))
            page.addWidget(group)
            group.edited.connect(self._edited)
            group.present(self.values, {})
            group.grid.setColumnMinimumWidth(0, LABEL_PX)
        page.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        self._trouble = message(self, error=True)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP_GAP, GROUP_GAP, UNIT, GROUP_GAP)
        layout.addWidget(scroll, 1)
        layout.addWidget(self._trouble)
        layout.addWidget(self._buttons)
        self.resize(460, 560)

    def accept(self) -> None:
        """Save what is typed and close; or say at the field what is wrong with it."""
        say(self._trouble, "")
        if not all([group.finish() for group in self.groups]):
            say(self._trouble, self.tr("One of the fields cannot be read; see there."))
            return
        try:
            self._save(record_of(self.values, self._original, self._size))
        except BadInput as bad:
            problem = bad.problem
            if not any(
                group.refuse(problem.key, problem.message) for group in self.groups if problem.key
            ):
                say(self._trouble, str(problem))
            return
        super().accept()

    def reject(self) -> None:
        """Close; but not over changes that nobody agreed to lose."""
        for group in self.groups:
            group.finish()
        button = QMessageBox.StandardButton
        if self.values != self._at_start and (
            QMessageBox.question(
                self,
                self.tr("Unsaved machine"),
                self.tr("Close without saving the machine?"),
                button.Discard | button.Cancel,
                button.Cancel,
            )
            != button.Discard
        ):
            return
        super().reject()

    def _edited(self, changes: Values) -> None:
        for key, value in changes.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value

    def _identity(self) -> Group:
        group = Group(foldable=False, has_defaults=False)
        group.set_title(self.tr("Machine"))
        group.text("name", self.tr("Name"), self.tr("What the machine is called in the list."))
        group.text("vendor", self.tr("Maker"), self.tr("Who makes it; may stay empty."))
        group.choice(
            "kind",
            self.tr("Kind"),
            self.tr("Decides the usual overhead: less where the system has memory of its own."),
        ).offer(
            (
                ("discrete", self.tr("graphics card")),
                ("unified", self.tr("unified memory")),
                ("datacenter", self.tr("data-centre accelerator")),
                ("cpu", self.tr("processor and its memory")),
            )
        )
        group.number(
            "capacity",
            self.tr("Memory"),
            self.tr("What is physically there. A card sold with 24 GB has 24 GiB."),
        )
        group.choice(
            "unit",
            self.tr("Memory unit"),
            self.tr("GiB is 2^30 bytes, as memory chips are made; GB is 10^9 bytes."),
        ).offer((("GiB", "GiB"), ("GB", "GB")))
        group.text("memory.type", self.tr("Memory type"), self.tr("Such as GDDR7 or LPDDR5X."))
        group.number(
            "memory.bandwidth",
            self.tr("Bandwidth"),
            self.tr("The limit that the maker gives for reading memory."),
            unit="GB/s",
        )
        return group

    def _compute(self) -> Group:
        group = Group(has_defaults=False)
        group.set_title(self.tr("Compute rates"))
        for mode, (operands, accumulator, unit) in MODES.items():
            group.number(
                f"compute.{mode}",
                mode,
                self.tr(
                    "Dense rate with {operands} operands and {accumulator} accumulation, {unit}. "
                    "Leave it empty when it is unknown."
                ).format(operands=operands, accumulator=accumulator, unit=unit),
                unit="TFLOP/s",
            )
        return group

    def _measured(self) -> Group:
        group = Group(has_defaults=False)
        group.set_title(self.tr("Measured, power, price"))
        group.number(
            "measured.bandwidth",
            self.tr("Bandwidth"),
            self.tr("Sustained bandwidth, measured on a machine like this one."),
            unit="GB/s",
        )
        for mode in MODES:
            group.number(
                f"measured.{mode}",
                mode,
                self.tr("Sustained dense rate, measured on a machine like this one."),
                unit="TFLOP/s",
            )
        group.number("power", self.tr("Power"), self.tr("What it draws at most."), unit="W")
        group.number("price", self.tr("Price"), self.tr("What it costs."))
        group.text("currency", self.tr("Currency"), self.tr("Such as EUR or USD."))
        return group
