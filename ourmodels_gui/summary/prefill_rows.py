"""Rows of prefill, each with its formula worked out."""

from .. import units
from ..engine.costs import cache_alloc_bytes, prefill_sweep_scale
from ..engine.result import Prefill, PromptRange
from ..engine.setup import Prompt, TypedCache
from ..language import mark, tr
from ..spoken import spoken
from .decode_rows import crossover
from .figures import NONE, Figures
from .shapes import Group, Row

RATE = "tok/s"
BEST_BATCH = mark(
    "the smallest b whose memory time is no longer than its compute time, else "
    "the largest that fits and meets the budget"
)


def prefill(known: Figures) -> Group | None:
    """The prefill ceilings, both chains, the crossover and the range over prompt lengths.

    References: formulation, "Prefill".
    """
    found, prompt = known.result.prefill, known.setup.prompt
    if found is None or prompt is None:
        return None
    why = spoken(found.unavailable or found.verdict, known.separators)
    rows = [
        known.row(
            "batch",
            tr("Prompts at once, b"),
            None if found.batch is None else (known.count(found.batch), tr("prompts")),
            found.batch,
            kinds=found.kind,
            formula=tr("forced") if prompt.batch is not None else tr(BEST_BATCH),
            note=why,
        ),
        known.row(
            "time_s",
            tr("Least time, t"),
            None if found.time_s is None else _time(known, found.time_s),
            found.time_s,
            kinds=found.kind,
            formula=_time_formula(known),
            worked=_time_worked(known, found, prompt),
            symbols="R W_batch",
            note=why,
        ),
        known.row(
            "tokens_per_s",
            tr("Prompt tokens per second, T"),
            _speed(known, found.tokens_per_s),
            found.tokens_per_s,
            kinds=found.kind,
            formula="b L / t",
            worked=_rate_worked(known, found, prompt),
            note=why,
        ),
        *_sides(known, found, why),
        *_chains(known, found, why),
    ]
    rows += _ranges(known, found, why)
    if found.single_prompt is not None:
        speed = known.rate(found.single_prompt.tokens_per_s)
        text, unit = _time(known, found.single_prompt.time_s)
        rows.append(
            Row(
                "single_prompt",
                tr("One prompt alone"),
                text,
                f"{unit}, {speed} {RATE}",
                found.single_prompt.time_s,
                found.kind.get("single_prompt", ""),
                "t at b = 1",
            )
        )
    if found.unrestricted is not None:
        text, unit = _time(known, found.unrestricted.time_s)
        speed = known.rate(found.unrestricted.tokens_per_s)
        batch = known.count(found.unrestricted.batch)
        rows.append(
            Row(
                "unrestricted",
                tr("Without the budget"),
                text,
                tr("{unit}, {rate} tok/s, {count} at once").format(
                    unit=unit, rate=speed, count=batch
                ),
                found.unrestricted.time_s,
                found.kind.get("unrestricted", ""),
            )
        )
    return Group(tr("Prefill"), tuple(rows), "prefill")


def _time(known: Figures, seconds: float) -> tuple[str, str]:
    figure, _, unit = units.duration(seconds, known.separators).partition(" ")
    return figure, unit


def _speed(known: Figures, value: float | None) -> tuple[str, str] | None:
    return None if value is None else (known.rate(value), RATE)


def _time_formula(known: Figures) -> str:
    if known.result.placement is not None:
        return tr("the longest of memory, compute and link: {policy}").format(
            policy=spoken(known.result.placement.prompt_policy)
        )
    return "max(Q / R, A_linear / F_linear + A_attention / F_attention)"


def _time_worked(known: Figures, found: Prefill, prompt: Prompt) -> str:
    memory, compute = found.memory_ceiling_tokens_per_s, found.compute_ceiling_tokens_per_s
    if found.time_s is None or found.batch is None or memory is None or compute is None:
        return ""
    tokens = found.batch * prompt.prompt_tokens
    sides = [known.digits(tokens / memory), known.digits(tokens / compute)]
    if found.limit == "link":
        sides.append(known.digits(found.time_s))
    waits = f"max({', '.join(f'{side} s' for side in sides)})"
    return tr("{waits} = {time} s, limited by {limit}").format(
        waits=waits, time=known.digits(found.time_s), limit=tr(str(found.limit))
    )


def _rate_worked(known: Figures, found: Prefill, prompt: Prompt) -> str:
    if found.time_s is None or found.batch is None or found.tokens_per_s is None:
        return ""
    return (
        f"{known.count(found.batch)} x {known.count(prompt.prompt_tokens)} / "
        f"{known.digits(found.time_s)} s = {known.digits(found.tokens_per_s)} {RATE}"
    )


def _sides(known: Figures, found: Prefill, why: str) -> list[Row]:
    """What a prompt token moves and computes, and the ceiling of each."""
    bytes_, flop = found.bytes_per_token, found.flop_per_token
    bandwidth, pools = known.given("R").text, known.result.placement is not None
    memory, compute, under = "", "", tr("b L / t, of its least time under the policy")
    if bytes_ is not None and not pools and found.memory_ceiling_tokens_per_s is not None:
        ceiling = known.digits(found.memory_ceiling_tokens_per_s)
        memory = f"{bandwidth} / {known.gb(bytes_)} = {ceiling} {RATE}"
    if flop is not None and found.compute_ceiling_tokens_per_s is not None:
        seconds = known.digits(1.0 / found.compute_ceiling_tokens_per_s)
        ceiling = known.digits(found.compute_ceiling_tokens_per_s)
        compute = tr("1 / ({seconds} s per token) = {rate} {unit}").format(
            seconds=seconds, rate=ceiling, unit=RATE
        )
    linear = known.setup.model.linear_active_parameters
    flop_worked = ""
    if flop is not None and linear is not None:
        attention = flop - 2.0 * linear
        flop_worked = (
            f"{known.digits(2.0 * linear / 1e9)} + {known.digits(attention / 1e9)} = "
            f"{known.digits(flop / 1e9)} GFLOP"
        )
    size = None if bytes_ is None else units.size(bytes_, known.separators).partition(" ")
    return [
        known.row(
            "bytes_per_token",
            tr("Traffic per prompt token, q"),
            None if size is None else (size[0], size[2]),
            bytes_,
            kinds=found.kind,
            formula=tr(
                "W_batch(b c) / (b c) + K_read(l) / c + kappa_KV,w, averaged over the chunks"
            ),
            symbols="W_batch",
            note=why,
        ),
        known.row(
            "memory_ceiling_tokens_per_s",
            tr("Memory ceiling"),
            _speed(known, found.memory_ceiling_tokens_per_s),
            found.memory_ceiling_tokens_per_s,
            kinds=found.kind,
            formula=under if pools else "R / q",
            worked=memory,
            symbols="" if pools else "R",
            note=why,
        ),
        known.row(
            "flop_per_token",
            tr("Arithmetic per prompt token, a"),
            None if flop is None else (known.digits(flop / 1e9), "GFLOP"),
            flop,
            kinds=found.kind,
            formula="2 P_lin,active + a_attn(c, l)",
            worked=flop_worked,
            note=why,
        ),
        known.row(
            "compute_ceiling_tokens_per_s",
            tr("Compute ceiling"),
            _speed(known, found.compute_ceiling_tokens_per_s),
            found.compute_ceiling_tokens_per_s,
            kinds=found.kind,
            formula=under if pools else "1 / (2 P_lin,active / F_linear + a_attn / F_attention)",
            worked=compute,
            note=why,
        ),
    ]


def _chains(known: Figures, found: Prefill, why: str) -> list[Row]:
    """The loose end of each resource's chain, and where the two cross."""
    power, linear = found.memory_power_tokens_per_s, found.linear_ceiling_tokens_per_s
    parameters = known.setup.model.linear_active_parameters
    linear_worked = ""
    if linear is not None and parameters is not None:
        flop = 2.0 * parameters
        linear_worked = (
            f"{known.gflop(linear * flop)}/s / {known.gflop(flop)} = {known.digits(linear)} {RATE}"
        )
    return [
        known.row(
            "memory_power_tokens_per_s",
            tr("Memory-power analogue"),
            _speed(known, power),
            power,
            kinds=found.kind,
            formula="L D / (K_alloc W_active) (1 - (W_resident + O) / C)",
            worked="" if power is None else _power_worked(known, power),
            symbols="C R W_resident O K_alloc",
            note=why,
        ),
        known.row(
            "linear_ceiling_tokens_per_s",
            tr("Compute ceiling without attention"),
            _speed(known, linear),
            linear,
            kinds=found.kind,
            formula="F_linear / (2 P_lin,active)",
            worked=linear_worked,
            note=why,
        ),
        crossover(known, tr("tokens per sweep"), found.crossover_tokens, found.kind, why),
    ]


def _power_worked(known: Figures, power: float) -> str:
    """With what the gate reserves and the sweep at the scale of prefill."""
    setup, prompt = known.setup, known.setup.prompt
    if prompt is None:
        return ""
    machine, workload = setup.machine, setup.workload
    tokens = workload.reserved_context_tokens
    if prompt.cache_growth == "on_demand":
        tokens = prompt.cached_prefix_tokens + prompt.prompt_tokens
    session = float(cache_alloc_bytes(setup.model.cache, tokens, workload.cache_policy))
    sweep = known.active_bytes * prefill_sweep_scale(setup.model)
    held = setup.model.resident_bytes + workload.overhead_bytes
    return (
        f"{known.count(prompt.prompt_tokens)} x "
        f"{known.memory_power()} / "
        f"({known.gb(session)} x {known.gb(sweep)}) x "
        f"(1 - {known.gb(held)} / {known.gb(machine.capacity_bytes)}) = "
        f"{known.digits(power)} {RATE}"
    )


def _ranges(known: Figures, found: Prefill, why: str) -> list[Row]:
    rows = []
    if known.setup.model.max_context_tokens is None:
        why = tr("the model has no context limit that would end the range")
    elif isinstance(known.setup.model.cache, TypedCache):
        why = tr("the cache is typed as totals, whatever the context")
    elif found.verdict == "serves" and not found.unavailable:
        why = tr("no length is admitted")
    for name, label, ends in (
        ("range", tr("Over every prompt length"), found.range),
        ("range_single", tr("The same, one prompt at a time"), found.range_single),
    ):
        rows.append(
            Row(
                name,
                label,
                NONE if ends is None else _ends(known, ends),
                "" if ends is None else RATE,
                None if ends is None else ends.high.tokens_per_s,
                found.kind.get(name, "") if ends is not None else "",
                tr("min and max over L of T_max(L), each L reserving K_alloc(L)"),
                note="" if ends is not None else why,
            )
        )
    return rows


def _ends(known: Figures, ends: PromptRange) -> str:
    words = tr("{rate} (at {length} tokens, {count} at once)")
    low, high = (
        words.format(
            rate=known.rate(end.tokens_per_s),
            length=known.tokens(end.prompt_tokens),
            count=known.count(end.batch),
        )
        for end in (ends.low, ends.high)
    )
    return tr("{low} to {high}").format(low=low, high=high)
