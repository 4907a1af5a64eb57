"""What published runs reached of their ceilings, beside the ceilings of the report."""

from collections.abc import Sequence

from ..measured.check import check
from ..measured.evidence import evidence as gathered
from ..measured.evidence import nearest_runs
from ..measured.log import subject as subject_of_scenario
from ..measured.log import subject_of
from ..measured.runs import MeasuredRun, Phase
from ..measured.told import composed_words
from ..units import rate, tokens
from .known import Known
from .shapes import Block, Column, Section, Table, Text, cell
from .subject import Subject

PHASES: tuple[Phase, ...] = ("decode", "serving", "prefill")
NEAREST_ALONE, NEAREST_EACH = 3, 1
PUBLISHED = (
    "What others published, as a share of the ceiling in the conditions they state, under floor "
    "routing. It says what was reached, not what can be; no figure of this report is multiplied by "
    "it."
)


def evidence(subjects: Sequence[Subject], known: Known) -> Section | None:
    """Own measurements, quartiles by phase, and the nearest runs; None where there are none."""
    quartiles, nearest = _quartiles(subjects, known), _nearest(subjects, known)
    blocks = _own(subjects, known)
    if not quartiles and not nearest and not blocks:
        return None
    columns: tuple[Column, ...]
    if quartiles or nearest:
        blocks.append(Text(PUBLISHED, "muted"))
    if quartiles:
        columns = (
            Column("Machine", 2.0),
            Column("Phase", 0.8),
            Column("Runs of", 1.5),
            Column("Runs", 0.6, numeric=True),
            Column("Lowest", 0.7, numeric=True),
            Column("Quarter", 0.7, numeric=True),
            Column("Half", 0.7, numeric=True),
            Column("Three\nquarters", 0.8, numeric=True),
            Column("Highest", 0.7, numeric=True),
        )
        note = "So many of the runs reached at most that share of their ceiling."
        blocks.append(Table("evidence", "Reached of the ceiling", columns, tuple(quartiles), note))
    if nearest:
        columns = (
            Column("For", 0.5),
            Column("Run and its conditions", 3.2),
            Column("Measured\ntok/s", 0.8, numeric=True),
            Column("Ceiling\ntok/s", 0.8, numeric=True),
            Column("Reached", 0.7, numeric=True),
            Column("Source", 2.0),
        )
        if not subjects[0].letter:
            columns, nearest = columns[1:], [row[1:] for row in nearest]
        blocks.append(Table("nearest-runs", "The nearest runs", columns, tuple(nearest)))
    return Section("evidence", "Measured evidence", tuple(blocks))


def _own(subjects: Sequence[Subject], known: Known) -> list[Block]:
    """What the user logged of these machines, models and formats, and how much room is left."""
    rows = []
    for subject in subjects:
        scenario = subject.evaluation.scenario
        about = subject_of_scenario(scenario, known.library)
        for entry in known.logged:
            limit = None
            if subject_of(entry.run) == about:
                limit = check(entry.run, known.library, scenario=scenario).ceiling
            if limit is None:
                continue
            room = limit.tokens_per_s - entry.run.tokens_per_s
            said = "; ".join(filter(None, (_conditions(entry.run), cell(entry.run.note))))
            rows.append(
                (
                    subject.letter,
                    said,
                    entry.logged,
                    rate(entry.run.tokens_per_s),
                    rate(limit.tokens_per_s),
                    _percent(limit.ratio),
                    rate(room) if room >= 0 else "above it",
                )
            )
    if not rows:
        return []
    columns: tuple[Column, ...] = (
        Column("For", 0.5),
        Column("Run", 3.0),
        Column("Logged", 1.0),
        Column("Measured\ntok/s", 0.8, numeric=True),
        Column("Ceiling\ntok/s", 0.8, numeric=True),
        Column("Reached", 0.7, numeric=True),
        Column("Room\ntok/s", 0.8, numeric=True),
    )
    if not subjects[0].letter:
        columns, rows = columns[1:], [row[1:] for row in rows]
    note = "Each against the ceiling of its own conditions, under floor routing."
    return [Table("own-runs", "Your own measurements", columns, tuple(rows), note)]


def _phases(subject: Subject) -> tuple[Phase, ...]:
    return PHASES if subject.setup.prompt is not None else PHASES[:2]


def _quartiles(subjects: Sequence[Subject], known: Known) -> list[tuple[str, ...]]:
    rows = []
    for subject in subjects:
        hardware, entry = subject.evaluation.scenario.hardware, subject.entry
        if known.measured is None or (entry is not None and entry.yours):
            continue
        for phase in _phases(subject):
            found = gathered(hardware, phase, known.measured, known.ceilings, known.library)
            if found is not None:
                shares = (found.lowest, *found.quartiles, found.highest)
                name = subject.title if subject.letter else subject.machine
                rows.append((name, phase, found.scope, f"{found.runs:,}", *map(_percent, shares)))
    return rows


def _nearest(subjects: Sequence[Subject], known: Known) -> list[tuple[str, ...]]:
    count = NEAREST_EACH if subjects[0].letter else NEAREST_ALONE
    rows: list[tuple[str, ...]] = []
    for subject in subjects:
        if known.measured is None:
            return []
        for phase in _phases(subject):
            scenario = subject.evaluation.scenario
            for near in nearest_runs(
                scenario, phase, known.measured, known.ceilings, known.library, count=count
            ):
                run, ceiling = near.run, near.ceiling
                source = known.measured.sources.get(run.source)
                rows.append(
                    (
                        subject.letter,
                        f"{cell(_said(run))}\n{cell(_conditions(run))}",
                        rate(run.tokens_per_s),
                        rate(ceiling.tokens_per_s),
                        _percent(ceiling.ratio),
                        cell(source.title if source else run.source),
                    )
                )
    return rows


def _said(run: MeasuredRun) -> str:
    """Machine, model and format in the words of the source."""
    parts = (run.said.machine, run.said.model, run.said.weights)
    return " · ".join(part for part in parts if part)


def _conditions(run: MeasuredRun) -> str:
    """Phase, engine, sessions, prompt and depth, as far as the source states them."""
    said = [run.phase, run.engine]
    if run.is_composed:
        said.append(composed_words(run))
    if run.batch:
        said.append("1 session" if run.batch == 1 else f"{run.batch:,} sessions")
    if run.prompt_tokens:
        said.append(f"prompt {tokens(run.prompt_tokens)}")
    if run.depth_tokens:
        said.append(f"at depth {tokens(run.depth_tokens)}")
    return ", ".join(part for part in said if part)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.1f} %"
