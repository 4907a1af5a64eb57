"""What the engine says, in the language of the window.

The engine knows no language: its words are English, verdicts that code compares among them. Here
they are marked for translation, those with values in them as templates.

>>> spoken("memory side: the attention layers unknown"), spoken("serves")
('memory side: the attention layers unknown', 'serves')
"""

import re
from functools import cache

from .language import mark, signed, tr
from .units import ENGLISH, Separators

WORDS = (
    mark("model does not fit"),
    mark("no session fits"),
    mark("fits, but no batch satisfies the floor"),
    mark("serves"),
    mark("no prompt fits"),
    mark("the batch does not fit"),
    mark("no setting meets the budget"),
    mark("no batch serves"),
    mark("bound"),
    mark("estimate"),
    mark("policy ceiling"),
    mark("memory"),
    mark("compute"),
    mark("link"),
    mark("prompt"),
    mark("cached prefix and prompt"),
    mark("memory side"),
    mark("compute side"),
    mark("between devices"),
    mark("all pools"),
    mark("one pool at a time"),
    mark("all pools at once"),
    mark("host memory streamed to the devices"),
    mark("tensor split, cache divided over all devices"),
    mark("tensor split, cache divided by heads"),
    mark("experts divided, attention tensor-split"),
    mark("experts divided, attention on every device"),
    mark("layer split, as many groups of sessions as is best"),
    mark("layer split, one device at a time"),
    mark("the active linear parameters"),
    mark("the attention layers"),
    mark("the bytes of cache written per token"),
    mark("the cache read at the start of each chunk (the cache is typed as totals)"),
    mark("speculation never loses: an iteration moves no more than a plain step"),
    mark(
        "Expected expert routing: the experts that a batch touches are an average, not a minimum; "
        "floor routing gives the guaranteed ceiling."
    ),
    mark("Measured bandwidth: a sustained figure, not the limit of the hardware."),
    mark(
        "Experts are placed as if all were routed to alike; placing the most used ones in the "
        "faster pool could do better."
    ),
    mark("What the devices send each other is unknown for this model, so the link is not charged."),
)
TEMPLATES = (
    mark(
        "Fits after raising the memory limit: one session needs {needed}, and the system gives the "
        "accelerator {share} until the limit is raised."
    ),
    mark(
        "Fits after raising the memory limit: {sessions} sessions need {needed}, and the system "
        "gives the accelerator {share} until the limit is raised."
    ),
    mark("up to {size} GB"),
    mark("above {size} GB"),
    mark("The compute rate of {device} is unknown, so the arithmetic there is not charged."),
    mark("which layers see only the last {tokens} tokens"),
    mark("MLX {bits}-bit, groups of {group}"),
    mark("compute rate F_hw({mode})"),
    mark("layer split, {count} groups"),
    mark("the machine's rate in {mode}"),
    mark("the rate of {pool} in {mode}"),
    mark("{side}: {missing} unknown"),
    mark("the reservation of {reserved} tokens is too small for {held} of {what}"),
    mark(
        "speculation never gains: it would have to emit {needed} tokens per iteration and can emit "
        "{most} at most"
    ),
    mark("Measured compute rate ({modes}): a sustained figure, not the limit of the hardware."),
    mark("The combined ceiling needs {missing}; these figures are the memory side alone."),
    mark("At batch {batch} arithmetic is the limit: more sessions share the same aggregate."),
    mark(
        "At batch {batch} arithmetic takes longer than memory traffic: compute must be added "
        "before the aggregate is believed."
    ),
    mark(
        "At batch {batch} the sessions' own reads are less than the weights': almost nothing grows "
        "with the batch, so compute, kernels and scheduling must be added before the aggregate is "
        "believed."
    ),
    mark("The compute rate of {pools} is unknown, so the arithmetic there is not charged."),
    mark(
        "A policy ceiling ({policy}): it holds for runtimes that work this way, and another way "
        "may pass it."
    ),
)


def spoken(text: str, separators: Separators = ENGLISH) -> str:
    """A text of the engine, its numbers with these separators; any other as `tr` has it."""
    found = _known(text, separators)
    return tr(text) if found is None else found


def _known(text: str, separators: Separators) -> str | None:
    if text in WORDS:
        return tr(text)
    if "; " in text and not text.endswith("."):
        return "; ".join(spoken(part, separators) for part in text.split("; "))
    for template, pattern in _patterns():
        if found := pattern.fullmatch(text):
            values = {name: _value(value, separators) for name, value in found.groupdict().items()}
            return tr(template).format(**values)
    return None


def _value(text: str, separators: Separators) -> str:
    """A number or a size, or a list of texts."""
    if re.fullmatch(r"[\d,]+(\.\d+)?( [kMGT]?B)?", text):
        return signed(text, separators)
    if text in WORDS:
        return tr(text)
    return ", ".join(_known(part, separators) or part for part in text.split(", "))


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for template in TEMPLATES:
        parts = re.split(r"\{(\w+)\}", template)
        written = (f"(?P<{part}>.+)" if n % 2 else re.escape(part) for n, part in enumerate(parts))
        found.append((template, re.compile("".join(written))))
    return tuple(found)
