"""Rows of decode, each with its formula worked out."""

from collections.abc import Mapping

from ..engine.crossover import seconds_per_flop
from ..engine.step import shared_bytes
from ..language import mark, tr, trn
from .figures import Figures
from .shapes import Group, Row

RATE = "tok/s"


def decode(known: Figures) -> Group:
    """The ceilings of ordinary or speculative decode.

    References: formulation, "The bound the calculator uses" and "Speculative decoding".
    """
    found = known.result.decode
    best = found.best_batch
    rows = [
        _rate(known, "single_session_tokens_per_s", tr("One session"), 1),
        known.row(
            "rate_limited_batch",
            tr("Rate-limited batch of all pools, b_rate")
            if known.result.placement is not None
            else tr("Rate-limited batch, b_rate"),
            known.sessions(found.rate_limited_batch),
            found.rate_limited_batch,
            kinds=found.kind,
            formula=_rate_limited_formula(known),
            worked=_rate_limited(known),
            symbols="R r_star K_read " + ("rho gamma" if known.step.draft_tokens else "W_active"),
            note=tr("no session fits")
            if found.memory_batch == 0
            else tr("no floor refuses any batch"),
        ),
        known.row(
            "usable_batch",
            tr("Usable batch"),
            known.sessions(found.usable_batch),
            found.usable_batch,
            kinds=found.kind,
            formula="min(b_mem, b_rate)",
            note=tr(found.verdict),
        ),
        *_last_usable(known),
        known.row(
            "best_batch",
            tr("Best batch, b*"),
            known.sessions(best),
            best,
            kinds=found.kind,
            formula=_best_formula(known),
            worked=_best(known),
            symbols="r_star",
            note=tr(found.verdict),
        ),
        _rate(known, "aggregate_tokens_per_s", tr("All sessions together"), best),
        _rate(known, "per_session_tokens_per_s", tr("Each session"), best),
        *_loose(known),
    ]
    if found.crossover_tokens is not None:
        rows.append(crossover(known, tr("positions per sweep"), found.crossover_tokens, found.kind))
    return Group(tr("Decode"), tuple(rows), "decode")


def _last_usable(known: Figures) -> tuple[Row, ...]:
    """Of a composition, the largest batch that its policy serves at the floor or above."""
    placed, found = known.result.placement, known.result.decode
    if placed is None:
        return ()
    last, rate = placed.in_use.last_usable_batch, placed.in_use.last_usable_per_session_tokens_per_s
    worked = ""
    if last is not None and rate is not None:
        floor = known.digits(known.setup.workload.floor_tokens_per_s)
        worked = f"{known.count(last)}: r = {known.digits(rate)} >= {floor} {RATE}"
    row = known.row(
        "last_usable_batch",
        tr("Sessions that keep the floor"),
        known.sessions(last),
        last,
        kinds={"last_usable_batch": found.kind["best_batch"]},
        formula=tr("the largest b <= b_mem with r(b) >= r_star"),
        worked=worked,
        symbols="r_star",
        note=tr(found.verdict),
    )
    return (row,)


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
        tr("Crossover to compute, S*"),
        None if tokens is None else (known.digits(tokens), counted),
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
    title = {
        (True, True): tr("Forced concurrency: {sessions}; they fit and clear the floor"),
        (True, False): tr("Forced concurrency: {sessions}; they fit and are below the floor"),
        (False, True): tr("Forced concurrency: {sessions}; they do not fit and clear the floor"),
        (False, False): tr(
            "Forced concurrency: {sessions}; they do not fit and are below the floor"
        ),
    }[found.fits, found.clears_floor]
    sessions = trn("{count} session", "{count} sessions", found.batch)
    sessions = sessions.format(count=known.count(found.batch))
    kind = known.result.decode.kind.get("forced", "")
    kinds = {"forced": kind}
    rows = (
        known.row(
            "forced",
            tr("All sessions together"),
            (known.rate(found.aggregate_tokens_per_s), RATE),
            found.aggregate_tokens_per_s,
            kinds=kinds,
            formula=_rate_formula(known, "aggregate_tokens_per_s"),
            worked=_rate_worked(known, found.batch, found.aggregate_tokens_per_s, each=False),
            symbols=_rate_symbols(known),
        ),
        known.row(
            "forced",
            tr("Each session"),
            (known.rate(found.per_session_tokens_per_s), RATE),
            found.per_session_tokens_per_s,
            kinds=kinds,
            formula=_rate_formula(known, "per_session_tokens_per_s"),
            worked=_rate_worked(known, found.batch, found.per_session_tokens_per_s, each=True),
            symbols=_rate_symbols(known),
        ),
    )
    return Group(title.format(sessions=sessions), rows, "forced")


def _best_formula(known: Figures) -> str:
    if known.result.placement is not None:
        return tr("the b <= b_mem with the largest T(b) where r(b) >= r_star")
    return tr("the largest b <= b_mem with r(b) >= r_star")


def _best(known: Figures) -> str:
    found = known.result.decode
    if found.best_batch is None or found.per_session_tokens_per_s is None:
        return ""
    rate = known.digits(found.per_session_tokens_per_s)
    floor = known.digits(known.setup.workload.floor_tokens_per_s)
    gate = {"memory": tr("one more does not fit"), "floor": tr("one more falls below the floor")}
    why = gate.get(found.binding_gate, tr("more together are not faster"))
    return f"{known.count(found.best_batch)}: r = {rate} >= {floor} {RATE}; {why}"


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
    if known.result.placement is not None:
        return "W_batch K_read"
    if known.step.draft_tokens:
        return "R W_batch K_read rho gamma K_draft,read"
    return "R W_batch K_read"


def _rate_formula(known: Figures, name: str) -> str:
    if known.result.placement is not None:
        limits = tr("the least of memory, compute and link under the policy in use")
        return limits if name != "aggregate_tokens_per_s" else f"b x {limits}"
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
    if known.result.placement is not None:
        return ""
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
        note=tr(found.verdict),
    )


def _loose(known: Figures) -> tuple[Row, ...]:
    """The memory-power ceiling and the large-memory limit, of ordinary decode."""
    found, setup = known.result.decode, known.setup
    alloc, active = known.gb(known.alloc_bytes), known.gb(known.active_bytes)
    power = known.memory_power()
    loosest = f"{power} / ({alloc} x {active})"
    held = (
        f"1 - ({known.gb(setup.model.resident_bytes)} + {known.gb(setup.workload.overhead_bytes)})"
        f" / {known.gb(setup.machine.capacity_bytes)}"
    )
    rows = []
    for name, label, formula, worked in (
        (
            "memory_power_tokens_per_s",
            mark("Memory-power ceiling"),
            "D / (K_alloc W_active) (1 - (W_resident + O) / C)",
            f"{loosest} x ({held})",
        ),
        (
            "large_memory_limit_tokens_per_s",
            mark("Large-memory limit"),
            "D / (K_alloc W_active)",
            loosest,
        ),
    ):
        value = getattr(found, name)
        rows.append(
            known.row(
                name,
                tr(label),
                None if value is None else (known.rate(value), RATE),
                value,
                kinds=found.kind,
                formula=formula,
                worked="" if value is None else f"{worked} = {known.digits(value)} {RATE}",
                symbols="C R W_resident O K_alloc W_active",
                note=tr(found.verdict),
            )
        )
    return tuple(rows)
