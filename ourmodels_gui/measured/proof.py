"""The standing proof: every published run beside its ceiling, as a page."""

from collections import Counter

from ..library.formats import file_bytes
from ..library.load import Library
from .ceiling import Ceiling, ceiling
from .comparisons import Comparison
from .composed_proof import composed_rows, conditions_and_rates, marked
from .explain import explanations
from .implied import bits_per_parameter, bits_said, experts_left, unread_share
from .runs import MeasuredRun, MeasuredSet

Held = dict[str, Ceiling]


def held(measured: MeasuredSet, library: Library) -> Held:
    """The ceilings of all runs that can have one, by the run's id."""
    found = ((run.id, ceiling(run, library)) for run in measured.runs.values())
    return {id_: limit for id_, limit in found if limit is not None}


def beaten(measured: MeasuredSet, ceilings: Held) -> tuple[MeasuredRun, ...]:
    """Sound runs above their ceiling by more than rounding: each one a defect of the program."""
    runs = measured.runs
    return tuple(runs[id_] for id_, at in ceilings.items() if at.beaten and not runs[id_].doubt)


def suspicion(run: MeasuredRun, found: Ceiling | None, library: Library) -> str:
    """Why a doubtful run is what it is, with the arithmetic that its conditions allow."""
    parts = [run.doubt]
    record = library.models[run.model].record if run.model else None
    if record is not None and "per-layer" in run.doubt:
        share = unread_share(record)
        parts.append(f"{share:.0%} of the parameters are tables that no step reads")
        if run.file_gb is not None:
            swept = run.file_gb * (1 - share)
            parts.append(
                f"{run.file_gb:g} GB in the file, about {swept:.2f} GB a token: "
                f"{swept * run.tokens_per_s:.0f} GB/s instead of "
                f"{run.file_gb * run.tokens_per_s:.0f}"
            )
    if found is None:
        bits, said = bits_per_parameter(run, library), bits_said(run.said.weights)
        if bits is not None and said is not None:
            parts.append(
                f"one pass a token could read {bits:.2f} bits a parameter; the name says {said:g}"
            )
            if said > bits:
                parts.append(f"so an iteration emits at least {said / bits:.2f} tokens")
        parts.append(f"no ceiling: {run.left_out}")
        return "; ".join(parts)
    parts.append(f"ratio {found.ratio:.3f}")
    drafting = run.drafting
    if drafting is not None and drafting.draft_tokens is not None:
        if drafting.acceptance is not None:
            emitted = 1 + drafting.draft_tokens * drafting.acceptance
            parts.append(
                f"against a ceiling with 1 + {drafting.draft_tokens} x {drafting.acceptance:g} = "
                f"{emitted:.2f} tokens emitted by each iteration"
            )
        else:
            parts.append(
                f"of a ceiling without speculation; {drafting.draft_tokens} tokens are drafted, so "
                f"it may be up to {drafting.draft_tokens + 1} times as high"
            )
    if not found.fits:
        parts.append("the weights as stated do not fit into the memory")
    elif "larger than the memory" in run.doubt and record is not None:
        size = file_bytes(record, run.weights) / 1e9
        parts.append(f"held as {run.weights} they are {size:.1f} GB and fit")
    if not found.beaten and drafting is not None:
        return "; ".join(parts)
    possible = [cause for cause in explanations(run, found, library) if cause.possible]
    parts += [cause.text for cause in possible[:3]]
    return "; ".join(parts)


def page(
    measured: MeasuredSet,
    library: Library,
    ceilings: Held,
    compared: tuple[Comparison, ...] = (),
) -> str:
    """The proof as Markdown, the same for the same catalog."""
    runs = measured.runs
    above = beaten(measured, ceilings)
    sound = {id_: at for id_, at in ceilings.items() if not runs[id_].doubt}
    left = Counter(run.left_out for run in runs.values() if run.id not in ceilings)
    lines = [
        "# Published runs against their ceilings",
        "",
        "Written by `make proof`; the tests fail when it is not current.",
        "",
        f"Of {len(runs)} published runs {len(ceilings)} have a machine, a model and a weight "
        "format in the catalog. Each is computed in the conditions that its source states, under "
        "floor routing and resource limits; what a source leaves open is chosen so that the "
        "ceiling can only be higher (no runtime overhead, the fastest arithmetic mode, one-shot "
        "prompts, links without limit, pools that work at once).",
        "",
        f"**{len(sound)} of them are sound, and {len(above)} of these "
        f"{'lies' if len(above) == 1 else 'lie'} above the ceiling.** The highest share is "
        f"{max(at.ratio for at in sound.values()):.3f}.",
        "",
        *_by_phase(measured, sound),
        *composed_rows(measured, ceilings, library),
        "## Above the estimate of expected routing",
        "",
        "Expected routing is an average over independent sessions; correlated routing reads fewer "
        "experts, so a run may lie above it.",
        "",
        *_expected(measured, sound, library),
        "## Two comparisons of the formulation",
        "",
        "Reported runs beside the estimates of its simplified adapters.",
        "",
        "| run | reported tok/s | estimate | ratio |",
        "|---|---:|---:|---:|",
        *map(_comparison, compared),
        "",
        "## Doubtful runs",
        "",
        *(
            f"- `{run.id}` {run.said.machine}, {run.said.model}, {run.said.weights}, {run.phase}, "
            f"{run.tokens_per_s:g} tok/s: {suspicion(run, ceilings.get(run.id), library)}."
            for run in runs.values()
            if run.doubt
        ),
        "",
        "## Left out",
        "",
        "| reason | runs |",
        "|---|---:|",
        *(f"| {reason} | {count} |" for reason, count in sorted(left.items())),
        f"| together | {sum(left.values())} |",
        "",
        *(
            f"- {reason}: "
            + ", ".join(f"`{run.id}`" for run in runs.values() if run.left_out == reason)
            + "."
            for reason in sorted(left)
        ),
        "",
        "## Every run on one device",
        "",
        "Context is what is cached at the start plus half of what is generated. `size` marks runs "
        "whose weights are a publisher's own mix: the sweep is the nearest rule, scaled to the "
        "stated size of the file. `memory` in parentheses: the device's arithmetic rates are not "
        "known, so the memory side stands alone. Runs marked `?` are doubtful.",
        "",
        "| run | machine | model | weights | phase | batch | tokens | measured | ceiling | ratio | "
        "expected | limit |",
        "|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---|",
        *(_row(runs[id_], at) for id_, at in ceilings.items() if not runs[id_].is_composed),
        "",
    ]
    return "\n".join(lines)


def _by_phase(measured: MeasuredSet, sound: Held) -> list[str]:
    lines = ["| phase | runs | lowest | median | highest |", "|---|---:|---:|---:|---:|"]
    for phase in ("decode", "prefill", "serving"):
        ratios = sorted(at.ratio for id_, at in sound.items() if measured.runs[id_].phase == phase)
        middle = ratios[len(ratios) // 2]
        lines.append(
            f"| {phase} | {len(ratios)} | {ratios[0]:.4f} | {middle:.3f} | {ratios[-1]:.3f} |"
        )
    return [*lines, ""]


def _expected(measured: MeasuredSet, sound: Held, library: Library) -> list[str]:
    over = {id_: at for id_, at in sound.items() if at.expected_ratio > 1 + at.rounding}
    if not over:
        highest = max(sound, key=lambda id_: sound[id_].expected_ratio)
        ratio = sound[highest].expected_ratio
        return [f"None here; the highest is `{highest}` with {ratio:.3f}.", ""]
    lines = []
    for id_, at in over.items():
        run = measured.runs[id_]
        touched, routed, mean = experts_left(run, library)
        lines.append(
            f"- `{id_}` {run.model}, {run.batch} sessions: {at.expected_ratio:.3f}. It is "
            f"consistent where an iteration touches at most {touched:.1f} of the {routed} experts "
            f"of a layer; independent routing touches {mean:.1f}."
        )
    return [*lines, ""]


def _comparison(found: Comparison) -> str:
    low, high = found.lowest_tokens_per_s, found.highest_tokens_per_s
    share, most = found.ratios
    reported = f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    ratio = f"{share:.1%}" if low == high else f"{share:.1%} to {most:.1%}"
    return f"| {found.what} | {reported} | {found.estimate_tokens_per_s:,.0f} | {ratio} |"


def _row(run: MeasuredRun, at: Ceiling) -> str:
    return f"| {marked(run)} | {run.machine} | {conditions_and_rates(run, at)} |"
