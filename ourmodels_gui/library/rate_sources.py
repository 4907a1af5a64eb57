"""Where the figures of a machine in use come from, in words."""

from typing import Any

from ..language import mark, tr
from .chosen import ChosenMachine
from .load import Library
from .records import Evidence, Figure


def figure_source(figure: Evidence, library: Library) -> str:
    """Where a figure of the library comes from, and how it is known."""
    source = library.sources.get(figure.source)
    title = source.title if source else figure.source or tr("your own figure")
    return f"{tr(figure.basis)}: {title}"


def rate_source(chosen: ChosenMachine, rate: str, library: Library) -> str:
    """Where one rate in use comes from: "bandwidth" or a mode id; a limit unless measured."""
    measured = rate in chosen.machine.measured
    what = tr("measured sustained rate") if measured else tr("resource limit")
    if chosen.entry is None:
        return tr("{what}, typed").format(what=what)
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
    return mark("typed") if chosen.entry is None else figure_source(chosen.entry.memory, library)
