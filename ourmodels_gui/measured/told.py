"""Evidence and runs in words."""

from collections.abc import Iterator

from ..inline import InlineHardware
from ..language import mark, tr, trn
from ..units import ENGLISH, Separators, number, plain
from .composition import policy_of_run
from .evidence import Evidence, Scope
from .runs import MeasuredRun, MeasuredSet, Phase

WHY_SMALL = mark(
    "Prefill is held against the fastest arithmetic mode of the machine, whatever the run used, "
    "and a prompt in one shot: its shares are small."
)
BESIDE = mark("What others reached stands beside a ceiling; no ceiling is multiplied by it.")
WORDS = (
    *(mark("decode"), mark("prefill"), mark("serving")),
    *(mark("machine"), mark("model"), mark("weights"), mark("way"), mark("devices")),
    mark("class of machine"),
    *(mark("measured"), mark("ceiling"), mark("ratio"), mark("room"), mark("limit")),
    *(mark("memory"), mark("compute"), mark("link")),
    *(mark("devices and pools"), mark("estimate, expected routing")),
    mark("ratio to the estimate"),
    *(mark("machine unknown"), mark("machine not fully stated"), mark("model unknown")),
    *(mark("format unknown"), mark("format not stated"), mark("host memory not stated")),
    *(mark("split not stated"), mark("decoding not modelled")),
    *(mark("speculation"), mark("other weights"), mark("unread weights")),
    *(mark("other bandwidth"), mark("several devices"), mark("shared prefix")),
    *(mark("cached prefix"), mark("other arithmetic rate"), mark("does not fit")),
    *(mark("part in host memory"), mark("fewer sessions at once"), mark("clock held back")),
    *(mark("one device"), mark("layer split"), mark("tensor split"), mark("experts divided")),
    *(mark("host memory"), mark("experts in host memory")),
)
"""Words that code compares: of phases, what is alike, checks, causes, policies."""
SCOPES: dict[Scope, str] = {
    "this machine": mark("{phase}: {runs} runs on this machine"),
    "machines of this class": mark("{phase}: {runs} runs on {machines} machines of this class"),
    "machines of this kind": mark("{phase}: {runs} runs on {machines} machines of this kind"),
    "this composition": mark("{phase}: {runs} runs on this composition"),
    "compositions of such devices, used the same way": mark(
        "{phase}: {runs} runs on {machines} compositions of such devices, used the same way"
    ),
    "compositions used the same way": mark(
        "{phase}: {runs} runs on {machines} compositions used the same way"
    ),
}
"""Where the runs of some evidence were made."""


def evidence_words(found: Evidence | None, phase: Phase, write: Separators = ENGLISH) -> str:
    """What published runs reached, in a sentence."""
    if found is None:
        return tr("{phase}: too few published runs of its kind").format(phase=tr(phase))
    lower, median, upper = (_share(ratio, write) for ratio in found.quartiles)
    where = tr(SCOPES[found.scope]).format(
        phase=tr(phase), runs=number(found.runs, 0, write), machines=found.machines
    )
    words = tr(
        "{runs}; half of them reached {lower} to {upper} of the ceiling, the middle one {median}"
    )
    return words.format(runs=where, lower=lower, upper=upper, median=median)


def conditions_words(run: MeasuredRun, write: Separators = ENGLISH) -> str:
    """What a run says of its sessions and lengths, and the program.

    >>> from .runs import Said
    >>> run = MeasuredRun(id="", said=Said("", "", ""), phase="decode", tokens_per_s=9, batch=1,
    ...                   generated_tokens=128.0, engine="llama.cpp", source="")
    >>> conditions_words(run)
    '1 session, 128 generated, llama.cpp'
    """
    return ", ".join(_said(run, write))


def composed_words(run: MeasuredRun, write: Separators = ENGLISH) -> str:
    """How many devices a run had and in which way it used them, as far as its source states it.

    >>> from .runs import Said
    >>> run = MeasuredRun(id="", said=Said("", "", ""), phase="decode", tokens_per_s=9, devices=4,
    ...                   split="tensor", link="nvlink-4", source="")
    >>> composed_words(run)
    '4 devices, tensor split, link nvlink-4'
    """
    return ", ".join(_composed(run, write))


def source_words(run: MeasuredRun, measured: MeasuredSet) -> str:
    """Where a published run stands, with the day it was read."""
    source = measured.sources[run.source]
    title = f"{source.title}, {run.where}" if run.where else source.title
    words = tr("{title} ({place}, read {day})")
    return words.format(title=title, place=source.place, day=source.read)


def _said(run: MeasuredRun, write: Separators) -> Iterator[str]:
    if run.batch is not None:
        words = trn("{count} session", "{count} sessions", run.batch)
        yield words.format(count=number(run.batch, 0, write))
    if run.is_composed:
        yield composed_words(run, write)
    if run.prompt_tokens:
        yield tr("{count} prompt").format(count=number(run.prompt_tokens, 0, write))
    if run.generated_tokens:
        yield tr("{count} generated").format(count=number(run.generated_tokens, 0, write))
    if run.depth_tokens:
        yield tr("{count} cached before").format(count=number(run.depth_tokens, 0, write))
    if run.drafting is not None:
        yield tr("speculation")
    if run.cache:
        yield tr("cache {format}").format(format=run.cache)
    if run.engine:
        yield run.engine


def _composed(run: MeasuredRun, write: Separators) -> Iterator[str]:
    count = run.devices + sum(other.count or 1 for other in run.others)
    if count > 1:
        yield tr("{count} devices").format(count=number(count, 0, write))
    yield tr(policy_of_run(run))
    if isinstance(run.host_memory, InlineHardware):
        rate = plain(run.host_memory.bandwidth_gb_per_s, write)
        yield tr("host {rate} GB/s").format(rate=rate)
    if run.link is not None:
        link = run.link if isinstance(run.link, str) else f"{plain(run.link, write)} GB/s"
        yield tr("link {link}").format(link=link)


def _share(ratio: float, write: Separators) -> str:
    return f"{plain(round(100 * ratio, 1), write)} %"
