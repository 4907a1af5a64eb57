"""What moves an answer in the two phases: the speculation of decode, the prompt of prefill.

References: formulation, the last paragraph of "Cheat sheet".
"""

from ..engine.costs import active_bytes, draft_alloc_bytes, draft_read_bytes
from ..engine.setup import Assumption, Setup
from ..language import mark, tr
from ..scenario import DraftModel, Scenario, TypedDraft
from .load import Library
from .lookup import model_record
from .profile import default_weights

GB = 1e9
TYPED, DEFAULT = mark("typed"), mark("default")


def typed(choice: object) -> str:
    """Where the value of a key comes from that may be absent."""
    return DEFAULT if choice is None else TYPED


def of_speculation(scenario: Scenario, setup: Setup, library: Library) -> list[Assumption]:
    """rho, gamma, and the draft with all that it costs."""
    speculation, choice = setup.speculation, scenario.speculation
    if speculation is None or choice is None:
        return [
            Assumption(
                mark("emitted tokens (rho)"),
                1,
                mark("per session and iteration"),
                mark("no speculation"),
            )
        ]
    emitted = TYPED
    if choice.emitted_tokens is None:
        emitted = tr("conditional acceptance {acceptance:g}, typed").format(
            acceptance=choice.acceptance
        )
    return [
        Assumption(
            mark("emitted tokens (rho)"), speculation.emitted_tokens, mark("per iteration"), emitted
        ),
        Assumption(
            mark("draft tokens (gamma)"), speculation.draft_tokens, mark("per iteration"), TYPED
        ),
        *_of_draft(choice.draft, setup, library),
    ]


def _of_draft(
    choice: DraftModel | str | TypedDraft | None, setup: Setup, library: Library
) -> list[Assumption]:
    assert setup.speculation is not None
    draft = setup.speculation.draft
    if choice is None:
        return [
            Assumption(mark("draft"), mark("none (prompt lookup)"), "", mark("a sequential draft"))
        ]
    name, source = mark("the model's own MTP layers"), mark("stored bytes of its tensors")
    told = []
    if isinstance(choice, TypedDraft):
        name = source = mark("as typed")
    elif isinstance(choice, DraftModel):
        name = choice.id
        weights = choice.weights or default_weights(
            model_record(choice, library, "speculation.draft")
        )
        format_source = TYPED if choice.weights else mark("default: the release's own format")
        told.append(Assumption(mark("draft weight precision"), weights, "", format_source))
    cache = (
        source if isinstance(choice, TypedDraft) else mark("at the target's contexts and format")
    )
    swept_bytes = active_bytes(draft.always_bytes, draft.experts)
    work = setup.workload
    reserved = draft_alloc_bytes(draft, work.reserved_context_tokens, work.cache_policy)
    read = draft_read_bytes(draft, work.read_context_tokens)
    return [
        Assumption(mark("draft"), name, "", mark("a sequential draft")),
        *told,
        Assumption(mark("draft weights (W_draft,res)"), draft.resident_bytes / GB, "GB", source),
        Assumption(mark("draft sweep at one session (W_draft)"), swept_bytes / GB, "GB", source),
        Assumption(mark("draft cache of a session (K_draft,alloc)"), reserved / GB, "GB", cache),
        Assumption(mark("draft cache read (K_draft,read)"), read / GB, mark("GB per step"), cache),
    ]


def of_prompt(scenario: Scenario, setup: Setup) -> list[Assumption]:
    """The prompt, how it is cut, what it waits for."""
    prompt, choice = setup.prompt, scenario.prefill
    if prompt is None or choice is None:
        return []
    chunk: str | int = mark("one shot") if prompt.chunk_tokens is None else prompt.chunk_tokens
    unit = "" if prompt.chunk_tokens is None else mark("tokens")
    policy = (
        mark("default: the ceiling")
        if prompt.chunk_tokens is None
        else mark("typed: a policy ceiling")
    )
    told = [
        Assumption(
            mark("prompt length (L)"),
            prompt.prompt_tokens,
            mark("tokens"),
            typed(choice.prompt_tokens),
        ),
        Assumption(mark("chunk mode (c)"), chunk, unit, policy),
        Assumption(
            mark("cached prefix (l)"),
            prompt.cached_prefix_tokens,
            mark("tokens"),
            typed(choice.cached_prefix_tokens),
        ),
        Assumption(mark("cache growth"), prompt.cache_growth, "", typed(choice.cache_growth)),
    ]
    if prompt.ttft_budget_s is not None:
        told.append(
            Assumption(
                mark("budget for the first token (tau_star)"), prompt.ttft_budget_s, "s", TYPED
            )
        )
    if prompt.answer_tokens is not None:
        told.append(
            Assumption(mark("answer length (A)"), prompt.answer_tokens, mark("tokens"), TYPED)
        )
    if prompt.batch is not None:
        told.append(Assumption(mark("forced prompts (b)"), prompt.batch, mark("prompts"), TYPED))
    return told


def of_workspace(setup: Setup) -> list[Assumption]:
    """The memory that prefill works in, which this bound leaves out."""
    if setup.prompt is None:
        return []
    source = mark("set to zero in this theoretical bound")
    return [Assumption(mark("prefill workspace (Omega_pf)"), 0, "GB", source)]
