"""Marks -> sides of a comparison, and a comparison -> cells with the best of each row marked."""

from collections.abc import Sequence

from ...evaluation import Evaluation, run
from ...language import mark, tr
from ...library.load import Library
from ...ranking.comparison import MOST, Comparison, Row, Side
from ...ranking.machines import ranked_machine
from ...ranking.money import price_tag
from ...scenario import Scenario
from ...settings import Settings
from ...spoken import spoken
from ...units import THIN_SPACE, digits
from .. import typed
from ..cell_delegate import Shown
from .cell_table import Column
from .tray import Mark, names_of, whole_name

EN_SPACE = "\u2002"
SHORT = {
    "model does not fit": mark("does not fit"),
    "no session fits": mark("no session fits"),
    "fits, but no batch satisfies the floor": mark("below the floor"),
}
"""Verdicts as a column has room for them."""
ROLES = ("aggregate", "session", "serves", "power", "unfit", "below")
"""Colours of the sides in order, in the plot and above the table."""


def sides_of(
    marks: Sequence[Mark], base: Scenario, library: Library, settings: Settings
) -> tuple[list[Side], tuple[Mark, ...], list[str]]:
    """The first marks that have a result at the workload of a scenario, as sides; which these are;
    what is to be said of the others."""
    shown: list[Mark] = []
    evaluations: list[Evaluation] = []
    told = []
    for one in marks:
        if len(shown) == MOST:
            break
        scenario = Scenario(one.hardware, one.model, workload=base.workload, prefill=base.prefill)
        found = run(scenario, library)
        if found.result is None:
            told.append(f"{whole_name(one, library)}: {found.problem}.")
            continue
        shown.append(one)
        evaluations.append(found)
    if base.speculation is not None and shown:
        told.append(tr("Compared without speculation: a draft belongs to one model."))
    sides = []
    for name, found, one in zip(names_of(tuple(shown), library), evaluations, shown, strict=True):
        machine = ranked_machine(one.hardware, library)
        tag = price_tag(machine, settings)
        sides.append(Side(name, found, tag.amount, machine.watts, tag.whole))
    return sides, tuple(shown), told


def compared_cells(
    comparison: Comparison, rows: Sequence[Row], currency: str
) -> tuple[list[Column], list[list[Shown]]]:
    """Some rows of a comparison: each figure, its ratio to the baseline, a mark on the best."""
    columns = [Column(tr("Figure"))]
    columns += [
        Column(name, right=True, tone=role)
        for name, role in zip(comparison.names, ROLES, strict=False)
    ]
    return columns, [_row(comparison, row, currency) for row in rows]


def _row(comparison: Comparison, row: Row, currency: str) -> list[Shown]:
    units = {
        "price": currency,
        "tokens_per_s_per_price": tr("{unit} per {currency}").format(
            unit=row.unit, currency=currency
        ),
    }
    unit = units.get(row.id, row.unit)
    title = tr(row.title)
    cells = [Shown(f"{title}, {tr(unit)}" if unit else title, "muted")]
    for place, text in enumerate(row.texts):
        best, ratio = row.best[place], row.ratios[place]
        said = spoken(text)
        words, hint = f"{said}{THIN_SPACE}✓" if best else said, ""
        if text in SHORT:
            words, hint = tr(SHORT[text]), said
        if ratio is not None and place != comparison.baseline:
            shown = digits(ratio, 2 if ratio < 1 else 3, typed.separators())
            words = f"{words}{EN_SPACE}{shown}×"  # noqa: RUF001
            hint = tr("{ratio} times {other}").format(
                ratio=shown, other=comparison.names[comparison.baseline]
            )
        cells.append(Shown(words, "serves" if best else "text", best, hint))
    return cells
