"""What a scenario chose, looked up: lengths, machine and model with where they come from."""

import msgspec

from ..composed import ComposedHardware
from ..engine.setup import Composition, Machine, ModelCosts, ModelShape
from .hardware import MachineEntry


class Lengths(msgspec.Struct, frozen=True):
    """L_alloc and L_read in tokens, each with the reason for it."""

    reserved: int
    reserved_source: str
    read: int
    read_source: str


class ChosenMachine(msgspec.Struct, frozen=True):
    """The machine in use, its rates as the scenario asks; entry is None when written out.

    composition: None for one pool; else its pools, as what was written, and where the speed of its
    link is from, while `machine` is all of them together.
    """

    name: str
    kind: str | None
    machine: Machine
    entry: MachineEntry | None = None
    composition: Composition | None = None
    pools: tuple["ChosenMachine", ...] = ()
    written: ComposedHardware | None = None
    link: str = ""


class ChosenModel(msgspec.Struct, frozen=True):
    """The model in use; weights and cache_format are "" when written out.

    standing: whose it is, and what its audit says. shape: None when written out.
    """

    name: str
    costs: ModelCosts
    weights: str = ""
    weights_typed: bool = False
    cache_format: str = ""
    towers: bool = False
    standing: str = ""
    shape: ModelShape | None = None
