"""What would make a measured run consistent with its ceiling, each cause with its figure.

A cause is named only with the number that it would need, so that a person can say whether that is
possible: "3.6 tokens emitted by each iteration", "1.1 bits a parameter". None of them is a verdict.
"""

import math
from typing import Literal

import msgspec

from ..engine.step import Step, shared_bytes
from ..language import tr
from ..library.load import Library
from .ceiling import Ceiling, setup_of, step_of
from .implied import multiplied_parameters
from .runs import MeasuredRun

LOW = 0.3
"""Below this share of its ceiling a decode run at batch 1 asks for a reason."""
HOST_BYTES_PER_S = 89.6e9
"""Two channels of DDR5-5600: what weights left in a desktop's memory are read at."""

Cause = Literal[
    "speculation",
    "other weights",
    "unread weights",
    "other bandwidth",
    "several devices",
    "shared prefix",
    "cached prefix",
    "other arithmetic rate",
    "does not fit",
    "part in host memory",
    "fewer sessions at once",
    "clock held back",
]


class Explanation(msgspec.Struct, frozen=True):
    """A cause with what it would need.

    needed: the figure, in `unit`. text: a sentence with the arithmetic. possible: False where the
    figure cannot be (more tokens than were drafted, less than no bytes).
    """

    cause: Cause
    needed: float
    unit: str
    text: str
    possible: bool = True


def explanations(run: MeasuredRun, found: Ceiling, library: Library) -> tuple[Explanation, ...]:
    """Causes for a run above its ceiling, or suspiciously far below it; none for an ordinary one.

    Parameters: run; found, its ceiling; library that holds its ids.
    References: formulation, "Speculative decoding" (tokens emitted), "Omitted rooflines".
    """
    if found.beaten:
        return _above_prefill(run, found) if run.phase == "prefill" else _above(run, found, library)
    if found.ratio < LOW and run.phase == "decode":
        return _below(run, found, library)
    return ()


def _above(run: MeasuredRun, found: Ceiling, library: Library) -> tuple[Explanation, ...]:
    step = step_of(run, library)
    batch = run.batch or 1
    shared = float(shared_bytes(step, batch))
    left = batch * (step.emitted_tokens * step.bandwidth_bytes_per_s / run.tokens_per_s)
    weights = left - batch * step.private_bytes
    multiplied = multiplied_parameters(library.models[run.model].record)
    causes = [_speculation(run, step, found)]
    bits, stored = 8 * weights / multiplied, 8 * shared / multiplied
    causes.append(
        Explanation(
            "other weights",
            bits,
            "bits per parameter",
            tr("{bits:.2f} bits a parameter instead of {stored:.2f}").format(
                bits=bits, stored=stored
            ),
            bits > 0,
        )
    )
    unread = shared - weights
    causes.append(
        Explanation(
            "unread weights",
            unread,
            "bytes",
            tr(
                "{unread:.3f} of the {shared:.3f} GB swept are not read from memory: a table that "
                "is looked up, or what stays in the cache of the device"
            ).format(unread=unread / 1e9, shared=shared / 1e9),
            unread < shared,
        )
    )
    causes.append(
        Explanation(
            "other bandwidth",
            found.ratio * step.bandwidth_bytes_per_s,
            "bytes/s",
            tr("{needed:.0f} GB/s instead of {stated:.0f}").format(
                needed=found.ratio * step.bandwidth_bytes_per_s / 1e9,
                stated=step.bandwidth_bytes_per_s / 1e9,
            ),
        )
    )
    if not run.uses_host:
        causes.append(_devices(run, found))
    if batch > 1 and step.private_bytes:
        share = 1 - (left - shared) / (batch * step.private_bytes)
        causes.append(
            Explanation(
                "shared prefix",
                share,
                "share of the context",
                tr("{share:.0%} of each session's context is read once for all of them").format(
                    share=share
                ),
                0 <= share <= 1,
            )
        )
    return tuple(causes)


def _devices(run: MeasuredRun, found: Ceiling) -> Explanation:
    """More devices; of a split by layers with one session, more of them at work at once."""
    if run.split == "layers" and (run.batch or 1) == 1:
        words = tr("{count:.2f} devices at work at the same time instead of one after another")
        text = words.format(count=found.ratio)
        most = run.devices + len(run.others)
        return Explanation("several devices", found.ratio, "devices", text, found.ratio <= most)
    needed = math.ceil(found.ratio * run.devices)
    words = tr("{needed} devices instead of {count}, with links that cost nothing")
    text = words.format(needed=needed, count=run.devices)
    return Explanation("several devices", needed, "devices", text)


def _speculation(run: MeasuredRun, step: Step, found: Ceiling) -> Explanation:
    needed = found.ratio * step.emitted_tokens
    drafted = run.drafting.draft_tokens if run.drafting else None
    words = tr("at least {needed:.2f} tokens emitted by each iteration (more than are declared)")
    if run.drafting is None:
        words = tr("at least {needed:.2f} tokens emitted by each iteration (none declared)")
    most = 0
    if drafted is not None:
        most = drafted + 1
        words = tr(
            "at least {needed:.2f} tokens emitted by each iteration ({drafted} drafted, so at most "
            "{most})"
        )
    return Explanation(
        "speculation",
        needed,
        "tokens per iteration",
        words.format(needed=needed, drafted=drafted, most=most),
        drafted is None or needed <= drafted + 1,
    )


def _above_prefill(run: MeasuredRun, found: Ceiling) -> tuple[Explanation, ...]:
    prompt = run.prompt_tokens or 1
    cached = prompt * (1 - 1 / found.ratio)
    words = tr("{ratio:.2f} times the arithmetic rate in the catalog")
    if found.limit == "memory":
        words = tr("{ratio:.2f} times the bandwidth in the catalog")
    cause: Cause = "other bandwidth" if found.limit == "memory" else "other arithmetic rate"
    return (
        Explanation(
            "cached prefix",
            cached,
            "tokens",
            tr(
                "at least {cached:.0f} of the {prompt} prompt tokens were cached from an earlier "
                "run"
            ).format(cached=cached, prompt=prompt),
        ),
        Explanation(cause, found.ratio, "times", words.format(ratio=found.ratio)),
    )


def _below(run: MeasuredRun, found: Ceiling, library: Library) -> tuple[Explanation, ...]:
    step = step_of(run, library)
    batch = run.batch or 1
    shared, rate = float(shared_bytes(step, batch)), step.bandwidth_bytes_per_s
    causes = []
    if not found.fits:
        capacity = setup_of(run, library).machine.capacity_bytes
        causes.append(
            Explanation(
                "does not fit",
                shared,
                "bytes",
                tr(
                    "more than the {capacity:.1f} GB there are, so something is read from slower "
                    "memory"
                ).format(capacity=capacity / 1e9),
            )
        )
    implied = found.ratio * rate
    if rate > HOST_BYTES_PER_S and run.host_memory is None:
        part = (1 / found.ratio - 1) / (rate / HOST_BYTES_PER_S - 1)
        causes.append(
            Explanation(
                "part in host memory",
                part,
                "share of the bytes",
                tr(
                    "{part:.0%} of the bytes read at {host:.1f} GB/s (two channels of DDR5-5600) "
                    "instead of {rate:.0f}"
                ).format(part=part, host=HOST_BYTES_PER_S / 1e9, rate=rate / 1e9),
                part <= 1,
            )
        )
    multiplied = multiplied_parameters(library.models[run.model].record)
    bits = 8 * (batch * rate / run.tokens_per_s - batch * step.private_bytes) / multiplied
    causes.append(
        Explanation(
            "other weights",
            bits,
            "bits per parameter",
            tr("{bits:.1f} bits a parameter instead of {stored:.2f}").format(
                bits=bits, stored=8 * shared / multiplied
            ),
            bits <= 32,
        )
    )
    causes.append(
        Explanation(
            "other bandwidth",
            implied,
            "bytes/s",
            tr("{implied:.1f} GB/s sustained instead of {rate:.0f}").format(
                implied=implied / 1e9, rate=rate / 1e9
            ),
        )
    )
    if found.limit == "compute":
        causes.append(
            Explanation(
                "clock held back",
                found.ratio,
                "of the rate",
                tr("arithmetic at {ratio:.0%} of its rate, by heat, power or another mode").format(
                    ratio=found.ratio
                ),
            )
        )
    if batch > 1:
        private = run.tokens_per_s * step.private_bytes
        fewer = run.tokens_per_s * shared / (rate - private) if rate > private else math.inf
        causes.append(
            Explanation(
                "fewer sessions at once",
                fewer,
                "sessions",
                tr("{fewer:.1f} sessions at once instead of {batch}").format(
                    fewer=fewer, batch=batch
                ),
                fewer >= 1,
            )
        )
    return tuple(causes)
