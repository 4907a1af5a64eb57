"""Page one: the verdict in plain words, and the ranked table."""

from collections.abc import Sequence

from ..library.formats import WEIGHT_FORMATS
from ..summary import Answer
from ..units import duration, plain, rate, size, tokens
from .placement import usable
from .shapes import Block, Bullets, Column, Heading, Section, Table, Text, cell
from .subject import Subject, alike

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
CERTAIN = (
    "Every figure is a ceiling. What fails against a ceiling fails for certain; what passes may "
    "still be slower in practice."
)


def question(subjects: Sequence[Subject]) -> str:
    """What is asked, in one sentence or two."""
    first = subjects[0]
    count = NUMBERS[len(subjects)]
    models, machines = [s.model for s in subjects], [s.machine for s in subjects]
    if len(subjects) == 1:
        asked = f"How fast can {first.machine} serve {first.model}{_in(first.weights)}"
    elif alike(models) and alike([s.weights for s in subjects]):
        asked = f"Which of {count} machines serves {first.model}{_in(first.weights)} fastest"
    elif alike(machines):
        asked = f"Which of {count} models does {first.machine} serve fastest"
    else:
        asked = f"Which of {count} pairs of machine and model serves fastest"
    conditions = {_conditions(subject) for subject in subjects}
    if len(conditions) > 1:
        return f"{asked}, each with its own workload (see Assumptions)?"
    return f"{asked}, {conditions.pop()}"


def _in(weights: str) -> str:
    """The weight format, or the bytes of a parameter, behind a model's name."""
    if weights == "native":
        return " in its own format"
    if weights in WEIGHT_FORMATS:
        weights = WEIGHT_FORMATS[weights].name.partition(",")[0]
    return f" at {weights}" if weights.endswith("per parameter") else f" in {weights}"


def _conditions(subject: Subject) -> str:
    work, prompt = subject.setup.workload, subject.setup.prompt
    floor = work.floor_tokens_per_s
    least = f"at least {plain(floor)} tok/s for each" if floor else "no least rate"
    said = (
        f"when each session reserves {tokens(work.reserved_context_tokens)} tokens of context and "
        f"reads {tokens(work.read_context_tokens)}, with {least}?"
    )
    if prompt is not None:
        said += f" How long does a prompt of {tokens(prompt.prompt_tokens)} tokens wait?"
    return said


def ranked(subjects: Sequence[Subject]) -> list[Subject]:
    """The most tokens per second of all sessions first; then what serves nothing.

    Among those, a faster single session comes first, then what misses less memory.
    """

    def key(subject: Subject) -> tuple[float, float, float]:
        decode = subject.result.decode
        return (
            -(decode.aggregate_tokens_per_s or 0.0),
            -(decode.single_session_tokens_per_s or 0.0),
            -float(decode.spare_bytes),
        )

    return sorted(subjects, key=key)


def answer(subjects: Sequence[Subject], note: str) -> Section:
    """The verdict, the table, why, and the user's own note."""
    order = ranked(subjects)
    blocks: list[Block] = [Text(verdict(order), "lead"), Text(CERTAIN, "muted"), _table(order)]
    if len(order) == 1:
        blocks.append(Bullets(tuple(_four(order[0]))))
    else:
        blocks.append(Bullets(tuple((f"{s.said}:", _why(s)) for s in order)))
    cautions = [
        (f"{subject.letter} " if subject.letter else "") + caution
        for subject in order
        for caution in subject.summary.cautions
    ]
    blocks += [Text(caution, "caution") for caution in cautions]
    if note.strip():
        paragraphs = (part.strip() for part in note.split("\n"))
        blocks += [Heading("Note"), *(Text(part) for part in paragraphs if part)]
    return Section("answer", "Answer", tuple(blocks))


def verdict(order: Sequence[Subject]) -> str:
    """The answer in one to three sentences."""
    first = order[0]
    if len(order) == 1:
        return _said(first)
    serving = [subject for subject in order if subject.result.decode.best_batch]
    if not serving:
        return f"None of the {NUMBERS[len(order)]} serves. {_said(first)}"
    said = _said(first)
    if len(serving) > 1:
        top, next_ = (s.result.decode.aggregate_tokens_per_s or 0.0 for s in serving[:2])
        behind = "equals it" if top == next_ else f"is next with {rate(next_)} tok/s"
        said += f" {serving[1].said} {behind}."
    failing = [subject.said for subject in order if subject not in serving]
    if failing:
        verb = "does" if len(failing) == 1 else "do"
        said += f" {_listed(failing)} {verb} not serve."
    return said


def _said(subject: Subject) -> str:
    """One evaluation in a sentence."""
    name, decode, work = subject.said, subject.result.decode, subject.setup.workload
    floor = f"{plain(work.floor_tokens_per_s)} tok/s"
    if decode.best_batch and decode.aggregate_tokens_per_s is not None:
        sessions = "1 session" if decode.best_batch == 1 else f"{decode.best_batch:,} sessions"
        each = rate(decode.per_session_tokens_per_s or 0.0)
        kind = decode.kind.get("aggregate_tokens_per_s", "")
        placed = subject.result.placement
        last = decode.best_batch if placed is None else placed.in_use.last_usable_batch
        if placed is not None and last and last > decode.best_batch:
            least = rate(placed.in_use.last_usable_per_session_tokens_per_s or 0.0)
            keep = f"keep {floor} each" if work.floor_tokens_per_s else "fit"
            return (
                f"{name} serves up to {last:,} sessions that {keep}, at {least} tok/s. The most "
                f"together, {rate(decode.aggregate_tokens_per_s)} tok/s"
                f"{f' ({kind})' if kind else ''}, come from {sessions}."
            )
        return (
            f"{name} serves at most {sessions} at once, {rate(decode.aggregate_tokens_per_s)} "
            f"tok/s together and {each} tok/s each{f' ({kind})' if kind else ''}."
        )
    if decode.verdict == "model does not fit":
        return f"The model does not fit {name}: {size(-decode.resident_margin_bytes)} are missing."
    if decode.verdict == "no session fits":
        missing = size(-decode.spare_bytes)
        return f"The model fits {name}, but not one session: {missing} are missing."
    alone = rate(decode.single_session_tokens_per_s or 0.0)
    return f"The model fits {name}, but even one session reaches {alone} of the {floor} asked."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _table(order: Sequence[Subject]) -> Table:
    prompt = any(subject.setup.prompt is not None for subject in order)
    columns = (
        Column("", 0.3),
        Column("What", 2.6),
        Column("Verdict", 1.7),
        Column("Sessions", 0.9, numeric=True),
        Column("All\ntok/s", 0.9, numeric=True),
        Column("Each\ntok/s", 0.9, numeric=True),
        Column("Alone\ntok/s", 0.9, numeric=True),
        *((Column("First\ntoken", 1.0, numeric=True),) if prompt else ()),
    )
    rows = tuple(_row(place, subject, prompt) for place, subject in enumerate(order, 1))
    title = "In figures" if len(order) == 1 else "Ranked by all sessions together"
    return Table("ranking", title, columns, rows)


def _row(place: int, subject: Subject, prompt: bool) -> tuple[str, ...]:
    decode, prefill = subject.result.decode, subject.result.prefill
    placed = subject.result.placement
    figures = [
        usable(decode.best_batch, None if placed is None else placed.in_use.last_usable_batch),
        _rate(decode.aggregate_tokens_per_s),
        _rate(decode.per_session_tokens_per_s),
        _rate(decode.single_session_tokens_per_s),
    ]
    if prompt:
        waits = None if prefill is None else prefill.time_s
        figures.append("-" if waits is None else duration(waits))
    mark = "✓ " if decode.best_batch else "✗ "
    return (str(place), cell(subject.title), mark + decode.verdict, *figures)


def _rate(value: float | None) -> str:
    return "-" if value is None else rate(value)


def _four(subject: Subject) -> list[tuple[str, str]]:
    """The four questions with figure, kind and reason."""
    return [(told.question, _answered(told)) for told in subject.summary.answers]


def _answered(told: Answer) -> str:
    figure = told.figure
    kind = told.kind
    said = told.word
    if figure != "-":
        said += f": {figure} {told.unit}"
    if kind:
        said += f" ({kind})"
    return f"{said}; {told.why}."


def _why(subject: Subject) -> str:
    fits, _, serving, wait = subject.summary.answers
    decode = subject.result.decode
    told = serving if decode.memory_batch else fits
    said = told.why if told.tone == "serves" else f"{told.word}; {told.why}"
    if wait.figure != "-":
        said += f". First token after {wait.figure} {wait.unit}"
    return f"{said}."
