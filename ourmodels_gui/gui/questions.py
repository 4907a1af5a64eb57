"""From an evaluation to what the four cards say, and the edit each offers without an answer."""

from ..engine.result import Decode, Forced, Prefill
from ..engine.setup import Setup
from ..evaluation import Evaluation
from ..summary import Answer, Summary
from ..summary.figures import NONE
from ..units import Separators, exact, number, plain, rate, tokens
from .cards import CardText, Offer

DEFAULT_PROMPT_TOKENS = 8192
SHORT = {
    "fits, but no batch satisfies the floor": "below the floor",
    "no setting meets the budget": "over the budget",
}
"""Verdicts that are too long for a card."""
BOUND = "A bound: every rate in it is a limit and every cost the least, so no run can be faster."


def card_texts(
    evaluation: Evaluation, told: Summary, separators: Separators
) -> tuple[CardText, ...]:
    """What the cards say: fits, one session, serving, first token."""
    setup, result = evaluation.setup, evaluation.result
    if setup is None or result is None:
        silent = CardText("muted", "no answer")
        return (silent._replace(why=told.problem), silent, silent, silent)
    fits, single, serving, wait = (_plain(answer, told.reasons) for answer in told.answers)
    fits = fits._replace(unit=fits.unit.removesuffix(" for sessions"))
    decode = result.decode
    if decode.forced is not None:
        serving = _forced(decode, decode.forced, setup, told.reasons, separators)
    elif decode.best_batch is not None:
        serving = serving._replace(verdict=f"serves {_sessions(decode.best_batch, separators)}")
    elif decode.memory_batch:
        serving = serving._replace(
            offer=Offer("Answer without a floor", {"workload.floor_tokens_per_s": 0})
        )
    return fits, single, serving, wait._replace(offer=_prompt_offer(setup, result.prefill))


def _plain(answer: Answer, reasons: tuple[str, ...]) -> CardText:
    """The answer of the summary; without a figure its reason stands in the figure's place."""
    missing = answer.figure in ("", NONE)
    return CardText(
        tone=answer.tone,
        verdict=SHORT.get(answer.word, answer.word),
        figure="" if missing else answer.figure,
        unit="" if missing else answer.unit,
        why=answer.why,
        badge=answer.kind,
        reason=_reason(answer.kind, reasons),
    )


def _reason(kind: str, reasons: tuple[str, ...]) -> str:
    return BOUND if kind == "bound" else "\n".join(reasons)


def _sessions(count: int, separators: Separators) -> str:
    return f"{number(count, 0, separators)} session" + "s" * (count != 1)


def _forced(
    decode: Decode,
    forced: Forced,
    setup: Setup,
    reasons: tuple[str, ...],
    separators: Separators,
) -> CardText:
    """Serving at the number of sessions that is fixed by policy."""
    sessions = _sessions(forced.batch, separators)
    tone, verdict = "serves", f"serves {sessions}"
    if not forced.fits:
        tone, verdict = "unfit", f"{sessions} do not fit" if forced.batch > 1 else "does not fit"
    elif not forced.clears_floor:
        floor = plain(setup.workload.floor_tokens_per_s, separators)
        tone, verdict = "below", f"below the floor of {floor}"
    kind = decode.kind.get("forced", "")
    each = rate(forced.per_session_tokens_per_s, separators)
    return CardText(
        tone,
        verdict,
        rate(forced.aggregate_tokens_per_s, separators),
        "tok/s",
        f"forced: {sessions} at {each} tok/s each",
        kind,
        _reason(kind, reasons),
        details=f"{exact(forced.aggregate_tokens_per_s)} tok/s",
    )


def _prompt_offer(setup: Setup, prefill: Prefill | None) -> Offer | None:
    """The edit that gives the first token an answer, where there is one."""
    prompt = setup.prompt
    if prefill is None or prompt is None:
        asked = {"prefill.prompt_tokens": DEFAULT_PROMPT_TOKENS}
        return Offer("Ask for a prompt of 8k", asked)
    if prefill.time_s is not None:
        return None
    if prefill.verdict == "no setting meets the budget":
        return Offer("Answer without a budget", {"prefill.ttft_budget_s": None})
    if prefill.verdict == "the batch does not fit":
        return Offer("Let the batch follow", {"prefill.batch": None})
    needed = prompt.cached_prefix_tokens + prompt.prompt_tokens
    if needed > setup.workload.reserved_context_tokens:
        words = f"Reserve {tokens(needed)} tokens"
        return Offer(words, {"workload.reserved_context_tokens": needed})
    return None
