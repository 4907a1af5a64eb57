"""The draft of speculative decoding: what it costs beside the target."""

from ..engine.setup import Draft, TypedCache
from ..problem import BadInput
from ..scenario import CACHE_FORMAT, DraftModel, ModelRef, Scenario, TypedDraft
from .load import Library
from .lookup import model_record
from .profile import default_weights, model_costs, mtp_costs

GB = 1e9


def draft_costs(scenario: Scenario, library: Library) -> Draft:
    """The draft's sizes, and its cache in the target's formats."""
    draft = scenario.speculation and scenario.speculation.draft
    if draft is None:
        return Draft()
    if isinstance(draft, TypedDraft):
        return Draft(
            resident_bytes=draft.resident_gb * GB,
            always_bytes=draft.sweep_gb * GB,
            cache=TypedCache(draft.cache_alloc_gb * GB, draft.cache_read_gb * GB),
        )
    formats = (scenario.workload.cache_format or CACHE_FORMAT, scenario.workload.cache_read_format)
    if isinstance(draft, DraftModel):
        try:
            record = model_record(draft, library, "speculation.draft")
            costs = model_costs(record, draft.weights or default_weights(record), *formats)
        except BadInput as bad:
            raise _of_draft(bad) from None
        return Draft(
            costs.resident_bytes,
            costs.always_bytes,
            costs.experts,
            costs.cache,
            costs.max_context_tokens,
        )
    assert isinstance(scenario.model, ModelRef)  # the scenario refuses mtp with an adapter
    record = model_record(scenario.model, library, "model")
    mtp = mtp_costs(record, scenario.model.weights or default_weights(record), *formats)
    return Draft(mtp.resident_bytes, mtp.always_bytes, mtp.experts, mtp.cache, modules=mtp.modules)


def _of_draft(bad: BadInput) -> BadInput:
    key = bad.problem.key
    if key.startswith("model."):
        key = "speculation.draft." + key.removeprefix("model.")
    return BadInput(key, bad.problem.message)
