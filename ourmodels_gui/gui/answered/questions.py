"""From the four answers to what the cards say, and the edit each offers without an answer."""

from ...engine.result import Decode, Prefill
from ...engine.setup import Setup
from ...evaluation import Evaluation
from ...language import mark, tr
from ...summary import Answer, Summary
from ...summary.figures import NONE
from ...units import tokens
from .cards import CardText, Offer

DEFAULT_PROMPT_TOKENS = 8192
BOUND = mark(
    "A bound: every rate in it is a limit and every cost the least, so no run can be faster."
)


def card_texts(
    evaluation: Evaluation, told: Summary, lighter: Offer | None = None
) -> tuple[CardText, ...]:
    """What the cards say: fits, one session, serving, first token.

    lighter: the format to try where the model does not fit.
    """
    setup, result = evaluation.setup, evaluation.result
    if setup is None or result is None:
        silent = CardText("muted", tr("no answer"))
        return (silent._replace(why=told.problem), silent, silent, silent)
    serving = _serving_offer(result.decode)
    offers = (lighter, None, serving, _prompt_offer(setup, result.prefill))
    return tuple(
        _card(answer, told, offer) for answer, offer in zip(told.answers, offers, strict=True)
    )


def _card(answer: Answer, told: Summary, offer: Offer | None) -> CardText:
    """The answer of the summary; without a figure its reason stands in the figure's place."""
    missing = answer.figure in ("", NONE)
    return CardText(
        tone=answer.tone,
        verdict=answer.short or answer.word,
        figure="" if missing else answer.figure,
        unit="" if missing else answer.short_unit or answer.unit,
        why=answer.short_why or answer.why,
        badge=tr(answer.kind),
        reason=tr(BOUND) if answer.kind == "bound" else "\n".join(told.reasons),
        working=told.row(answer.row) if answer.row else None,
        offer=offer,
    )


def _serving_offer(decode: Decode) -> Offer | None:
    """The machines that hold what does not fit, or the edit that serves below the floor."""
    if decode.verdict in ("model does not fit", "no session fits"):
        return Offer(tr("Machines that hold it"))
    if decode.forced is not None or decode.best_batch is not None or not decode.memory_batch:
        return None
    return Offer(tr("Answer without a floor"), {"workload.floor_tokens_per_s": 0})


def _prompt_offer(setup: Setup, prefill: Prefill | None) -> Offer | None:
    """The edit that gives the first token an answer, where there is one."""
    prompt = setup.prompt
    if prefill is None or prompt is None:
        asked = {"prefill.prompt_tokens": DEFAULT_PROMPT_TOKENS}
        return Offer(tr("Ask for a prompt of 8k"), asked)
    if prefill.time_s is not None:
        return None
    if prefill.verdict == "no setting meets the budget":
        return Offer(tr("Answer without a budget"), {"prefill.ttft_budget_s": None})
    if prefill.verdict == "the batch does not fit":
        return Offer(tr("Let the batch follow"), {"prefill.batch": None})
    if prefill.verdict == "model does not fit":
        return None
    needed = prompt.cached_prefix_tokens + prompt.prompt_tokens
    reserved, limit = setup.workload.reserved_context_tokens, setup.model.max_context_tokens
    if needed <= reserved:
        return None
    if limit is None or needed <= limit:
        words = tr("Reserve {count} tokens").format(count=tokens(needed))
        return Offer(words, {"workload.reserved_context_tokens": needed})
    room = reserved - prompt.cached_prefix_tokens
    if room < 1:
        return Offer(tr("Drop the cached prefix"), {"prefill.cached_prefix_tokens": None})
    return Offer(
        tr("Ask for a prompt of {length}").format(length=tokens(room)),
        {"prefill.prompt_tokens": room},
    )
