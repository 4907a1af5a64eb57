"""The ceiling of a measured run: the scenario that its source describes, and what it allows.

Every choice that the source leaves open is made so that the ceiling can only be higher: no runtime
overhead, the smallest cache the engine offers, the fastest arithmetic mode the device has for both
paths, a prompt in one shot, no cost for the links between devices.
"""

from typing import Any, Literal

import msgspec

from ..engine.capacity import capacity
from ..engine.decode import decode
from ..engine.prompt_costs import prompt_costs
from ..engine.setup import Routing, Setup
from ..engine.step import Step, aggregate_tokens_per_s, decode_step
from ..library.formats import NATIVE, file_bytes, tensors_bytes
from ..library.hardware import MachineEntry
from ..library.load import Library
from ..library.models import ModelRecord
from ..library.resolve import resolve
from ..scenario import (
    InlineHardware,
    ModelRef,
    PrefillChoice,
    Scenario,
    SpeculationChoice,
    WorkloadChoice,
    edited,
)
from .runs import MeasuredRun

GB = 1e9
FP16_CACHE = ("llama", "ollama", "mlx", "lmstudio", "mlc", "exllama", "ktransformers", "hipfire")
"""Engines whose cache is FP16 unless told otherwise; the others offer FP8, so FP8 is assumed."""
SIXTEEN_BIT = ("fp16_vector", "fp16_fp16acc", "fp16_fp32acc", "bf16_fp32acc")
FILE_WITHIN = 0.01
"""A file smaller than the rule of its format by more is another mix; its size then decides."""

FLOOR = {"workload.routing": "floor", "workload.floor_tokens_per_s": 0}
"""What makes a scenario's ceiling one that a run can be held against."""

Limit = Literal["memory", "compute"]


class Ceiling(msgspec.Struct, frozen=True):
    """What a run could have reached at most, and what it reached of it.

    tokens_per_s: under floor routing; expected_tokens_per_s: under expected routing.
    ratio, expected_ratio: measured over each. limit: the resource that binds under floor routing.
    both_sides: whether the arithmetic side is known; without it the memory side stands alone.
    rounding: how far the printed inputs may be off, relative. exact: whether every tensor's format
    is known; otherwise the sweep is scaled to the size of the file. fits: False where the stated
    setup does not fit into the memory.
    """

    tokens_per_s: float
    expected_tokens_per_s: float
    ratio: float
    expected_ratio: float
    limit: Limit
    both_sides: bool
    rounding: float
    exact: bool
    fits: bool

    @property
    def beaten(self) -> bool:
        """Whether the run lies above the ceiling by more than rounding explains."""
        return self.ratio > 1.0 + self.rounding


def ceiling(run: MeasuredRun, library: Library) -> Ceiling | None:
    """The ceiling of a run in its stated conditions; None where a part is not matched.

    Decode and serving: R / q at the stated batch, or at the best one that fits; prefill: the
    prompt in one shot. The larger of memory and compute time where the device's rates are known.

    References: formulation, "The bound the calculator uses" and "Combined ceiling and crossover".
    """
    if run.left_out or not (run.machine and run.model and run.weights):
        return None
    entry = library.machines[run.machine]
    return _ceiling(
        run,
        resolve(scenario_of(run, library), library),
        both_sides=fastest_mode(entry) is not None,
        rounding=rounding(run, entry),
        exact=not _scale(run, library.models[run.model].record),
    )


def ceiling_here(run: MeasuredRun, scenario: Scenario, library: Library) -> Ceiling | None:
    """The ceiling of a run on the machine and the model that a scenario writes out itself.

    The scenario holds for whatever the run leaves open, its contexts, chunks and modes included;
    None where nothing fits.
    """
    setup = resolve(edited(scenario, here(run) | FLOOR), library)
    modes = (*setup.linear_mode, *setup.attention_mode)
    return _ceiling(
        run,
        setup,
        both_sides=all(mode in setup.machine.compute_flop_per_s for mode in modes),
        rounding=0.5 * 10.0**-run.decimals / run.tokens_per_s,
        exact=True,
    )


def here(run: MeasuredRun) -> dict[str, Any]:
    """The changes to a scenario that give it what a run says of batch and lengths."""
    changes: dict[str, Any] = {}
    if run.phase == "prefill":
        changes["prefill.batch"] = run.batch or 1
        if run.prompt_tokens:
            changes["prefill.prompt_tokens"] = run.prompt_tokens
        if run.depth_tokens:
            changes["prefill.cached_prefix_tokens"] = run.depth_tokens
        return changes
    changes["workload.batch"] = run.batch or (1 if run.phase == "decode" else None)
    if says_context(run):
        read = read_context_tokens(run)
        changes["workload.read_context_fraction"] = None
        changes["workload.read_context_tokens"] = read
        changes["workload.reserved_context_tokens"] = max(read, 1)
    return changes


def says_context(run: MeasuredRun) -> bool:
    """Whether a run says anything of what was cached."""
    return bool(run.depth_tokens or run.prompt_tokens or run.generated_tokens)


def _ceiling(
    run: MeasuredRun, setup: Setup, *, both_sides: bool, rounding: float, exact: bool
) -> Ceiling | None:
    """A run in a setup of floor routing, and the same under expected routing."""
    floor = expected = _evaluated(setup, run)
    if setup.model.experts:
        workload = msgspec.structs.replace(setup.workload, routing="expected")
        expected = _evaluated(msgspec.structs.replace(setup, workload=workload), run)
    if floor is None or expected is None:
        return None
    return Ceiling(
        tokens_per_s=floor[0],
        expected_tokens_per_s=expected[0],
        ratio=run.tokens_per_s / floor[0],
        expected_ratio=run.tokens_per_s / expected[0],
        limit=floor[1],
        both_sides=both_sides,
        rounding=rounding,
        exact=exact,
        fits=floor[2],
    )


def scenario_of(run: MeasuredRun, library: Library, routing: Routing = "floor") -> Scenario:
    """The scenario that the source of a run describes.

    Read context of decode: the depth at the start plus half of what is generated, its mean over
    the run. Raises KeyError for a run whose ids are not in the library.
    """
    entry = library.machines[run.machine]
    read = read_context_tokens(run)
    prompt = run.prompt_tokens or 1
    reserved = max(read, 1, prompt + run.depth_tokens if run.phase == "prefill" else 1)
    mode = fastest_mode(entry)
    return Scenario(
        hardware=_hardware(run, entry),
        model=_model(run, library.models[run.model].record, reserved),
        workload=WorkloadChoice(
            reserved_context_tokens=reserved,
            read_context_tokens=read,
            floor_tokens_per_s=0.0,
            overhead_gb=0.0,
            cache_format=run.cache or _unstated_cache(run.engine),
            routing=routing,
            decode_ceiling="combined" if mode else "memory",
            batch=run.batch or (1 if run.phase == "decode" else None),
        ),
        speculation=_speculation(run),
        prefill=PrefillChoice(
            prompt_tokens=prompt,
            cached_prefix_tokens=run.depth_tokens if run.phase == "prefill" else None,
            linear_mode=mode,
            attention_mode=mode,
            batch=run.batch or 1,
        ),
    )


def step_of(run: MeasuredRun, library: Library) -> Step:
    """One decode iteration of a run under floor routing, with what speculation it declares."""
    setup = resolve(scenario_of(run, library), library)
    return decode_step(setup, setup.speculation)


def read_context_tokens(run: MeasuredRun) -> int:
    """L_read: what is cached at the start, and half of what is generated; 0 for what is unsaid."""
    start = run.depth_tokens
    if run.phase == "serving":
        start = max(start, run.prompt_tokens or 0)
    return int(start + (run.generated_tokens or 0.0) / 2)


def fastest_mode(entry: MachineEntry) -> str | None:
    """The arithmetic mode with the highest rate; None unless some 16-bit rate is known."""
    rates = entry.machine.compute_flop_per_s
    if not any(mode in rates for mode in SIXTEEN_BIT):
        return None
    return max(rates, key=lambda mode: rates[mode])


def rounding(run: MeasuredRun, entry: MachineEntry) -> float:
    """Half a unit of the last printed digit, relative: of the run's rate plus of the bandwidth.

    >>> round(0.5 * 10.0**-1 / 12.4 + 0.5 / 273, 5)  # a rate "12.4", a bandwidth "273"
    0.00586
    """
    own = entry.record.memory.bandwidth.value
    text = f"{own:.12g}"
    digits = len(text.partition(".")[2])
    return 0.5 * 10.0**-run.decimals / run.tokens_per_s + 0.5 * 10.0**-digits / own


def _evaluated(setup: Setup, run: MeasuredRun) -> tuple[float, Limit, bool] | None:
    """Tokens per second of all sessions, what limits them, and whether the setup fits.

    More sessions asked for than fit are served in turn, so the best batch that fits is the ceiling.
    """
    if run.phase == "prefill":
        return _prefill(setup)
    gate = capacity(setup)
    batch = setup.workload.batch
    if run.phase == "serving" and (batch is None or not gate.fits(batch)):
        free = msgspec.structs.replace(setup.workload, batch=None)
        batch = decode(msgspec.structs.replace(setup, prompt=None, workload=free)).best_batch
    if batch is None:
        return None
    step = decode_step(setup, setup.speculation)
    rate = float(aggregate_tokens_per_s(step, batch))
    memory = msgspec.structs.replace(step, combined=False)
    loose = float(aggregate_tokens_per_s(memory, batch))
    return rate, "compute" if loose > rate else "memory", gate.fits(batch)


def _prefill(setup: Setup) -> tuple[float, Limit, bool] | None:
    prompt = setup.prompt
    assert prompt is not None
    costs = prompt_costs(
        setup, prompt.prompt_tokens, prompt.chunk_tokens, prompt.cached_prefix_tokens
    )
    if costs.private_bytes is None:
        return None
    batch = prompt.batch or 1
    fits = capacity(setup).fits(batch)
    rate = float(costs.memory_tokens_per_s(batch))
    compute = float(costs.compute_tokens_per_s()) if costs.compute_s is not None else None
    if compute is not None and compute < rate:
        return compute, "compute", fits
    return rate, "memory", fits


def _hardware(run: MeasuredRun, entry: MachineEntry) -> str | InlineHardware:
    """One device, or several as one: all their memory, and the rates of all.

    A layer split runs one session at the speed of one device, however many there are.
    """
    if run.devices == 1:
        return entry.id
    alone = run.split == "layer" and run.phase == "decode" and run.batch in (None, 1)
    rates = 1 if alone else run.devices
    machine = entry.machine
    return InlineHardware(
        name=f"{run.devices} x {entry.name}",
        memory_gb=run.devices * machine.capacity_bytes / GB,
        bandwidth_gb_per_s=rates * machine.bandwidth_bytes_per_s / GB,
        kind=entry.kind,
        compute_tflop_per_s={
            mode: rates * rate / 1e12 for mode, rate in machine.compute_flop_per_s.items()
        },
    )


def _model(run: MeasuredRun, record: ModelRecord, reserved: int) -> ModelRef:
    """The catalog model; written out where the file's size decides, or past its context limit."""
    scale = _scale(run, record)
    limit = record.context_tokens
    longer = limit is not None and reserved > limit
    if not scale and not longer:
        return ModelRef(run.model, run.weights)
    changes: dict[str, Any] = {}
    weights = run.weights
    if longer:
        changes["context_tokens"] = reserved
    if scale:
        weights = NATIVE
        changes["tensors"] = tuple(
            msgspec.structs.replace(
                group, stored_bytes=scale * tensors_bytes(record, group, run.weights)
            )
            for group in record.tensors
        )
    written = msgspec.to_builtins(msgspec.structs.replace(record, **changes))
    return ModelRef(run.model, weights, record=written)


def _scale(run: MeasuredRun, record: ModelRecord) -> float:
    """Bytes of the stated file over those of the format's rule; 0 where the rule stands."""
    if run.file_gb is None:
        return 0.0
    share = run.file_gb * GB / file_bytes(record, run.weights)
    return share if run.sized or share < 1.0 - FILE_WITHIN else 0.0


def _unstated_cache(engine: str) -> str:
    said = engine.lower()
    known = any(name in said for name in FP16_CACHE)
    return "fp16" if known else "fp8"


def _speculation(run: MeasuredRun) -> SpeculationChoice | None:
    """Declared speculation with the model's own layers: rho = 1 + gamma * share accepted."""
    declared = run.drafting
    if declared is None or declared.kind != "mtp":
        return None
    if declared.draft_tokens is None or declared.acceptance is None:
        return None
    emitted = 1.0 + declared.draft_tokens * declared.acceptance
    return SpeculationChoice(declared.draft_tokens, emitted_tokens=emitted, draft="mtp")
