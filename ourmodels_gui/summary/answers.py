"""The four questions and their answers: verdict word, figure, one line of why."""

from .. import units
from ..engine.result import Forced, Placement
from ..language import mark, tr, trn
from ..spoken import spoken
from .figures import NONE, Figures, split
from .placement_rows import binding_words
from .shapes import Answer, Tone

FITS, SINGLE, SERVING = mark("Does it fit?"), mark("One session"), mark("Serving")
WAIT = mark("First token")
RATE = "tok/s"
MARGIN, ALONE = "resident_margin_gb", "single_session_tokens_per_s"
BELOW = mark("below the floor")


def answers(known: Figures) -> tuple[Answer, ...]:
    """Resident fit, single-session speed, serving throughput, prompt wait; always four.

    References: formulation, "Four questions".
    """
    return (_fits(known), _single(known), _serving(known), _wait(known))


def _sessions(known: Figures, count: int) -> str:
    return trn("{count} session", "{count} sessions", count).format(count=known.count(count))


def _fits(known: Figures) -> Answer:
    decode, setup = known.result.decode, known.setup
    context = known.tokens(setup.workload.reserved_context_tokens)
    draft = known.step.draft.resident_bytes
    held = tr("weights {weights} and overhead {overhead}")
    if draft:
        held = tr("weights {weights}, draft {draft} and overhead {overhead}")
    held = held.format(
        weights=known.size(setup.model.resident_bytes),
        draft=known.size(draft),
        overhead=known.size(setup.workload.overhead_bytes),
    )
    capacity = known.size(setup.machine.capacity_bytes)
    if decode.verdict == "model does not fit":
        figure, unit = split(known.size(-decode.resident_margin_bytes))
        why = tr("{held} exceed the capacity of {capacity}").format(held=held, capacity=capacity)
        if not known.one_gate:
            why = tr("what has to lie in one of the memories exceeds its room")
        return _lacks(decode.verdict, figure, unit, why, MARGIN)
    margin = known.size(decode.resident_margin_bytes)
    session = known.size(known.gate.session_bytes)
    if decode.verdict == "no session fits":
        figure, unit = split(known.size(-decode.spare_bytes))
        why = tr("the model leaves {margin}; a session of {context} tokens reserves {session}")
        if not known.one_gate:
            why = tr(
                "the model leaves {margin} where it is tightest; a session of {context} tokens "
                "reserves {session}"
            )
        why = why.format(margin=margin, context=context, session=session)
        return _lacks(decode.verdict, figure, unit, why, "spare_gb")
    figure, unit = split(margin)
    room = decode.memory_batch or 0
    why = trn(
        "room for {count} session of {context} tokens, {session} each",
        "room for {count} sessions of {context} tokens, {session} each",
        room,
    ).format(count=known.count(room), context=context, session=session)
    return Answer(
        tr(FITS),
        "serves",
        tr("fits"),
        figure,
        tr("{unit} spare for sessions").format(unit=unit),
        why,
        row=MARGIN,
        short_unit=tr("{unit} left").format(unit=unit),
    )


def _lacks(verdict: str, figure: str, unit: str, why: str, row: str) -> Answer:
    missing = tr("{unit} missing").format(unit=unit)
    return Answer(tr(FITS), "unfit", tr(verdict), figure, missing, why, row=row)


def _single(known: Figures) -> Answer:
    decode = known.result.decode
    rate = decode.single_session_tokens_per_s
    if rate is None:
        return Answer(tr(SINGLE), "muted", tr("no answer"), NONE, RATE, tr(decode.verdict))
    floor = known.setup.workload.floor_tokens_per_s
    least = units.plain(floor, known.separators)
    read = known.tokens(known.setup.workload.read_context_tokens)
    moved = known.size(known.step.bandwidth_bytes_per_s * known.step.emitted_tokens / rate)
    why = tr("each iteration moves {moved}, a context of {read} tokens included")
    why = why.format(moved=moved, read=read)
    if known.result.placement is not None:
        limit = binding_words(known.result.placement.single_binding, known.setup.composition)
        why = tr("limited by {limit}; {policy}")
        why = why.format(limit=limit, policy=spoken(known.result.placement.policy))
    elif known.step.combined:
        why = tr("the larger of memory and compute time of one iteration")
    kind = decode.kind.get("single_session_tokens_per_s", "")
    if rate < floor:
        why = tr("{why}; the floor is {floor}").format(why=why, floor=least)
        return Answer(tr(SINGLE), "below", tr(BELOW), known.rate(rate), RATE, why, kind, row=ALONE)
    word = tr("at most")
    return Answer(tr(SINGLE), "serves", word, known.rate(rate), RATE, why, kind, row=ALONE)


def _serving(known: Figures) -> Answer:
    decode, workload = known.result.decode, known.setup.workload
    floor = units.plain(workload.floor_tokens_per_s, known.separators)
    if decode.forced is not None:
        return _forced(known, decode.forced, floor)
    if decode.verdict in ("model does not fit", "no session fits"):
        why = tr("nothing to serve from memory")
        return Answer(tr(SERVING), "unfit", tr(decode.verdict), NONE, RATE, why)
    if (workload.batch or 0) > (decode.memory_batch or 0):
        return _too_many(known, workload.batch or 0)
    kind = decode.kind.get("aggregate_tokens_per_s", "")
    if decode.best_batch is None or decode.aggregate_tokens_per_s is None:
        alone = known.rate(decode.single_session_tokens_per_s or 0.0)
        room = decode.memory_batch or 0
        why = trn(
            "{count} session would fit in memory; one alone reaches {alone}, the floor is {floor}",
            "{count} sessions would fit in memory; one alone reaches {alone}, the floor is {floor}",
            room,
        ).format(count=known.count(room), alone=alone, floor=floor)
        return Answer(tr(SERVING), "below", tr(decode.verdict), NONE, RATE, why, short=tr(BELOW))
    placed = known.result.placement
    if placed is not None and not decode.binding_gate:
        return _falling(known, placed, kind)
    best = _sessions(known, decode.best_batch)
    each = known.rate(decode.per_session_tokens_per_s or 0.0)
    spare = known.size(decode.spare_bytes)
    gate = tr("one more would fall below the floor of {floor}; {spare} of memory stay spare")
    if decode.binding_gate == "memory":
        gate = tr("one more needs {session}, {spare} is free")
    gate = gate.format(floor=floor, spare=spare, session=known.size(known.gate.session_bytes))
    if known.result.placement is not None:
        limit = binding_words(known.result.placement.binding, known.setup.composition)
        gate = tr("{gate}; limited by {limit}").format(gate=gate, limit=limit)
    return Answer(
        tr(SERVING),
        "serves",
        tr("serves"),
        known.rate(decode.aggregate_tokens_per_s),
        RATE,
        tr("{sessions} at {rate} tok/s each; {gate}").format(sessions=best, rate=each, gate=gate),
        kind,
        tr("serves {sessions}").format(sessions=best),
        "aggregate_tokens_per_s",
        short_why=tr("{rate} tok/s each; {gate}").format(rate=each, gate=gate),
    )


def _falling(known: Figures, placed: Placement, kind: str) -> Answer:
    """Serving where more sessions than the best batch keep the floor, but give no more together."""
    decode, most = known.result.decode, placed.in_use.last_usable_batch or 0
    best, floor = decode.best_batch or 0, known.setup.workload.floor_tokens_per_s
    least = placed.in_use.last_usable_per_session_tokens_per_s or 0.0
    told = {
        "most": _sessions(known, most),
        "together": known.rate(most * least),
        "least": known.rate(least),
        "floor": units.plain(floor, known.separators),
    }
    more = tr("up to {most} fit, with {together} tok/s together and {least} each")
    if floor:
        more = tr(
            "up to {most} keep the floor of {floor}, with {together} tok/s together and {least} "
            "each"
        )
    why = tr("most with {best} at {rate} tok/s each; {more}; {spare} spare; limited by {limit}")
    if placed.pushed_out_from_batch is not None:
        why = tr(
            "most with {best} at {rate} tok/s each, since the cache of more pushes weights out; "
            "{more}; {spare} spare; limited by {limit}"
        )
    why = why.format(
        best=_sessions(known, best),
        rate=known.rate(decode.per_session_tokens_per_s or 0.0),
        more=more.format(**told),
        spare=known.size(decode.spare_bytes),
        limit=binding_words(placed.binding, known.setup.composition),
    )
    return Answer(
        tr(SERVING),
        "serves",
        tr("serves"),
        known.rate(decode.aggregate_tokens_per_s or 0.0),
        RATE,
        why,
        kind,
        tr("up to {sessions}").format(sessions=told["most"]),
        "aggregate_tokens_per_s",
        tr("{unit} with {count}").format(unit=RATE, count=known.count(best)),
        tr("{most} together {together} tok/s, {least} each").format(**told),
    )


def _too_many(known: Figures, batch: int) -> Answer:
    """A forced number of sessions that unlike memories cannot hold, and so has no rate."""
    fits = known.result.decode.memory_batch or 0
    word = _do_not_fit(known, batch)
    why = trn(
        "forced; memory has room for {count} session",
        "forced; memory has room for {count} sessions",
        fits,
    ).format(count=known.count(fits))
    return Answer(tr(SERVING), "unfit", word, NONE, RATE, why)


def _do_not_fit(known: Figures, batch: int) -> str:
    if batch == 1:
        return tr("does not fit")
    return tr("{sessions} do not fit").format(sessions=_sessions(known, batch))


def _forced(known: Figures, forced: Forced, floor: str) -> Answer:
    """Serving at the number of sessions that is fixed by policy."""
    sessions = _sessions(known, forced.batch)
    tone: Tone = "serves"
    word, short = tr("serves"), tr("serves {sessions}").format(sessions=sessions)
    if not forced.fits:
        tone = "unfit"
        word = _do_not_fit(known, forced.batch)
        short = word
    elif not forced.clears_floor:
        tone, word, short = "below", tr("below the floor of {floor}").format(floor=floor), ""
    each = known.rate(forced.per_session_tokens_per_s)
    why = tr("forced: {sessions} at {rate} tok/s each")
    if not forced.fits:
        why = tr("forced: {sessions} would have {rate} tok/s each")
    why = why.format(sessions=sessions, rate=each)
    figure = known.rate(forced.aggregate_tokens_per_s)
    kind = known.result.decode.kind.get("forced", "")
    return Answer(tr(SERVING), tone, word, figure, RATE, why, kind, short, "forced")


def _wait(known: Figures) -> Answer:
    prefill, prompt = known.result.prefill, known.setup.prompt
    if prefill is None or prompt is None:
        why = tr("the scenario names no prompt")
        return Answer(tr(WAIT), "muted", tr("not asked"), NONE, "s", why)
    length = known.tokens(prompt.prompt_tokens)
    kind = prefill.kind.get("time_s", "")
    if prefill.verdict == "no setting meets the budget":
        why = tr("a prompt of {length} tokens has a budget of {budget}")
        shortest = prefill.single_prompt if prompt.batch is None else prefill.unrestricted
        best = ""
        if shortest is not None:
            why = tr(
                "a prompt of {length} tokens has a budget of {budget}; it takes {best} at best"
            )
            best = _wait_text(known, shortest.time_s)
        budget = _wait_text(known, prompt.ttft_budget_s or 0.0)
        why = why.format(length=length, budget=budget, best=best)
        short = tr("over the budget")
        return Answer(tr(WAIT), "below", tr(prefill.verdict), NONE, "s", why, short=short)
    if prefill.verdict != "serves":
        why = spoken(prefill.unavailable)
        if prefill.verdict == "the batch does not fit":
            why = tr("{count} prompts of this reservation do not fit together")
            why = why.format(count=known.count(prompt.batch or 0))
        elif not why:
            why = tr("a prompt of {length} tokens finds no room beside the weights")
            why = why.format(length=length)
        return Answer(tr(WAIT), "unfit", tr(prefill.verdict), NONE, "s", why)
    if prefill.time_s is None:
        why = spoken(prefill.unavailable)
        return Answer(tr(WAIT), "muted", tr("unavailable"), NONE, "s", why)
    figure, unit = split(_wait_text(known, prefill.time_s))
    why = tr("a prompt of {length} tokens, {count} at once: {rate} tok/s, limited by {limit}")
    if prefill.batch == 1:
        why = tr("a prompt of {length} tokens: {rate} tok/s, limited by {limit}")
    why = why.format(
        length=length,
        count=known.count(prefill.batch or 0),
        rate=known.rate(prefill.tokens_per_s or 0.0),
        limit=binding_words(prefill.binding, known.setup.composition),
    )
    if known.result.placement is not None:
        why = f"{why}; {spoken(known.result.placement.prompt_policy)}"
    return Answer(tr(WAIT), "serves", tr("at least"), figure, unit, why, kind, row="time_s")


def _wait_text(known: Figures, seconds: float) -> str:
    return units.duration(seconds, known.separators)
