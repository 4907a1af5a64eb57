"""Value: the aggregate ceiling against price and power."""

from collections.abc import Sequence

from ..library.hardware import Price
from ..units import plain, rate
from .decode import RATES, style_of
from .pictures import Axis, Line, Plot, Point
from .shapes import Block, Column, Figure, Section, Table, Text
from .subject import Subject

KINDS = {"launch": "launch price", "street": "street price", "kit": "price of a kit around it"}


def value(subjects: Sequence[Subject]) -> Section | None:
    """Prices and watts with what they buy; None where neither is known of any machine."""
    if all(_price(subject) is None and _watts(subject) is None for subject in subjects):
        return None
    table = _table(subjects)
    blocks: list[Block] = []
    currencies = {price.unit for subject in subjects if (price := _price(subject)) is not None}
    if len(currencies) == 1:
        priced = [(s, p.value) for s in subjects if (p := _price(s)) is not None]
        currency = currencies.pop()
        blocks += _plot(priced, Axis(f"price, {currency}", "price"), "price", table)
    drawing = [(s, w) for s in subjects if (w := _watts(s)) is not None]
    blocks += _plot(drawing, Axis("power of the device, W", "watts"), "power", table)
    note = "A price is the catalog's, of the device alone unless it says kit; yours may differ."
    return Section("value", "Value", (*blocks, table, Text(note, "muted")))


def _price(subject: Subject) -> Price | None:
    return None if subject.entry is None else subject.entry.record.price


def _watts(subject: Subject) -> float | None:
    power = None if subject.entry is None else subject.entry.record.power
    if power is None:
        return None
    return power.value * (1000.0 if power.unit == "kW" else 1.0)


def pareto(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points that no other beats: none costs at most as much and gives at least as much.

    >>> pareto([(1, 5), (2, 9), (3, 8), (2, 4)])
    [(1, 5), (2, 9)]
    """
    front: list[tuple[float, float]] = []
    for x, y in sorted(set(points), key=lambda point: (point[0], -point[1])):
        if not front or y > front[-1][1]:
            front.append((x, y))
    return front


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
    front = pareto([(point.x, point.y) for point in points])
    line = Line("", 5, tuple(x for x, _ in front), tuple(y for _, y in front), thin=True)
    plot = Plot(axis, RATES, (line,) if len(front) > 1 else (), points)
    caption = "All sessions together at the best batch. The thin line joins what nothing beats."
    if len(front) == 1:
        caption = "All sessions together at the best batch. One of them beats all the others."
    return [Figure(f"Aggregate ceiling against {what}", plot, caption, table)]


def _table(subjects: Sequence[Subject]) -> Table:
    columns = (
        Column("Machine", 2.3),
        Column("Price", 1.0, numeric=True),
        Column("Which price", 1.6),
        Column("Power", 0.8, numeric=True),
        Column("tok/s per\n1,000 of price", 1.1, numeric=True),
        Column("tok/s\nper W", 0.9, numeric=True),
    )
    rows = []
    for subject in subjects:
        price, watts = _price(subject), _watts(subject)
        gives = subject.result.decode.aggregate_tokens_per_s
        told = "no price known"
        if price is not None:
            told = " ".join(part for part in (KINDS[price.kind], price.date) if part)
        rows.append(
            (
                subject.title if subject.letter else subject.machine,
                "-" if price is None else f"{plain(price.value)} {price.unit}",
                told,
                "-" if watts is None else f"{plain(watts)} W",
                "-" if price is None or gives is None else rate(gives / price.value * 1000),
                "-" if watts is None or gives is None else f"{gives / watts:.3g}",
            )
        )
    return Table("value", "Price and power", columns, tuple(rows))
