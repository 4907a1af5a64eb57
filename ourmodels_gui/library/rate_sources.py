"""Where the figures of a machine in use come from, in words."""

from typing import Any

from .chosen import ChosenMachine
from .load import Library
from .records import Evidence, Figure


def figure_source(figure: Evidence, library: Library) -> str:
    """Where a figure of the library comes from, and how it is known."""
    source = library.sources.get(figure.source)
    title = source.title if source else figure.source or "your own figure"
    return f"{figure.basis}: {title}"


def rate_source(chosen: ChosenMachine, rate: str, library: Library) -> str:
    """Where one rate in use comes from: "bandwidth" or a mode id; a limit unless measured."""
    measured = rate in chosen.machine.measured
    what = "measured sustained rate" if measured else "resource limit"
    if chosen.entry is None:
        return f"{what}, typed"
    record = chosen.entry.record
    figures: dict[Any, Figure] = {**(record.measured if measured else record.compute)}
    if rate == "bandwidth" and not measured:
        memory = record.memory
        for size in record.configurations:
            if size.id == chosen.entry.id and size.memory is not None:
                memory = size.memory
        return f"{what}, {figure_source(memory.bandwidth, library)}"
    return f"{what}, {figure_source(figures[rate], library)}"


def capacity_source(chosen: ChosenMachine, library: Library) -> str:
    """Where the capacity in use comes from."""
    return "typed" if chosen.entry is None else figure_source(chosen.entry.memory, library)
