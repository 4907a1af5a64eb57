"""One measurement held against its ceiling: what it lacks, what it reached, what would explain it.

The ceiling is that of `ceiling.py`: floor routing, resource limits, everything that the measurement
leaves open chosen so that the ceiling can only be higher.
"""

from typing import Any

import msgspec

from ..language import mark, tr
from ..library.load import Library
from ..problem import BadInput
from ..scenario import PrefillChoice, Scenario
from ..units import ENGLISH, Separators, exact, plain, rate
from .ceiling import Ceiling, ceiling, ceiling_here
from .composition import policy_of_run
from .conditions import FLOOR, here, scenario_of
from .explain import LOW, Explanation, explanations
from .identify import identified, missing
from .log import subject, subject_of
from .runs import MeasuredRun
from .told import composed_words

ANSWERED_BY = {
    "machine unknown": "machine",
    "machine not fully stated": "machine",
    "model unknown": "model",
    "format unknown": "weights",
    "format not stated": "weights",
    "host memory not stated": "host_memory",
}
"""Reasons for having no ceiling that end when a person fills in that field."""
SAID = {
    "host memory not stated": mark(
        "part of the weights lies in host memory, and the text does not say how fast it is; choose "
        "a scenario of a device with its host's memory, then press From the scenario"
    ),
}
"""What a person is told instead of the bare reason."""


class Check(msgspec.Struct, frozen=True):
    """A run with catalog ids and its ceiling.

    missing: "machine", "model", "weights" that a person still has to say. refused: why there is no
    ceiling although nothing is missing. ceiling: None in both cases. causes: what would make the
    run consistent, for one above its ceiling or suspiciously far below it.
    """

    run: MeasuredRun
    missing: tuple[str, ...] = ()
    refused: str = ""
    ceiling: Ceiling | None = None
    causes: tuple[Explanation, ...] = ()


class Line(msgspec.Struct, frozen=True):
    """One figure of a check.

    label: in English, as `told.WORDS` has it. text: rounded, with its unit. exact: every digit.
    note: why it is so.

    role: "" for an ordinary line, "above" or "low" for a ratio that asks for an explanation,
    "cause" and "unlikely" for explanations.
    """

    label: str
    text: str
    exact: str = ""
    note: str = ""
    role: str = ""


def check(
    run: MeasuredRun,
    library: Library,
    answers: dict[str, Any] | None = None,
    scenario: Scenario | None = None,
) -> Check:
    """Hold a run against its ceiling.

    Parameters: run, as pasted or typed; library; answers, fields of the run that a person filled
    in, which win over what the text says; scenario, whose machine and model are those of a run
    without ids that names them.
    """
    run = msgspec.structs.replace(run, **(answers or {}))
    alone = not (run.machine and run.model)
    if scenario is not None and alone and subject_of(run) == subject(scenario, library):
        return _check_here(run, scenario, library)
    found = identified(run, library)
    lacking = missing(found)
    asked = ANSWERED_BY.get(found.left_out)
    if asked is not None and getattr(found, asked):
        found = msgspec.structs.replace(found, left_out="")
    if lacking:
        return Check(found, lacking, "" if asked else tr(found.left_out))
    if found.left_out:
        return Check(found, refused=tr(SAID.get(found.left_out, found.left_out)))
    for kind, id_, known, words in (
        ("machine", found.machine, library.machines, tr("there is no machine “{id}” any more")),
        ("model", found.model, library.models, tr("there is no model “{id}” any more")),
    ):
        if id_ not in known:
            return Check(found, (kind,), words.format(id=id_))
    try:
        limit = ceiling(found, library)
    except BadInput as bad:
        return Check(found, refused=str(bad.problem))
    if limit is None:
        return Check(found, refused=tr("nothing fits, so there is no ceiling"))
    return Check(found, ceiling=limit, causes=explanations(found, limit, library))


def _check_here(run: MeasuredRun, scenario: Scenario, library: Library) -> Check:
    try:
        limit = ceiling_here(run, scenario, library)
    except BadInput as bad:
        return Check(run, refused=str(bad.problem))
    refused = "" if limit else tr("nothing fits, so there is no ceiling")
    return Check(run, refused=refused, ceiling=limit)


def lines(checked: Check, write: Separators = ENGLISH) -> tuple[Line, ...]:
    """The check as rows of words: measured, ceiling, ratio, room, limit, and explanations.

    References: formulation, "A sanity check against a real run".
    """
    run, limit = checked.run, checked.ceiling
    measured = _rate("measured", run.tokens_per_s, write)
    if limit is None:
        return (measured,)
    found = [measured]
    if run.is_composed:
        found.append(Line("devices and pools", composed_words(run, write), note=_how(run)))
    found += [
        _rate(
            "ceiling",
            limit.tokens_per_s,
            write,
            tr("floor routing, resource limits; what is not stated counts in its favour"),
        ),
    ]
    if limit.expected_tokens_per_s != limit.tokens_per_s:
        words = tr("an average over independent sessions, so a run may lie above it")
        found.append(_rate("estimate, expected routing", limit.expected_tokens_per_s, write, words))
        share = plain(round(100 * limit.expected_ratio, 1), write)
        found.append(Line("ratio to the estimate", f"{share} %", exact(limit.expected_ratio)))
    room = limit.tokens_per_s - run.tokens_per_s
    found += [
        _ratio(limit, run, write),
        Line(
            "room",
            tr("{room} tok/s, {times} times").format(
                room=rate(room, write), times=plain(round(1 / limit.ratio, 2), write)
            )
            if room > 0
            else tr("none"),
            exact(room),
        ),
        Line(
            "limit",
            tr(limit.limit),
            note="" if limit.both_sides else tr("arithmetic rates are unknown"),
        ),
    ]
    if not limit.fits:
        found.append(Line("memory", tr("the stated setup does not fit into it")))
    if not limit.exact:
        note = tr("its mix of formats has no rule, so the sweep is scaled to the size of the file")
        found.append(Line("weights", tr("scaled to the file"), note=note))
    found += [
        Line(
            cause.cause,
            cause.text if cause.possible else tr("{cause}: cannot be").format(cause=cause.text),
            exact(cause.needed) if cause.needed < 1e300 else "",
            cause.unit,
            "cause" if cause.possible else "unlikely",
        )
        for cause in checked.causes
    ]
    return tuple(found)


def _how(run: MeasuredRun) -> str:
    """What follows from how several devices and pools were used, or from what is not said of it."""
    policy = policy_of_run(run)
    if policy == "split not stated":
        return tr(
            "how the model was split is not said, so they count as one machine without a link"
        )
    if policy == "layer split":
        return tr("one session runs at one device's speed")
    if run.host_memory is not None:
        return tr("one pool at a time") if run.pools == "sequential" else tr("all pools at once")
    return "" if run.link is not None else tr("the link is not stated, so it costs nothing")


def _ratio(limit: Ceiling, run: MeasuredRun, write: Separators) -> Line:
    share = plain(round(100 * limit.ratio, 1), write)
    text = tr("{share} % of the ceiling").format(share=share)
    role, note = "", ""
    if limit.beaten:
        role, note = "above", tr("above its ceiling: one of these figures would explain it")
    elif limit.ratio > 1:
        note = tr("above by less than the rounding of its inputs")
    elif run.phase == "prefill":
        note = tr(
            "the ceiling takes the fastest arithmetic mode of the machine, so shares are small"
        )
    elif limit.ratio < LOW and run.phase == "decode":
        role, note = "low", tr("far below: one of these figures would explain it")
    return Line("ratio", text, exact(limit.ratio), note, role)


def _rate(label: str, value: float, write: Separators, note: str = "") -> Line:
    return Line(label, f"{rate(value, write)} tok/s", exact(value), note)


def conditions(run: MeasuredRun, library: Library, scenario: Scenario) -> dict[str, Any]:
    """The changes to a scenario that give it the conditions of a run, and so its ceiling.

    The prompt stays as it is where the run says nothing of one. For a run without catalog ids only
    the batch, the lengths, the routing and the floor change.
    """
    if not (run.machine and run.model and run.weights):
        return here(run) | FLOOR
    stated = scenario_of(run, library)
    prompt = stated.prefill
    assert prompt is not None
    if run.phase != "prefill":
        before = scenario.prefill or PrefillChoice()
        length = run.prompt_tokens or before.prompt_tokens
        prompt = PrefillChoice(
            prompt_tokens=length,
            linear_mode=prompt.linear_mode,
            attention_mode=prompt.attention_mode,
        )
    return {
        "hardware": stated.hardware,
        "model": stated.model,
        "workload": stated.workload,
        "speculation": stated.speculation,
        "prefill": prompt,
    }
