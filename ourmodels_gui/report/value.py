"""Value: the aggregate ceiling against price and power."""

from collections.abc import Sequence

import numpy as np

from ..ranking.machines import ranked_machine
from ..ranking.money import PriceTag, price_tag
from ..ranking.value import pareto_front
from ..units import plain, rate
from .decode import RATES, style_of
from .known import Known
from .pictures import Axis, Line, Plot, Point
from .shapes import Block, Column, Figure, Section, Table, cell
from .subject import Subject


def value(subjects: Sequence[Subject], known: Known) -> Section | None:
    """Prices and watts with what they buy; None where neither is known of any machine."""
    machines = [
        ranked_machine(subject.evaluation.scenario.hardware, known.library) for subject in subjects
    ]
    tags = [price_tag(machine, known.settings) for machine in machines]
    watts = [machine.watts for machine in machines]
    if all(tag.amount is None for tag in tags) and not any(watts):
        return None
    currency = known.settings.currency
    table = _table(subjects, tags, watts, currency)
    priced = [(s, tag.amount) for s, tag in zip(subjects, tags, strict=True) if tag.amount]
    drawing = [(s, power) for s, power in zip(subjects, watts, strict=True) if power]
    blocks: list[Block] = [
        *_plot(priced, Axis(f"price, {currency}", "price"), "price", table),
        *_plot(drawing, Axis("power of the device, W", "watts"), "power", table),
        table,
    ]
    return Section("value", "Value", tuple(blocks))


def _plot(
    costs: Sequence[tuple[Subject, float]], axis: Axis, what: str, table: Table
) -> list[Block]:
    """The plot, where at least two of them serve."""
    placed = [
        (subject, cost, subject.result.decode.aggregate_tokens_per_s)
        for subject, cost in costs
        if subject.result.decode.aggregate_tokens_per_s
    ]
    points = tuple(
        Point(subject.letter, style_of(subject), cost, gives)
        for subject, cost, gives in placed
        if gives is not None
    )
    if len(points) < 2:
        return []
    xs, ys = np.array([point.x for point in points]), np.array([point.y for point in points])
    on = pareto_front(xs, ys)
    front = sorted({(point.x, point.y) for point, best in zip(points, on, strict=True) if best})
    line = Line("", 5, tuple(x for x, _ in front), tuple(y for _, y in front), thin=True)
    plot = Plot(axis, RATES, (line,) if len(front) > 1 else (), points)
    caption = "All sessions together at the best batch. The thin line joins what nothing beats."
    if len(front) == 1:
        caption = "All sessions together at the best batch. One of them beats all the others."
    return [Figure(f"Aggregate ceiling against {what}", plot, caption, table)]


def _table(
    subjects: Sequence[Subject],
    tags: Sequence[PriceTag],
    watts: Sequence[float | None],
    currency: str,
) -> Table:
    columns = (
        Column("Machine", 2.2),
        Column(f"Price\n{currency}", 0.8, numeric=True),
        Column("Which price", 2.0),
        Column("Power\nW", 0.7, numeric=True),
        Column(f"tok/s per\n1,000 {currency}", 1.0, numeric=True),
        Column("tok/s\nper W", 0.8, numeric=True),
    )
    rows = []
    for subject, tag, power in zip(subjects, tags, watts, strict=True):
        gives = subject.result.decode.aggregate_tokens_per_s
        rows.append(
            (
                subject.title if subject.letter else subject.machine,
                "-" if tag.amount is None else plain(tag.amount),
                cell(tag.said),
                "-" if power is None else plain(power),
                rate(gives / tag.amount * 1000) if tag.amount and gives else "-",
                f"{gives / power:.3g}" if power and gives else "-",
            )
        )
    return Table("value", "Price and power", columns, tuple(rows))
