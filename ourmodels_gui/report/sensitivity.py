"""What changes with each input 20 % lower or higher, every figure evaluated anew."""

import math
from collections.abc import Callable, Sequence

import msgspec

from ..engine import placement
from ..engine.evaluate import evaluate
from ..engine.result import Result
from ..engine.setup import Machine, Setup, TypedCache
from ..units import duration, number, rate
from .shapes import Block, Bullets, Column, Section, Table, Text
from .subject import Subject

STEP = 0.2
INPUTS = {
    "bandwidth": "memory bandwidth",
    "capacity": "memory capacity",
    "context": "context, reserved and read",
    "floor": "floor",
    "compute": "compute rates",
    "link": "link speed",
}


class Swing(msgspec.Struct, frozen=True):
    """One input moved down and up; None where it cannot be moved."""

    name: str
    low: Result | None
    high: Result | None


def changed(setup: Setup, name: str, factor: float) -> Setup | None:
    """The setup with one input multiplied; None where that changes nothing.

    Parameters: name, a key of INPUTS. Contexts are rounded to whole tokens, held to the model's
    limit, and read stays within reserved.
    """
    work = setup.workload
    replace = msgspec.structs.replace
    if name == "bandwidth":
        return _with_machines(
            setup,
            lambda one: replace(one, bandwidth_bytes_per_s=one.bandwidth_bytes_per_s * factor),
        )
    if name == "capacity":
        return _with_machines(
            setup, lambda one: replace(one, capacity_bytes=one.capacity_bytes * factor)
        )
    if name == "link":
        made = setup.composition
        if made is None or made.link_bytes_per_s is None:
            return None
        moved_link = replace(made, link_bytes_per_s=made.link_bytes_per_s * factor)
        return replace(setup, composition=moved_link)
    if name == "floor":
        if work.floor_tokens_per_s == 0:
            return None
        moved = replace(work, floor_tokens_per_s=work.floor_tokens_per_s * factor)
        return replace(setup, workload=moved)
    if name == "compute":
        if setup.prompt is None and work.decode_ceiling != "combined":
            return None
        pools = () if setup.composition is None else placement.pools_of(setup.composition)
        machines = [pool.machine for pool in pools] or [setup.machine]
        if not any(machine.compute_flop_per_s for machine in machines):
            return None
        return _with_machines(
            setup,
            lambda one: replace(
                one,
                compute_flop_per_s={
                    mode: flop * factor for mode, flop in one.compute_flop_per_s.items()
                },
            ),
        )
    if isinstance(setup.model.cache, TypedCache):
        return None
    limit = setup.model.max_context_tokens or 2**31
    reserved = min(max(round(work.reserved_context_tokens * factor), 1), limit)
    read = min(round(work.read_context_tokens * factor), reserved)
    moved = replace(work, reserved_context_tokens=reserved, read_context_tokens=read)
    return None if moved == work else replace(setup, workload=moved)


def _with_machines(setup: Setup, change: Callable[[Machine], Machine]) -> Setup:
    """The setup with its machine changed, or every pool of its composition alike."""
    replace, made = msgspec.structs.replace, setup.composition
    if made is None:
        return replace(setup, machine=change(setup.machine))
    host = made.host
    moved = replace(
        made,
        devices=tuple(replace(one, machine=change(one.machine)) for one in made.devices),
        host=host and replace(host, machine=change(host.machine)),
    )
    whole = placement.together(placement.pools_of(moved))
    return replace(setup, machine=whole, composition=moved)


def swings(subject: Subject) -> tuple[Swing, ...]:
    """Every input that can be moved, with the results of both steps."""
    found = []
    for name in INPUTS:
        low, high = (changed(subject.setup, name, f) for f in (1 - STEP, 1 + STEP))
        if low is not None or high is not None:
            results = [None if setup is None else evaluate(setup) for setup in (low, high)]
            found.append(Swing(name, results[0], results[1]))
    return tuple(found)


def reach(swing: Swing, base: Result) -> float:
    """How far an input moves the aggregate: the larger of both ratios, as a logarithm.

    Infinite where it decides whether anything is served at all.
    """
    was = base.decode.aggregate_tokens_per_s
    far = 0.0
    for result in (swing.low, swing.high):
        if result is None:
            continue
        now = result.decode.aggregate_tokens_per_s
        if (now is None) != (was is None):
            return math.inf
        if now and was:
            far = max(far, abs(math.log(now / was)))
    return far


def sensitivity(subjects: Sequence[Subject]) -> Section:
    """The input that moves each evaluation most, in a sentence, and every step in a table."""
    moved = [(subject, swings(subject)) for subject in subjects]
    table: Table | None
    if len(subjects) == 1:
        subject, found = moved[0]
        sentence = _sentence(subject, found)
        blocks: list[Block] = [Text(sentence[0].upper() + sentence[1:])]
        moves = any(reach(swing, subject.result) > 0.0 for swing in found)
        table = _table(subject, found) if moves else None
    else:
        items = tuple((f"{subject.said}:", _sentence(subject, found)) for subject, found in moved)
        blocks = [Bullets(items)]
        table = _side_by_side(moved)
    note = (
        "One input at a time is made 20 % lower and higher and the whole setup is evaluated anew. "
        "The largest change of all sessions together counts as the strongest."
    )
    if any(isinstance(subject.setup.model.cache, TypedCache) for subject in subjects):
        note += " A cache that is typed as bytes does not follow the context, so that is not moved."
    blocks.append(Text(note, "muted"))
    if table is not None:
        blocks.append(table)
    return Section("sensitivity", "What moves the answer", tuple(blocks))


def _sentence(subject: Subject, found: Sequence[Swing]) -> str:
    base = subject.result
    order = sorted(found, key=lambda swing: -reach(swing, base))
    strongest = order[0] if order else None
    if strongest is None or reach(strongest, base) == 0.0:
        if base.decode.aggregate_tokens_per_s is None:
            return "none of these changes makes it serve."
        return "none of these changes moves all sessions together."
    name = INPUTS[strongest.name]
    low, high = strongest.low, strongest.high
    shown = [
        f"{_aggregate(result)} at {sign}20 %"
        for result, sign in ((low, "-"), (high, "+"))
        if result is not None
    ]
    was = _aggregate(base)
    return f"the {name} moves the answer most: {was} becomes {' and '.join(shown)}."


def _aggregate(result: Result) -> str:
    value = result.decode.aggregate_tokens_per_s
    return result.decode.verdict if value is None else f"{rate(value)} tok/s"


def _table(subject: Subject, found: Sequence[Swing]) -> Table:
    base = subject.result
    prompt = base.prefill is not None
    columns = (
        Column("Input", 1.7),
        Column("Change", 0.6, numeric=True),
        Column("Sessions", 0.8, numeric=True),
        Column("All\ntok/s", 1.6, numeric=True),
        Column("Each\ntok/s", 0.9, numeric=True),
        Column("Alone\ntok/s", 1.0, numeric=True),
        *((Column("First\ntoken", 1.0, numeric=True),) if prompt else ()),
    )
    rows = [_row("as asked", "", base, base, prompt)]
    for swing in found:
        for sign, result in (("-20 %", swing.low), ("+20 %", swing.high)):
            if result is not None:
                rows.append(_row(INPUTS[swing.name], sign, result, base, prompt))
    return Table(
        "sensitivity", "Each input lower and higher", columns, tuple(rows), strong=frozenset((0,))
    )


def _side_by_side(moved: Sequence[tuple[Subject, Sequence[Swing]]]) -> Table:
    """How much all sessions together change, an evaluation a row, an input a column."""
    names = [name for name in INPUTS if any(s.name == name for _, found in moved for s in found)]
    columns = (
        Column("Machine", 2),
        Column("All\ntok/s", 0.8, numeric=True),
        *(Column(f"{INPUTS[name]}\n-20 %, +20 %", 1, numeric=True) for name in names),
    )
    rows = []
    for subject, found in moved:
        by_name = {swing.name: swing for swing in found}
        base = subject.result
        together = base.decode.aggregate_tokens_per_s
        cells = (_both(by_name[name], base) if name in by_name else "-" for name in names)
        rows.append((subject.title, "-" if together is None else rate(together), *cells))
    note = "Change of all sessions together. 0: it stays; none: no batch serves; new: it serves."
    return Table("sensitivity", "Each input lower and higher", columns, tuple(rows), note=note)


def _both(swing: Swing, base: Result) -> str:
    return ", ".join(_change(result, base) for result in (swing.low, swing.high))


def _change(result: Result | None, base: Result) -> str:
    """The change of the aggregate in percent, in few signs."""
    if result is None:
        return "-"
    now, was = result.decode.aggregate_tokens_per_s, base.decode.aggregate_tokens_per_s
    if now is None:
        return "none"
    if was is None:
        return "new"
    percent = _signed((now / was - 1) * 100)
    return "0" if percent == "0.0" else f"{percent} %"


def _row(name: str, sign: str, result: Result, base: Result, prompt: bool) -> tuple[str, ...]:
    found = result.decode
    together = found.aggregate_tokens_per_s
    was = base.decode.aggregate_tokens_per_s
    shown = found.verdict if together is None else rate(together)
    if together is not None and was and sign:
        shown += f"  ({_signed((together / was - 1) * 100)} %)"
    waits = None if result.prefill is None else result.prefill.time_s
    return (
        name,
        sign,
        "-" if found.best_batch is None else f"{found.best_batch:,}",
        shown,
        _rate(found.per_session_tokens_per_s),
        _rate(found.single_session_tokens_per_s),
        *(("-" if waits is None else duration(waits),) if prompt else ()),
    )


def _signed(percent: float) -> str:
    """One decimal, with a plus where it rose.

    >>> _signed(25.31), _signed(-0.01), _signed(-4.96)
    ('+25.3', '0.0', '-5.0')
    """
    text = number(percent, 1)
    return f"+{text}" if percent > 0 and text != "0.0" else text


def _rate(value: float | None) -> str:
    return "-" if value is None else rate(value)
