"""The prefill ceilings of many pairs of a machine and a model at one prompt length.

The arithmetic is that of `prompt_costs` and `admissible`, run on whole arrays of pairs: models that
route alike share the count of distinct experts, and everything else of a model is a column. So a
figure here is the figure of `prefill`, value for value.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .admissible import best_batch, largest_batch
from .chunks import reread_bytes
from .costs import attention_flop, cache_alloc_bytes, cache_read_bytes
from .prompt_costs import Floats, PromptCosts
from .setup import Experts, ModelCosts, Prompt, TypedCache, Workload
from .tables import MachineTable

Indices = NDArray[np.intp]
BLOCK = 1 << 15
"""Pairs that are worked on together: each of their figures takes 256 kB."""


class PromptTable(msgspec.Struct, frozen=True, eq=False):
    """What one prompt costs, by model.

    resident_bytes, session_bytes: whole bytes that the gate compares; NaN where the prefix and the
    prompt are longer than the reservation. private_bytes: reread and written by a prompt;
    linear_flop, attention_flop: its arithmetic; NaN where unknown. alike: models that share their
    routing, each group with its places in the table.
    """

    prompt: Prompt
    workload: Workload
    resident_bytes: Floats
    session_bytes: Floats
    private_bytes: Floats
    linear_flop: Floats
    attention_flop: Floats
    alike: tuple[tuple[Indices, ModelCosts], ...]


class PrefillPairs(msgspec.Struct, frozen=True, eq=False):
    """Combined prefill figures by pair, NaN where they do not exist; names are those of `Prefill`.

    single_tokens_per_s, single_time_s: of a batch of one, `Prefill.single_prompt`.
    """

    batch: Floats
    tokens_per_s: Floats
    time_s: Floats
    single_tokens_per_s: Floats
    single_time_s: Floats


def prompt_table(
    models: Sequence[ModelCosts],
    workload: Workload,
    prompt: Prompt,
    reserved_tokens: Sequence[int],
) -> PromptTable:
    """What a prompt costs each model; the same for every machine.

    Parameters: models; workload, of which routing and cache policy count; prompt; reserved_tokens,
    L_alloc by model.
    """
    held = prompt.cached_prefix_tokens + prompt.prompt_tokens
    rows = [
        (
            round(model.resident_bytes),
            _session_bytes(model, workload, prompt, reserved) if held <= reserved else np.nan,
            _private_bytes(model, prompt),
            *_flop(model, prompt),
        )
        for model, reserved in zip(models, reserved_tokens, strict=True)
    ]
    resident, session, private, linear, attention = np.array(rows, np.float64).reshape(-1, 5).T
    alike = tuple(_alike(models))
    return PromptTable(prompt, workload, resident, session, private, linear, attention, alike)


def prefill_pairs(
    machines: MachineTable,
    models: PromptTable,
    seconds: tuple[Floats, Floats],
    machine: Indices,
    model: Indices,
) -> PrefillPairs:
    """The combined prefill ceilings of pairs, without speculation.

    Parameters: machines; models; seconds, time of one FLOP of the linear and of the attention path
    by machine, NaN where unknown; machine and model, the places of each pair in the tables.
    References: formulation, "Prefill" and "Calculator procedure".
    """
    figures = np.full((5, machine.size), np.nan)
    free = np.rint(machines.capacity_bytes) - np.rint(machines.overhead_bytes)
    margin = free[machine] - models.resident_bytes[model]
    with np.errstate(invalid="ignore"):
        fitting = np.floor(margin / np.maximum(models.session_bytes[model], 1.0))
    linear_s, attention_s = seconds
    compute_s = models.linear_flop[model] * linear_s[machine] + (
        models.attention_flop[model] * attention_s[machine]
    )
    known = np.isfinite(compute_s) & np.isfinite(models.private_bytes[model])
    least = 1 if models.prompt.batch is None else models.prompt.batch
    asked = np.flatnonzero(known & (fitting >= least))
    group, place = _groups(models)
    asked = asked[np.argsort(group[model[asked]], kind="stable")]
    starts = np.searchsorted(group[model[asked]], np.arange(len(models.alike) + 1))
    for number, (_, shared) in enumerate(models.alike):
        for start in range(starts[number], starts[number + 1], BLOCK):
            pairs = asked[start : min(start + BLOCK, starts[number + 1])]
            costs = _costs(
                models,
                _at(shared, place[model[pairs]]),
                machines.bandwidth_bytes_per_s[machine[pairs]],
                models.private_bytes[model[pairs]],
                compute_s[pairs],
            )
            figures[:, pairs] = _figures(costs, fitting[pairs], models.prompt)
    return PrefillPairs(*figures)


def _figures(costs: PromptCosts, fitting: Floats, prompt: Prompt) -> tuple[Floats, ...]:
    """The five figures of some pairs, in the order of `PrefillPairs`."""
    largest = largest_batch(costs, fitting, prompt.ttft_budget_s)
    if prompt.batch is None:
        batch = best_batch(costs, largest)
    else:
        batch = np.where(prompt.batch <= largest, float(prompt.batch), 0.0)
    batch = np.where(batch >= 1.0, batch, np.nan)
    time_s, single_s = costs.time_s(batch), costs.time_s(np.ones(batch.shape))
    return batch, batch * costs.tokens / time_s, time_s, costs.tokens / single_s, single_s


def _costs(
    models: PromptTable,
    shared: ModelCosts,
    bandwidth_bytes_per_s: Floats,
    private_bytes: Floats,
    compute_s: Floats,
) -> PromptCosts:
    tokens = np.full(compute_s.shape, float(models.prompt.prompt_tokens))
    chunk = models.prompt.chunk_tokens
    width = tokens if chunk is None else np.minimum(tokens, float(chunk))
    rates: Any = bandwidth_bytes_per_s
    return PromptCosts(
        shared, models.workload.routing, rates, tokens, width, private_bytes, None, compute_s
    )


def _session_bytes(model: ModelCosts, workload: Workload, prompt: Prompt, reserved: int) -> float:
    tokens = float(reserved)
    if prompt.cache_growth == "on_demand":
        tokens = float(prompt.cached_prefix_tokens + prompt.prompt_tokens)
    return float(np.rint(cache_alloc_bytes(model.cache, tokens, workload.cache_policy)))


def _private_bytes(model: ModelCosts, prompt: Prompt) -> float:
    """Rereads and the write of one prompt, as in `prompt_costs`; NaN where unknown."""
    tokens, prefix = float(prompt.prompt_tokens), prompt.cached_prefix_tokens
    several = prompt.chunk_tokens is not None and tokens > prompt.chunk_tokens
    typed = isinstance(model.cache, TypedCache)
    if model.cache_write_bytes_per_token is None or (several and typed):
        return np.nan
    private = model.cache_write_bytes_per_token * tokens
    if several and isinstance(model.cache, tuple) and prompt.chunk_tokens is not None:
        chunk = float(prompt.chunk_tokens)
        private += float(reread_bytes(model.cache, prefix, chunk, np.ceil(tokens / chunk)))
    elif prefix:
        private += cache_read_bytes(model.cache, prefix)
    return private


def _flop(model: ModelCosts, prompt: Prompt) -> tuple[float, float]:
    if model.linear_active_parameters is None or model.attention is None:
        return np.nan, np.nan
    tokens = float(prompt.prompt_tokens)
    attention = attention_flop(model.attention, prompt.cached_prefix_tokens, tokens)
    return 2.0 * model.linear_active_parameters * tokens, float(attention)


def _alike(models: Sequence[ModelCosts]) -> Iterator[tuple[Indices, ModelCosts]]:
    """The models that share their routing, each group as one model whose bytes are columns."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row, model in enumerate(models):
        kinds = tuple((group.routed, group.per_token) for group in model.experts)
        groups.setdefault((kinds, model.prefill_sweep_bytes is None), []).append(row)
    for (kinds, as_computed), rows in groups.items():
        expert_bytes: Any = np.array(
            [[group.expert_bytes for group in models[row].experts] for row in rows]
        ).T
        always: Any = np.array([models[row].always_bytes for row in rows], dtype=np.float64)
        full: Any = np.array([models[row].prefill_sweep_bytes for row in rows])
        shared = ModelCosts(
            resident_bytes=0.0,
            always_bytes=always,
            cache=(),
            experts=tuple(
                Experts(routed, per_token, column)
                for (routed, per_token), column in zip(kinds, expert_bytes, strict=True)
            ),
            prefill_sweep_bytes=None if as_computed else full.astype(np.float64),
        )
        yield np.array(rows, dtype=np.intp), shared


def _groups(models: PromptTable) -> tuple[Indices, Indices]:
    """The group of each model, and its place inside the group."""
    group, place = np.zeros((2, models.resident_bytes.size), dtype=np.intp)
    for number, (rows, _) in enumerate(models.alike):
        group[rows], place[rows] = number, np.arange(rows.size)
    return group, place


def _at(shared: ModelCosts, place: Indices) -> ModelCosts:
    """A group's columns spread over pairs."""
    always: Any = shared.always_bytes
    full: Any = shared.prefill_sweep_bytes
    experts = []
    for group in shared.experts:
        expert_bytes: Any = group.expert_bytes
        experts.append(Experts(group.routed, group.per_token, expert_bytes[place]))
    return ModelCosts(
        resident_bytes=0.0,
        always_bytes=always[place],
        cache=(),
        experts=tuple(experts),
        prefill_sweep_bytes=None if full is None else full[place],
    )
