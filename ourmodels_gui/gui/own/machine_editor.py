"""The dialog for a machine of the user's own."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ...language import tr
from ...library.hardware import MODES, HardwareRecord
from ...problem import BadInput
from ..captions import message, say
from ..consent import may_lose
from ..form import CAUTION, Group, align
from ..theme import GROUP_GAP, UNIT, hairline, open_at, px
from .machine_values import Values, cautions, record_of, values_of

LABEL_PX = 112


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
        start: Values | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """start: what is known of a new machine."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self._original = record
        self._size = size
        self._save = save
        self.values: Values = (
            values_of(record, size)
            if record
            else {"kind": "discrete", "unit": "GiB"} | (start or {})
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
        align(self.groups, px(LABEL_PX))
        page.addStretch(1)
        self._cautioned: set[str] = set()
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        self._trouble = message(self, error=True)
        self._advice = message(self)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP_GAP, GROUP_GAP, UNIT, GROUP_GAP)
        layout.addWidget(scroll, 1)
        layout.addWidget(self._advice)
        layout.addWidget(self._trouble)
        layout.addWidget(self._buttons)
        open_at(self, 460, 560)
        self._check()

    def accept(self) -> None:
        """Save what is typed and close; or say at the field what is wrong with it."""
        say(self._trouble, "")
        if not all([group.finish() for group in self.groups]):
            say(self._trouble, tr("One of the fields cannot be read; see there."))
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
        words = tr("Close without saving the machine?")
        if self.values == self._at_start or may_lose(self, tr("Unsaved machine"), words):
            super().reject()

    def _edited(self, changes: Values) -> None:
        for key, value in changes.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value
        self._check()

    def _check(self) -> None:
        """Say at the fields what the catalog's sense checks find odd; saving stays possible."""
        try:
            record = record_of(self.values, self._original, self._size)
        except BadInput:
            found = {}  # something is missing or impossible; saving says so
        else:
            found = cautions(record, self._size)
        for key in self._cautioned - found.keys():
            any(group.caution(key, "") for group in self.groups)
        elsewhere = [
            text
            for key, text in found.items()
            if not any([group.caution(key, text) for group in self.groups])
        ]
        self._cautioned = set(found)
        words = "\n".join(f"{CAUTION} {text}" for text in elsewhere)
        shown = len(found) - len(elsewhere)
        if shown and not words:
            words = tr("{sign} Something looks odd; see at the fields. It can be saved.")
            words = words.format(sign=CAUTION)
        say(self._advice, words)

    def _identity(self) -> Group:
        group = Group(foldable=False, has_defaults=False)
        group.set_title(tr("Machine"))
        group.text("name", tr("Name"), tr("What the machine is called in the list."))
        group.text("vendor", tr("Maker"), tr("Who makes it; may stay empty."))
        group.choice(
            "kind",
            tr("Kind"),
            tr("Decides the usual overhead: less where the system has memory of its own."),
        ).offer(
            (
                ("discrete", tr("graphics card")),
                ("unified", tr("unified memory")),
                ("datacenter", tr("data-centre accelerator")),
                ("cpu", tr("processor and its memory")),
            )
        )
        group.number(
            "capacity",
            tr("Memory"),
            tr("What is physically there. A card sold with 24 GB has 24 GiB."),
        )
        group.choice(
            "unit",
            tr("Memory unit"),
            tr("GiB is 2^30 bytes, as memory chips are made; GB is 10^9 bytes."),
        ).offer((("GiB", "GiB"), ("GB", "GB")))
        group.text("memory.type", tr("Memory type"), tr("Such as GDDR7 or LPDDR5X."))
        group.number(
            "memory.bandwidth",
            tr("Bandwidth"),
            tr("The limit that the maker gives for reading memory."),
            unit="GB/s",
        )
        return group

    def _compute(self) -> Group:
        group = Group(has_defaults=False)
        group.set_title(tr("Compute rates"))
        for mode, (operands, accumulator, unit) in MODES.items():
            group.number(
                f"compute.{mode}",
                mode,
                tr(
                    "Dense rate with {operands} operands and {accumulator} accumulation, {unit}. "
                    "Leave it empty when it is unknown."
                ).format(operands=tr(operands), accumulator=tr(accumulator), unit=tr(unit)),
                unit="TFLOP/s",
            )
        return group

    def _measured(self) -> Group:
        group = Group(has_defaults=False)
        group.set_title(tr("Measured, power, price"))
        group.number(
            "measured.bandwidth",
            tr("Bandwidth"),
            tr("Sustained bandwidth, measured on a machine like this one."),
            unit="GB/s",
        )
        for mode in MODES:
            group.number(
                f"measured.{mode}",
                mode,
                tr("Sustained dense rate, measured on a machine like this one."),
                unit="TFLOP/s",
            )
        group.number("power", tr("Power"), tr("What it draws at most."), unit="W")
        group.number("price", tr("Price"), tr("What it costs."))
        group.text("currency", tr("Currency"), tr("Such as EUR or USD."))
        return group
