"""Rows of the memory gates, of decode and of speculation, each with its formula worked out."""

from collections.abc import Mapping

from ..engine.crossover import seconds_per_flop
from ..engine.memory_power import memory_power_bytes2_per_s
from ..engine.step import shared_bytes
from .figures import Figures
from .shapes import Group, Row

RATE = "tok/s"


def memory(known: Figures) -> Group:
    """The capacity gate.

    References: formulation, "Memory-fit batch" and "Speculative decoding".
    """
    decode, setup = known.result.decode, known.setup
    draft = known.setup.speculation is not None
    held = "C W_resident O" + (" W_draft,res" if draft else "")
    session = "K_alloc" + (" K_draft,alloc" if draft else "")
    minus_draft = " - W_draft,res" if draft else ""
    per_session = "(K_alloc + K_draft,alloc)" if draft else "K_alloc"
    worked = f"{known.gb(setup.machine.capacity_bytes)} - {known.gb(setup.model.resident_bytes)}"
    if draft:
        worked += f" - {known.gb(known.step.draft.resident_bytes)}"
    worked += f" - {known.gb(setup.workload.overhead_bytes)}"
    worked += f" = {known.gb(decode.resident_margin_bytes)}"
    count = decode.best_batch or 1
    each = known.gb(known.gate.session_bytes)
    rows = (
        known.row(
            "resident_margin_gb",
            "Left for sessions",
            _split(known.size(decode.resident_margin_bytes)),
            decode.resident_margin_bytes / 1e9,
            kinds={},
            formula=f"C - W_resident{minus_draft} - O",
            worked=worked,
            symbols=held,
        ),
        known.row(
            "memory_batch",
            "Sessions that fit, b_mem",
            _count(known, decode.memory_batch, "sessions"),
            decode.memory_batch,
            kinds=decode.kind,
            formula=f"floor((C - W_resident{minus_draft} - O) / {per_session})",
            worked=f"floor({known.gb(decode.resident_margin_bytes)} / {each}) = "
            f"{known.count(decode.memory_batch or 0)}",
            symbols=f"{held} {session}",
            note="the model does not fit",
        ),
        known.row(
            "spare_gb",
            "Spare beside the best batch" if decode.best_batch else "Spare beside one session",
            _split(known.size(decode.spare_bytes)),
            decode.spare_bytes / 1e9,
            kinds={},
            formula=f"C - W_resident{minus_draft} - O - b {per_session}",
            worked=f"{known.gb(decode.resident_margin_bytes)} - {known.count(count)} x {each} = "
            f"{known.gb(decode.spare_bytes)}",
            symbols=f"{held} {session}",
        ),
        known.row(
            "memory_power_gb2_per_s",
            "Memory power, D",
            (known.digits(decode.memory_power_bytes2_per_s / 1e18), "GB²/s"),
            decode.memory_power_bytes2_per_s / 1e18,
            kinds={},
            formula="D = C R",
            worked=f"{known.gb(setup.machine.capacity_bytes)} x "
            f"{known.given('R').text} = {known.digits(memory_power(known))} GB²/s",
            symbols="C R",
        ),
    )
    return Group("Memory", rows)


def memory_power(known: Figures) -> float:
    """D in GB^2/s."""
    return memory_power_bytes2_per_s(known.setup.machine) / 1e18


def decode(known: Figures) -> Group:
    """The ceilings of ordinary or speculative decode.

    References: formulation, "The bound the calculator uses" and "Speculative decoding".
    """
    found = known.result.decode
    best = found.best_batch
    rows = [
        _rate(known, "single_session_tokens_per_s", "One session", 1),
        known.row(
            "rate_limited_batch",
            "Rate-limited batch, b_rate",
            _count(known, found.rate_limited_batch, "sessions"),
            found.rate_limited_batch,
            kinds=found.kind,
            formula=_rate_limited_formula(known),
            worked=_rate_limited(known),
            symbols="R r_star K_read " + ("rho gamma" if known.step.draft_tokens else "W_active"),
            note="no session fits" if found.memory_batch == 0 else "no floor refuses any batch",
        ),
        known.row(
            "usable_batch",
            "Usable batch",
            _count(known, found.usable_batch, "sessions"),
            found.usable_batch,
            kinds=found.kind,
            formula="min(b_mem, b_rate)",
            note=found.verdict,
        ),
        known.row(
            "best_batch",
            "Best batch, b*",
            _count(known, best, "sessions"),
            best,
            kinds=found.kind,
            formula="the largest b <= b_mem with r(b) >= r_star",
            worked=_best(known),
            symbols="r_star",
            note=found.verdict,
        ),
        _rate(known, "aggregate_tokens_per_s", "All sessions together", best),
        _rate(known, "per_session_tokens_per_s", "Each session", best),
        *_loose(known),
    ]
    if found.crossover_tokens is not None:
        rows.append(crossover(known, "positions", found.crossover_tokens, found.kind))
    return Group("Decode", tuple(rows))


def crossover(
    known: Figures, counted: str, tokens: float | None, kinds: Mapping[str, str], note: str = ""
) -> Row:
    """S*, from which arithmetic is the limit; the sweep that belongs to it is put in.

    References: formulation, "Combined ceiling and crossover".
    """
    setup = known.setup
    linear_s = seconds_per_flop(setup.machine, setup.linear_mode)
    parameters = setup.model.linear_active_parameters
    worked = ""
    if tokens is not None and linear_s is not None and parameters is not None:
        flop, bandwidth = 2.0 * parameters, setup.machine.bandwidth_bytes_per_s
        worked = (
            f"{known.gb(tokens * flop * linear_s * bandwidth)} x {known.gflop(1 / linear_s)}/s / "
            f"({known.gflop(flop)} x {known.given('R').text}) = {known.digits(tokens)}"
        )
    return known.row(
        "crossover_tokens",
        "Crossover to compute, S*",
        None if tokens is None else (known.digits(tokens), f"{counted} per sweep"),
        tokens,
        kinds=kinds,
        formula="W_batch(S*) F_linear / (2 P_lin,active R)",
        worked=worked,
        symbols="R W_batch",
        note=note,
    )


def forced(known: Figures) -> Group | None:
    """Decode at a concurrency fixed by policy."""
    found = known.result.decode.forced
    if found is None:
        return None
    count = known.count(found.batch) + (" session" if found.batch == 1 else " sessions")
    fits = "they fit" if found.fits else "they do not fit"
    clears = "clear the floor" if found.clears_floor else "are below the floor"
    kind = known.result.decode.kind.get("forced", "")
    kinds = {"forced": kind}
    rows = (
        known.row(
            "forced",
            "All sessions together",
            (known.rate(found.aggregate_tokens_per_s), RATE),
            found.aggregate_tokens_per_s,
            kinds=kinds,
            formula=_rate_formula(known, "aggregate_tokens_per_s"),
            worked=_rate_worked(known, found.batch, found.aggregate_tokens_per_s, each=False),
            symbols=_rate_symbols(known),
        ),
        known.row(
            "forced",
            "Each session",
            (known.rate(found.per_session_tokens_per_s), RATE),
            found.per_session_tokens_per_s,
            kinds=kinds,
            formula=_rate_formula(known, "per_session_tokens_per_s"),
            worked=_rate_worked(known, found.batch, found.per_session_tokens_per_s, each=True),
            symbols=_rate_symbols(known),
        ),
    )
    return Group(f"Forced concurrency: {count}; {fits} and {clears}", rows)


def speculation(known: Figures) -> Group | None:
    """What speculation needs to gain, and where it loses."""
    found = known.result.decode.speculation
    if found is None:
        return None
    formula = (
        "[W(b(gamma+1)) + gamma W_draft + b (K_read + gamma K_draft,read)] / [W(b) + b K_read]"
    )
    symbols = "gamma rho K_read K_draft,read"
    rows = [
        known.row(
            "emitted_tokens_per_iteration",
            "Emitted per iteration, rho",
            (known.digits(found.emitted_tokens_per_iteration), "tokens"),
            found.emitted_tokens_per_iteration,
            kinds={},
            formula="(1 - alpha^(gamma+1)) / (1 - alpha), or as typed",
            symbols="gamma rho",
        )
    ]
    for name, label, value, acceptance, note in (
        (
            "break_even_at_1",
            "Break-even rho at one session",
            found.break_even_at_1,
            found.break_even_acceptance_at_1,
            found.note_at_1,
        ),
        (
            "break_even_at_best",
            "Break-even rho at the best batch",
            found.break_even_at_best,
            found.break_even_acceptance_at_best,
            found.note_at_best,
        ),
    ):
        alpha = "" if acceptance is None else f", acceptance {known.digits(acceptance)}"
        rows.append(
            known.row(
                name,
                label,
                None if value is None else (known.digits(value), f"tokens{alpha}"),
                value,
                kinds={},
                formula=formula,
                symbols=symbols,
                note=note,
            )
        )
    loses = ", ".join(
        f"{known.count(first)} to {known.count(last)}" if first != last else known.count(first)
        for first, last in found.loses_at
    )
    rows.append(
        Row(
            "loses_at",
            "Loses at batches",
            loses or "none that fit",
            value=loses,
            formula=f"rho < {formula}",
        )
    )
    return Group("Speculation", tuple(rows))


def _split(text: str) -> tuple[str, str]:
    figure, _, unit = text.partition(" ")
    return figure, unit


def _count(known: Figures, count: int | None, unit: str) -> tuple[str, str] | None:
    if count is None:
        return None
    return known.count(count), unit if count != 1 else unit.removesuffix("s")


def _best(known: Figures) -> str:
    found = known.result.decode
    if found.best_batch is None or found.per_session_tokens_per_s is None:
        return ""
    rate = known.digits(found.per_session_tokens_per_s)
    floor = known.digits(known.setup.workload.floor_tokens_per_s)
    gate = {"memory": "one more does not fit", "floor": "one more falls below the floor"}
    return (
        f"{known.count(found.best_batch)}: r = {rate} >= {floor} {RATE}; "
        f"{gate.get(found.binding_gate, '')}"
    )


def _rate_limited_formula(known: Figures) -> str:
    if known.step.draft_tokens:
        private = "K_read + gamma K_draft,read"
        sweep = "W_batch(gamma+1) - gamma W_draft"
        return f"max(floor((rho R / r_star - {sweep}) / ({private})), 0)"
    return "max(floor((R / r_star - W_active) / K_read), 0)"


def _rate_limited(known: Figures) -> str:
    batch, step = known.result.decode.rate_limited_batch, known.step
    floor = known.setup.workload.floor_tokens_per_s
    if batch is None or floor == 0 or step.private_bytes == 0:
        return ""
    emitted = f"{known.digits(step.emitted_tokens)} x " if step.draft_tokens else ""
    return (
        f"max(floor(({emitted}{known.given('R').text} / {known.digits(floor)} - "
        f"{known.gb(float(shared_bytes(step, 1)))}) / {known.gb(step.private_bytes)}), 0) = "
        f"{known.count(batch)}"
    )


def _rate_symbols(known: Figures) -> str:
    if known.step.draft_tokens:
        return "R W_batch K_read rho gamma K_draft,read"
    return "R W_batch K_read"


def _rate_formula(known: Figures, name: str) -> str:
    bytes_ = "W_batch(b) + b K_read"
    emitted = ""
    if known.step.draft_tokens:
        bytes_ = "W_batch(b(gamma+1)) + gamma W_draft + b (K_read + gamma K_draft,read)"
        emitted = "rho "
    each = name != "aggregate_tokens_per_s"
    ceiling = f"{emitted}R / ({bytes_})"
    if known.step.combined:
        ceiling = f"min({ceiling}, {emitted}/ t_compute(b))"
    return f"r(b) = {ceiling}" if each else f"T(b) = b {ceiling}"


def _rate_worked(known: Figures, batch: int, rate: float, *, each: bool) -> str:
    step = known.step
    emitted = f"{known.digits(step.emitted_tokens)} x " if step.draft_tokens else ""
    many = "" if each else f"{known.count(batch)} x "
    shared = known.gb(float(shared_bytes(step, batch)))
    private = f"{known.count(batch)} x {known.gb(step.private_bytes)}"
    ceiling = f"{emitted}{known.given('R').text} / ({shared} + {private})"
    if step.combined and step.compute_s is not None:
        arithmetic = (
            f"{known.digits(step.emitted_tokens)} / {known.digits(batch * step.compute_s)} s"
        )
        ceiling = f"min({ceiling}, {arithmetic})"
    return f"{many}{ceiling} = {known.digits(rate)} {RATE}"


def _rate(known: Figures, name: str, label: str, batch: int | None) -> Row:
    found = known.result.decode
    value = getattr(found, name)
    worked = ""
    if value is not None and batch is not None:
        worked = _rate_worked(known, batch, value, each=name != "aggregate_tokens_per_s")
    return known.row(
        name,
        label,
        None if value is None else (known.rate(value), RATE),
        value,
        kinds=found.kind,
        formula=_rate_formula(known, name),
        worked=worked,
        symbols=_rate_symbols(known),
        note=found.verdict,
    )


def _loose(known: Figures) -> tuple[Row, ...]:
    """The memory-power ceiling and the large-memory limit, of ordinary decode."""
    found, setup = known.result.decode, known.setup
    alloc, active = known.gb(known.alloc_bytes), known.gb(known.active_bytes)
    power = f"{known.digits(memory_power(known))} GB²/s"
    loosest = f"{power} / ({alloc} x {active})"
    held = (
        f"1 - ({known.gb(setup.model.resident_bytes)} + {known.gb(setup.workload.overhead_bytes)})"
        f" / {known.gb(setup.machine.capacity_bytes)}"
    )
    rows = []
    for name, label, formula, worked in (
        (
            "memory_power_tokens_per_s",
            "Memory-power ceiling",
            "D / (K_alloc W_active) (1 - (W_resident + O) / C)",
            f"{loosest} x ({held})",
        ),
        (
            "large_memory_limit_tokens_per_s",
            "Large-memory limit",
            "D / (K_alloc W_active)",
            loosest,
        ),
    ):
        value = getattr(found, name)
        rows.append(
            known.row(
                name,
                label,
                None if value is None else (known.rate(value), RATE),
                value,
                kinds=found.kind,
                formula=formula,
                worked="" if value is None else f"{worked} = {known.digits(value)} {RATE}",
                symbols="C R W_resident O K_alloc W_active",
                note=found.verdict,
            )
        )
    return tuple(rows)
