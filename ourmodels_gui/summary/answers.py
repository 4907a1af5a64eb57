"""The four questions and their answers: verdict word, figure, one line of why."""

from .. import units
from ..engine.result import Forced
from .figures import NONE, Figures, split
from .placement_rows import binding_words
from .shapes import Answer, Tone

FITS, SINGLE, SERVING, WAIT = "Does it fit?", "One session", "Serving", "First token"
RATE = "tok/s"
MARGIN, ALONE = "resident_margin_gb", "single_session_tokens_per_s"
BELOW = "below the floor"


def answers(known: Figures) -> tuple[Answer, ...]:
    """Resident fit, single-session speed, serving throughput, prompt wait; always four.

    References: formulation, "Four questions".
    """
    return (_fits(known), _single(known), _serving(known), _wait(known))


def _sessions(known: Figures, count: int) -> str:
    return f"{known.count(count)} session" + ("" if count == 1 else "s")


def _fits(known: Figures) -> Answer:
    decode, setup = known.result.decode, known.setup
    context = known.tokens(setup.workload.reserved_context_tokens)
    draft = known.step.draft.resident_bytes
    held = f"weights {known.size(setup.model.resident_bytes)}"
    held += f", draft {known.size(draft)}" if draft else ""
    held += f" and overhead {known.size(setup.workload.overhead_bytes)}"
    capacity = known.size(setup.machine.capacity_bytes)
    if decode.verdict == "model does not fit":
        figure, unit = split(known.size(-decode.resident_margin_bytes))
        why = f"{held} exceed the capacity of {capacity}"
        return Answer(FITS, "unfit", decode.verdict, figure, f"{unit} missing", why, row=MARGIN)
    margin = known.size(decode.resident_margin_bytes)
    session = known.size(known.gate.session_bytes)
    if decode.verdict == "no session fits":
        figure, unit = split(known.size(-decode.spare_bytes))
        why = f"the model leaves {margin}; a session of {context} tokens reserves {session}"
        return Answer(FITS, "unfit", decode.verdict, figure, f"{unit} missing", why, row="spare_gb")
    figure, unit = split(margin)
    room = _sessions(known, decode.memory_batch or 0)
    why = f"room for {room} of {context} tokens, {session} each"
    return Answer(FITS, "serves", "fits", figure, f"{unit} spare for sessions", why, row=MARGIN)


def _single(known: Figures) -> Answer:
    decode = known.result.decode
    rate = decode.single_session_tokens_per_s
    if rate is None:
        return Answer(SINGLE, "muted", "no answer", NONE, RATE, f"{decode.verdict}")
    floor = known.setup.workload.floor_tokens_per_s
    least = units.plain(floor, known.separators)
    read = known.tokens(known.setup.workload.read_context_tokens)
    moved = known.size(known.step.bandwidth_bytes_per_s * known.step.emitted_tokens / rate)
    why = f"each iteration moves {moved}, a context of {read} tokens included"
    if known.result.placement is not None:
        limit = binding_words(known.result.placement.single_binding)
        why = f"limited by {limit}; {known.result.placement.policy}"
    elif known.step.combined:
        why = "the larger of memory and compute time of one iteration"
    kind = decode.kind.get("single_session_tokens_per_s", "")
    if rate < floor:
        why += f"; the floor is {least}"
        return Answer(SINGLE, "below", BELOW, known.rate(rate), RATE, why, kind, row=ALONE)
    return Answer(SINGLE, "serves", "at most", known.rate(rate), RATE, why, kind, row=ALONE)


def _serving(known: Figures) -> Answer:
    decode, workload = known.result.decode, known.setup.workload
    floor = units.plain(workload.floor_tokens_per_s, known.separators)
    if decode.forced is not None:
        return _forced(known, decode.forced, floor)
    if decode.verdict in ("model does not fit", "no session fits"):
        return Answer(SERVING, "unfit", decode.verdict, NONE, RATE, "nothing to serve from memory")
    kind = decode.kind.get("aggregate_tokens_per_s", "")
    if decode.best_batch is None or decode.aggregate_tokens_per_s is None:
        alone = known.rate(decode.single_session_tokens_per_s or 0.0)
        room = _sessions(known, decode.memory_batch or 0)
        why = f"{room} would fit in memory; one alone reaches {alone}, the floor is {floor}"
        return Answer(SERVING, "below", decode.verdict, NONE, RATE, why, short=BELOW)
    best = _sessions(known, decode.best_batch)
    each = known.rate(decode.per_session_tokens_per_s or 0.0)
    spare = known.size(decode.spare_bytes)
    gate = f"one more would fall below the floor of {floor}; {spare} of memory stay spare"
    if decode.binding_gate == "memory":
        gate = (
            f"memory is full: one more needs {known.size(known.gate.session_bytes)}, {spare} spare"
        )
    elif not decode.binding_gate:
        gate = f"more together are slower, because their cache pushes weights out; {spare} spare"
    why = f"{best} at {each} {RATE} each; {gate}"
    if known.result.placement is not None:
        why += f"; limited by {binding_words(known.result.placement.binding)}"
    figure = known.rate(decode.aggregate_tokens_per_s)
    short, row = f"serves {best}", "aggregate_tokens_per_s"
    return Answer(SERVING, "serves", "serves", figure, RATE, why, kind, short, row)


def _forced(known: Figures, forced: Forced, floor: str) -> Answer:
    """Serving at the number of sessions that is fixed by policy."""
    sessions = _sessions(known, forced.batch)
    tone: Tone = "serves"
    word, short = "serves", f"serves {sessions}"
    if not forced.fits:
        tone, word = "unfit", f"{sessions} do not fit" if forced.batch > 1 else "does not fit"
        short = word
    elif not forced.clears_floor:
        tone, word, short = "below", f"below the floor of {floor}", ""
    why = f"forced: {sessions} at {known.rate(forced.per_session_tokens_per_s)} {RATE} each"
    figure = known.rate(forced.aggregate_tokens_per_s)
    kind = known.result.decode.kind.get("forced", "")
    return Answer(SERVING, tone, word, figure, RATE, why, kind, short, "forced")


def _wait(known: Figures) -> Answer:
    prefill, prompt = known.result.prefill, known.setup.prompt
    if prefill is None or prompt is None:
        return Answer(WAIT, "muted", "not asked", NONE, "s", "the scenario names no prompt")
    length = f"a prompt of {known.tokens(prompt.prompt_tokens)} tokens"
    kind = prefill.kind.get("time_s", "")
    if prefill.verdict == "no setting meets the budget":
        why = f"{length} has a budget of {_wait_text(known, prompt.ttft_budget_s or 0.0)}"
        shortest = prefill.single_prompt if prompt.batch is None else prefill.unrestricted
        if shortest is not None:
            why += f"; it takes {_wait_text(known, shortest.time_s)} at best"
        return Answer(WAIT, "below", prefill.verdict, NONE, "s", why, short="over the budget")
    if prefill.verdict != "serves":
        why = prefill.unavailable or f"{length} finds no room beside the weights"
        if prefill.verdict == "the batch does not fit":
            why = (
                f"{known.count(prompt.batch or 0)} prompts of this reservation do not fit together"
            )
        return Answer(WAIT, "unfit", prefill.verdict, NONE, "s", why)
    if prefill.time_s is None:
        return Answer(WAIT, "muted", "unavailable", NONE, "s", prefill.unavailable)
    figure, unit = split(_wait_text(known, prefill.time_s))
    at_once = "" if prefill.batch == 1 else f", {known.count(prefill.batch or 0)} at once"
    speed = known.rate(prefill.tokens_per_s or 0.0)
    why = f"{length}{at_once}: {speed} {RATE}, limited by {binding_words(prefill.binding)}"
    if known.result.placement is not None:
        why += f"; {known.result.placement.prompt_policy}"
    return Answer(WAIT, "serves", "at least", figure, unit, why, kind, row="time_s")


def _wait_text(known: Figures, seconds: float) -> str:
    return units.duration(seconds, known.separators)
