"""Two to six evaluations side by side: figures, the best of each, ratios, crossings in words."""

from collections.abc import Callable, Sequence
from itertools import combinations

import msgspec

from .. import units
from ..evaluation import Evaluation
from ..language import mark, tr
from ..problem import BadInput
from ..units import ENGLISH, Separators
from .columns import BY_ID, NONE, Better
from .crossings import crossings, in_words
from .sheet import Heading, Sheet

LEAST, MOST = 2, 6


class Side(msgspec.Struct, frozen=True):
    """One evaluation under the name it is compared by; price and watts where they are known.

    priced_whole: whether every part is in the price; otherwise it is a lower limit of it.
    """

    name: str
    evaluation: Evaluation
    price: float | None = None
    watts: float | None = None
    priced_whole: bool = True


class Row(msgspec.Struct, frozen=True):
    """One figure of every side.

    best: which sides have the best value; none where all are alike or no way is better.
    differs: whether any two are unlike, one missing and the other not included. ratios: to the
    baseline, None where either is missing.
    """

    id: str
    title: str
    unit: str
    better: Better
    values: tuple[float | str | None, ...]
    texts: tuple[str, ...]
    best: tuple[bool, ...]
    differs: bool
    ratios: tuple[float | None, ...]


class Comparison(msgspec.Struct, frozen=True):
    """rows: every figure. crossings: who overtakes whom, in words, pair by pair."""

    names: tuple[str, ...]
    baseline: int
    rows: tuple[Row, ...]
    crossings: tuple[str, ...]

    @property
    def differences(self) -> tuple[Row, ...]:
        """The rows in which the sides differ."""
        return tuple(row for row in self.rows if row.differs)


def compare(
    sides: Sequence[Side], baseline: int = 0, separators: Separators = ENGLISH
) -> Comparison:
    """The comparison of two to six evaluations.

    Parameters: sides; baseline, which of them ratios refer to; separators
    of the figures as people read them.
    Errors: BadInput for fewer than two or more than six, equal names, or a side without a result.
    """
    if not LEAST <= len(sides) <= MOST:
        raise BadInput(
            "",
            tr(
                "{count} are marked; a comparison takes {least} to {most}, so mark or unmark"
            ).format(count=len(sides), least=LEAST, most=MOST),
        )
    names = tuple(side.name for side in sides)
    if len(set(names)) < len(names):
        raise BadInput("name", tr("two sides have the same name; give each its own"))
    for side in sides:
        if side.evaluation.result is None:
            words = tr("{name} has no result: {problem}")
            raise BadInput("", words.format(name=side.name, problem=side.evaluation.problem))
    if not 0 <= baseline < len(sides):
        raise BadInput("baseline", tr("must be one of the {count} sides").format(count=len(sides)))
    composed = any(side.evaluation.result.placement for side in sides if side.evaluation.result)
    rows = tuple(
        _row(figure, sides, baseline, separators)
        for figure in (*_FIGURES, *(_OF_COMPOSITIONS if composed else ()))
    )
    said: list[str] = []
    for first, second in combinations(sides, 2):
        if first.evaluation.setup is not None and second.evaluation.setup is not None:
            found = crossings(first.evaluation.setup, second.evaluation.setup)
            said.extend(in_words(found, (first.name, second.name), separators))
    return Comparison(names, baseline, rows, tuple(said))


def comparison_sheet(comparison: Comparison, only_differences: bool = False) -> Sheet:
    """The comparison as a table: a figure a line, the best value marked, ratios behind."""
    others = [name for place, name in enumerate(comparison.names) if place != comparison.baseline]
    against = comparison.names[comparison.baseline]
    headings = (
        Heading("figure", "Figure", numeric=False),
        Heading("unit", "Unit", numeric=False),
        *(Heading(name, name) for name in comparison.names),
        Heading("best", "Best", numeric=False),
        *(Heading(f"{name} / {against}", f"{name} / {against}") for name in others),
    )
    cells, texts = [], []
    for row in comparison.differences if only_differences else comparison.rows:
        best = ", ".join(
            name for name, mark in zip(comparison.names, row.best, strict=True) if mark
        )
        ratios = [ratio for place, ratio in enumerate(row.ratios) if place != comparison.baseline]
        cells.append((row.id, row.unit, *row.values, best, *ratios))
        marked = (
            f"{text} *" if mark else text for text, mark in zip(row.texts, row.best, strict=True)
        )
        shown = (NONE if ratio is None else f"{ratio:.3g}" for ratio in ratios)
        texts.append((row.title, row.unit, *marked, best, *shown))
    return Sheet(headings, cells, texts)


PRICED = ("price", "tokens_per_s_per_price")
"""With a part of the price unknown they are limits, which are best of none."""


class _Figure(msgspec.Struct, frozen=True):
    """One row of every comparison: how it is shown, and where it is found on a side."""

    id: str
    title: str
    unit: str
    better: Better
    text: Callable[[float, Separators], str]
    value: Callable[[Side], float | str | None]


def _row(figure: _Figure, sides: Sequence[Side], baseline: int, separators: Separators) -> Row:
    values = [figure.value(side) for side in sides]
    numbers = [value for value in values if isinstance(value, int | float)]
    differs = any(value != values[0] for value in values)
    best: list[bool] = [False] * len(values)
    if figure.better and differs and numbers:
        wanted = max(numbers) if figure.better == "more" else min(numbers)
        certain = [side.priced_whole or figure.id not in PRICED for side in sides]
        best = [value == wanted and sure for value, sure in zip(values, certain, strict=True)]
    base = values[baseline]
    ratios = [
        value / base
        if isinstance(value, int | float) and isinstance(base, int | float) and base > 0
        else None
        for value in values
    ]
    texts = [
        NONE
        if value is None
        else value
        if isinstance(value, str)
        else figure.text(value, separators)
        for value in values
    ]
    return Row(
        figure.id,
        figure.title,
        figure.unit,
        figure.better,
        tuple(values),
        tuple(texts),
        tuple(best),
        differs,
        tuple(ratios),
    )


Value = Callable[[Side], float | str | None]


def _policy(side: Side) -> str | None:
    placed = side.evaluation.result and side.evaluation.result.placement
    return placed.policy if placed else None


def _last_usable(side: Side) -> float | None:
    """Of one pool the best batch: there the aggregate never falls."""
    result = side.evaluation.result
    if result is None:
        return None
    placed = result.placement
    return placed.in_use.last_usable_batch if placed else result.decode.best_batch


def _limit(side: Side) -> str | None:
    placed = side.evaluation.result and side.evaluation.result.placement
    return placed.binding.words if placed and placed.binding else None


def _decode(name: str, scale: float = 1.0) -> Value:
    def value(side: Side) -> float | str | None:
        result = side.evaluation.result
        found = None if result is None else getattr(result.decode, name)
        return found / scale if scale != 1.0 and found is not None else found

    return value


def _prefill(name: str) -> Value:
    def value(side: Side) -> float | str | None:
        result = side.evaluation.result
        if result is None or result.prefill is None:
            return None
        if name == "single_time_s":
            single = result.prefill.single_prompt
            return None if single is None else single.time_s
        found: float | str | None = getattr(result.prefill, name)
        return found

    return value


def _setup(read: Callable[..., float]) -> Value:
    def value(side: Side) -> float | None:
        return None if side.evaluation.setup is None else read(side.evaluation.setup)

    return value


def _per(id_: str) -> Value:
    def value(side: Side) -> float | None:
        result = side.evaluation.result
        aggregate = None if result is None else result.decode.aggregate_tokens_per_s
        divisor = side.price if id_ == "tokens_per_s_per_price" else side.watts
        return None if aggregate is None or not divisor else aggregate / divisor

    return value


def _column(id_: str, value: Value) -> _Figure:
    column = BY_ID[id_]
    return _Figure(id_, column.title, column.unit, column.better, column.text, value)


_FIGURES: tuple[_Figure, ...] = (
    _Figure("verdict", mark("Verdict"), "", "", units.plain, _decode("verdict")),
    *(
        _column(id_, _decode(id_))
        for id_ in (
            "memory_batch",
            "usable_batch",
            "best_batch",
            "aggregate_tokens_per_s",
            "per_session_tokens_per_s",
            "single_session_tokens_per_s",
        )
    ),
    _column("prefill_tokens_per_s", _prefill("tokens_per_s")),
    _column("time_to_first_token_s", _prefill("single_time_s")),
    _column("spare_gb", _decode("spare_bytes", 1e9)),
    _Figure(
        "capacity_gb",
        mark("Capacity C"),
        "GB",
        "more",
        units.plain,
        _setup(lambda setup: setup.machine.capacity_bytes / 1e9),
    ),
    _Figure(
        "bandwidth_gb_per_s",
        mark("Bandwidth R"),
        "GB/s",
        "more",
        units.plain,
        _setup(lambda setup: setup.machine.bandwidth_bytes_per_s / 1e9),
    ),
    _Figure(
        "resident_gb",
        mark("Resident weights"),
        "GB",
        "less",
        units.plain,
        _setup(lambda setup: setup.model.resident_bytes / 1e9),
    ),
    _column("memory_power_gb2_per_s", _decode("memory_power_bytes2_per_s", 1e18)),
    _column("price", lambda side: side.price),
    _column("tokens_per_s_per_price", _per("tokens_per_s_per_price")),
    _column("watts", lambda side: side.watts),
    _column("tokens_per_joule", _per("tokens_per_joule")),
)
"""Every figure of a comparison, in order, with where it comes from."""

_OF_COMPOSITIONS: tuple[_Figure, ...] = (
    _Figure(
        "last_usable_batch",
        mark("Sessions that keep the floor"),
        "",
        "more",
        BY_ID["best_batch"].text,
        _last_usable,
    ),
    _Figure("policy", mark("Use of its pools"), "", "", units.plain, _policy),
    _Figure("limit", mark("What limits all sessions"), "", "", units.plain, _limit),
)
"""What is compared where one side is several devices or pools."""
