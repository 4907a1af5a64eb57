"""The ceiling of a measured run: what the conditions that its source states allow."""

from typing import Literal

import msgspec
import numpy as np

from ..engine.capacity import capacity
from ..engine.decode import decode
from ..engine.placement import prompt_policy
from ..engine.placement.choose import policies
from ..engine.placement.policy import Policy
from ..engine.prompt_policy import PromptPolicy
from ..engine.setup import Setup
from ..engine.step import Step, aggregate_tokens_per_s, decode_step, step_bytes
from ..library.hardware import MachineEntry
from ..library.load import Library
from ..library.resolve import resolve
from ..scenario import Scenario, edited
from .conditions import FLOOR, file_scale, here, scenario_of
from .runs import MeasuredRun

Limit = Literal["memory", "compute", "link"]


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


class Reach(msgspec.Struct, frozen=True):
    """Tokens per second of all sessions, what limits them, and whether the setup fits."""

    tokens_per_s: float
    limit: Limit
    fits: bool


def ceiling(run: MeasuredRun, library: Library) -> Ceiling | None:
    """The ceiling of a run in its stated conditions; None where a part is not matched.

    Decode and serving: R / q at the stated batch, or at the best one that fits; prefill: the
    prompt in one shot. The larger of memory and compute time where the device's rates are known.
    Several devices and pools: under the policy that is stated, or else the loosest one.

    References: formulation, "The bound the calculator uses" and "Combined ceiling and crossover";
    `docs/compositions.md`.
    """
    if run.left_out or not (run.machine and run.model and run.weights):
        return None
    return _ceiling(
        run,
        setup_of(run, library),
        rounding=rounding(run, library.machines[run.machine]),
        exact=not file_scale(run, library.models[run.model].record),
    )


def ceiling_here(run: MeasuredRun, scenario: Scenario, library: Library) -> Ceiling | None:
    """The ceiling of a run on the machine and the model that a scenario writes out itself.

    The scenario holds for whatever the run leaves open, its contexts, chunks and modes included;
    None where nothing fits.
    """
    setup = resolve(edited(scenario, here(run) | FLOOR), library)
    return _ceiling(run, setup, rounding=0.5 * 10.0**-run.decimals / run.tokens_per_s, exact=True)


def at_once(run: MeasuredRun, library: Library) -> float:
    """Tokens per second of a run's devices and pools as one machine without links.

    No way of using them exceeds it: C = sum C_i, R = sum R_i. Raises KeyError as `scenario_of`.
    """
    whole = msgspec.structs.replace(setup_of(run, library), composition=None)
    found = _reach(whole, run)
    return 0.0 if found is None else found.tokens_per_s


def setup_of(run: MeasuredRun, library: Library) -> Setup:
    """The setup that the source of a run describes, under floor routing."""
    return resolve(scenario_of(run, library), library)


def step_of(run: MeasuredRun, library: Library) -> Step:
    """One decode iteration of a run under floor routing, with what speculation it declares.

    bandwidth_bytes_per_s: of several pools the rate at which the stated policy moves its bytes.
    """
    setup = setup_of(run, library)
    step = decode_step(setup, setup.speculation)
    if setup.composition is None:
        return step
    batch = float(run.batch or 1)
    many = np.array([batch])
    memory = policies(setup)[0].limits(many)[0].per_session_tokens_per_s
    moved = step_bytes(step, many) / step.emitted_tokens
    return msgspec.structs.replace(step, bandwidth_bytes_per_s=float((moved * memory)[0]))


def rounding(run: MeasuredRun, entry: MachineEntry) -> float:
    """Half a unit of the last printed digit, relative: of the run's rate plus of the bandwidth.

    >>> round(0.5 * 10.0**-1 / 12.4 + 0.5 / 273, 5)  # a rate "12.4", a bandwidth "273"
    0.00586
    """
    own = entry.record.memory.bandwidth.value
    text = f"{own:.12g}"
    digits = len(text.partition(".")[2])
    return 0.5 * 10.0**-run.decimals / run.tokens_per_s + 0.5 * 10.0**-digits / own


def _ceiling(run: MeasuredRun, setup: Setup, *, rounding: float, exact: bool) -> Ceiling | None:
    """A run in a setup of floor routing, and the same under expected routing."""
    floor = expected = _reach(setup, run)
    if setup.model.experts:
        workload = msgspec.structs.replace(setup.workload, routing="expected")
        expected = _reach(msgspec.structs.replace(setup, workload=workload), run)
    if floor is None or expected is None:
        return None
    modes = (*setup.linear_mode, *setup.attention_mode)
    return Ceiling(
        tokens_per_s=floor.tokens_per_s,
        expected_tokens_per_s=expected.tokens_per_s,
        ratio=run.tokens_per_s / floor.tokens_per_s,
        expected_ratio=run.tokens_per_s / expected.tokens_per_s,
        limit=floor.limit,
        both_sides=all(mode in setup.machine.compute_flop_per_s for mode in modes),
        rounding=rounding,
        exact=exact,
        fits=floor.fits,
    )


def _reach(setup: Setup, run: MeasuredRun) -> Reach | None:
    """What a setup allows a run; None where nothing fits.

    More sessions asked for than fit are served in turn, so the best batch that fits is the ceiling.
    """
    if run.phase == "prefill":
        return _prefill(setup)
    if setup.composition is not None:
        return _best_way(setup, run)
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
    return Reach(rate, "compute" if loose > rate else "memory", gate.fits(batch))


def _best_way(setup: Setup, run: MeasuredRun) -> Reach | None:
    """The policy that a run states: the first, or of two ways to divide experts the better one."""
    composition = setup.composition
    assert composition is not None
    ways = policies(setup)
    if composition.split != "experts" or composition.host is not None:
        ways = ways[:1]
    found = [reach for way in ways if (reach := _under(way, run)) is not None]
    return max(found, key=lambda reach: reach.tokens_per_s, default=None)


def _under(way: Policy, run: MeasuredRun) -> Reach | None:
    batch = way.setup.workload.batch
    if run.phase == "serving" or batch is None:
        memory = way.memory_batch()
        most = memory if batch is None else min(batch, memory)
        if most < 1:
            return None
        batch = way.best_batch(most)
    fits = way.spare_bytes(batch) >= 0
    if not fits and not way.beyond:
        return None
    rate = batch * float(way.per_session(np.array([float(batch)]))[0])
    return Reach(rate, way.binding(batch).resource, fits)


def _prefill(setup: Setup) -> Reach | None:
    """A prompt in one shot.

    Matrices or experts divided: with the link, whatever the chunks. Through layers or two pools the
    chunks decide, and no source states them: all pools count as one, which no chunks exceed.
    """
    prompt, composition = setup.prompt, setup.composition
    assert prompt is not None
    way = PromptPolicy(setup)
    if composition is not None and composition.split != "layers" and composition.host is None:
        way = prompt_policy(setup)
    costs = way.costs(prompt.prompt_tokens, prompt.chunk_tokens, prompt.cached_prefix_tokens)
    if costs.private_bytes is None:
        return None
    batch = prompt.batch or 1
    rates: dict[Limit, float] = {"memory": float(costs.memory_tokens_per_s(batch))}
    if costs.compute_s is not None:
        rates["compute"] = float(costs.compute_tokens_per_s(batch))
    if costs.link_s is not None:
        rates["link"] = float(costs.tokens / costs.link_s)
    least = min(rates, key=lambda limit: rates[limit])
    return Reach(rates[least], least, capacity(setup).fits(batch))
