"""The standing proof's runs on several devices and with host memory, by the way they used them."""

from collections.abc import Sequence
from statistics import median
from typing import get_args

from ..inline import InlineHardware
from ..library.load import Library
from .ceiling import Ceiling, at_once
from .composition import Policy, policy_of_run
from .runs import MeasuredRun, MeasuredSet, Phase

PHASES: tuple[Phase, ...] = ("decode", "prefill", "serving")
CHARGES_LINK: frozenset[Policy] = frozenset(("tensor split", "experts divided"))


def composed_rows(
    measured: MeasuredSet, ceilings: dict[str, Ceiling], library: Library
) -> list[str]:
    """The section: shares by policy and phase, then every such run."""
    runs = {id_: measured.runs[id_] for id_ in ceilings if measured.runs[id_].is_composed}
    whole = {id_: run.tokens_per_s / at_once(run, library) for id_, run in runs.items()}
    sound = [run for run in runs.values() if not run.doubt]
    return [
        "## Several devices and host memory",
        "",
        f"{len(runs)} of these runs used several devices or the memory of a host; {len(sound)} of "
        "them are sound. Each is held against the ceiling of the way that its source states: a "
        "split by layers (the default of llama.cpp), a tensor split, experts in host memory. Where "
        "no way is stated, the loosest one counts: all devices as one, without a link. A link is "
        "charged only where the source names it or the device's own record settles it; where the "
        "host's memory is not stated, the run is left out. How a prompt was cut is not stated "
        "either, so prompts through layers or with host memory are held against all pools at once.",
        "",
        "`all at once` is the share of what all pools would reach as one machine without links, "
        "which no way of using them exceeds.",
        "",
        "| way | phase | runs | lowest | median | highest | all at once, median | highest |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
        *_statistics(sound, ceilings, whole),
        "",
        "| run | devices and host memory | way | link | model | weights | phase | batch | tokens | "
        "measured | ceiling | ratio | expected | limit | all at once |",
        "|---|---|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---|---:|",
        *(
            f"| {marked(run)} | {pools_words(run)} | {policy_of_run(run)} | {_link(run)} | "
            f"{conditions_and_rates(run, ceilings[id_])} | {whole[id_]:.3f} |"
            for id_, run in runs.items()
        ),
        "",
    ]


def marked(run: MeasuredRun) -> str:
    """The id of a run, with the mark of a doubtful one."""
    return f"{run.id} ?" if run.doubt else run.id


def conditions_and_rates(run: MeasuredRun, at: Ceiling) -> str:
    """The cells of a row: model, weights, phase, batch, tokens, both rates, ratios, limit."""
    tokens = f"{run.depth_tokens}"
    if run.phase == "prefill":
        tokens = f"{run.prompt_tokens}" + (f" at {run.depth_tokens}" if run.depth_tokens else "")
    elif run.phase == "serving":
        tokens = f"{run.prompt_tokens or '-'} + {run.generated_tokens or 0:g}"
    elif run.generated_tokens:
        tokens += f" + {run.generated_tokens:g}"
    weights = run.weights if at.exact else f"{run.weights} (size)"
    limit = at.limit if at.both_sides else f"({at.limit})"
    return (
        f"{run.model} | {weights} | {run.phase} | {run.batch or 'best'} | {tokens} | "
        f"{run.tokens_per_s:.{run.decimals}f} | {at.tokens_per_s:.4g} | {at.ratio:.3f} | "
        f"{at.expected_ratio:.3f} | {limit}"
    )


def pools_words(run: MeasuredRun) -> str:
    """The devices of a run and what memory of a host was used beside them."""
    parts = [(run.devices, run.machine)]
    parts += [(other.count or 1, other.id or "") for other in run.others]
    words = [id_ if count == 1 else f"{count} x {id_}" for count, id_ in parts]
    host = run.host_memory
    if isinstance(host, InlineHardware):
        words.append(f"{host.name} ({host.bandwidth_gb_per_s:g} GB/s)")
    elif host is not None:
        words.append(host)
    return " + ".join(words)


def _statistics(
    sound: Sequence[MeasuredRun], ceilings: dict[str, Ceiling], whole: dict[str, float]
) -> list[str]:
    lines = []
    for policy in get_args(Policy):
        for phase in PHASES:
            of = [run.id for run in sound if policy_of_run(run) == policy and run.phase == phase]
            if not of:
                continue
            ratios = [ceilings[id_].ratio for id_ in of]
            shares = [whole[id_] for id_ in of]
            lines.append(
                f"| {policy} | {phase} | {len(of)} | {min(ratios):.4f} | {median(ratios):.3f} | "
                f"{max(ratios):.3f} | {median(shares):.3f} | {max(shares):.3f} |"
            )
    return lines


def _link(run: MeasuredRun) -> str:
    if policy_of_run(run) not in CHARGES_LINK:
        return "-"
    return "not stated" if run.link is None else str(run.link)
