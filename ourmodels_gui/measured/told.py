"""Evidence and runs in words."""

from collections.abc import Iterator

from ..inline import InlineHardware
from ..units import ENGLISH, Separators, number, plain
from .composition import policy_of_run
from .evidence import Evidence
from .runs import MeasuredRun, MeasuredSet, Phase

WHY_SMALL = (
    "Prefill is held against the fastest arithmetic mode of the machine, whatever the run used, "
    "and a prompt in one shot: its shares are small."
)
BESIDE = "What others reached stands beside a ceiling; no ceiling is multiplied by it."


def evidence_words(found: Evidence | None, phase: Phase, write: Separators = ENGLISH) -> str:
    """What published runs reached, in a sentence."""
    if found is None:
        return f"{phase}: too few published runs of its kind"
    lower, median, upper = (_share(ratio, write) for ratio in found.quartiles)
    where = f"{found.machines} {found.scope}" if found.machines > 1 else str(found.scope)
    return (
        f"{phase}: {number(found.runs, 0, write)} runs on {where}; half of them reached {lower} to "
        f"{upper} of the ceiling, the middle one {median}"
    )


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
    where = f", {run.where}" if run.where else ""
    return f"{source.title}{where} ({source.place}, read {source.read})"


def _said(run: MeasuredRun, write: Separators) -> Iterator[str]:
    if run.batch is not None:
        yield f"{number(run.batch, 0, write)} session{'' if run.batch == 1 else 's'}"
    if run.is_composed:
        yield composed_words(run, write)
    if run.prompt_tokens:
        yield f"{number(run.prompt_tokens, 0, write)} prompt"
    if run.generated_tokens:
        yield f"{number(run.generated_tokens, 0, write)} generated"
    if run.depth_tokens:
        yield f"{number(run.depth_tokens, 0, write)} cached before"
    if run.drafting is not None:
        yield "speculation"
    if run.cache:
        yield f"cache {run.cache}"
    if run.engine:
        yield run.engine


def _composed(run: MeasuredRun, write: Separators) -> Iterator[str]:
    count = run.devices + sum(other.count or 1 for other in run.others)
    if count > 1:
        yield f"{number(count, 0, write)} devices"
    yield policy_of_run(run)
    if isinstance(run.host_memory, InlineHardware):
        yield f"host {plain(run.host_memory.bandwidth_gb_per_s, write)} GB/s"
    if run.link is not None:
        yield f"link {run.link}" if isinstance(run.link, str) else f"link {run.link:g} GB/s"


def _share(ratio: float, write: Separators) -> str:
    return f"{plain(round(100 * ratio, 1), write)} %"
