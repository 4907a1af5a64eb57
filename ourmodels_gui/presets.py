"""Kinds of use, kept as fragments of a scenario: what is asked, of whatever machine and model."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from . import paths, strict_json
from .fitting import fit
from .inline import Part
from .language import tr
from .problem import BadInput
from .scenario import PrefillChoice, Scenario, WorkloadChoice

OWNED = (
    "workload.reserved_context_tokens",
    "workload.read_context_tokens",
    "workload.read_context_fraction",
    "workload.floor_tokens_per_s",
    "workload.batch",
    "prefill.prompt_tokens",
    "prefill.cached_prefix_tokens",
    "prefill.answer_tokens",
    "prefill.chunk_tokens",
    "prefill.ttft_budget_s",
    "prefill.cache_growth",
    "prefill.batch",
)
"""What a preset decides; runtime, formats and speculation stay as the user has them."""


class Fragment(Part, frozen=True, kw_only=True):
    name: str
    note: str
    workload: WorkloadChoice
    prefill: PrefillChoice


class Preset(msgspec.Struct, frozen=True):
    """id: the file's name. name, note: for people. values: what it decides, by key; no Nones."""

    id: str
    name: str
    note: str
    values: dict[str, Any]

    @property
    def changes(self) -> dict[str, Any]:
        """The edit that chooses it: nothing that it decides is left from before."""
        return {key: self.values.get(key) for key in OWNED}

    def describes(self, scenario: Scenario) -> bool:
        """Whether the scenario asks exactly this."""
        return _owned(scenario) == self.values


@cache
def presets(folder: Path | None = None) -> tuple[Preset, ...]:
    """The presets of a folder, the shipped ones unless told otherwise, in the order of their files.

    Errors: BadInput, naming the file, for one that is not a fragment of a scenario.
    """
    found = sorted((folder or paths.resources() / "presets").glob("*.json"))
    return tuple(_read(path) for path in found)


def _read(path: Path) -> Preset:
    try:
        part: Fragment = fit(strict_json.parse(path.read_bytes()), Fragment)
    except BadInput as bad:
        raise BadInput(bad.problem.key, bad.problem.message, str(path)) from None
    values = _flat(part.workload, "workload") | _flat(part.prefill, "prefill")
    foreign = sorted(set(values) - set(OWNED))
    if foreign:
        raise BadInput(foreign[0], tr("is not for a preset to decide"), str(path))
    return Preset(path.stem, part.name, part.note, values)


def _flat(section: WorkloadChoice | PrefillChoice, name: str) -> dict[str, Any]:
    return {f"{name}.{key}": value for key, value in msgspec.to_builtins(section).items()}


def _owned(scenario: Scenario) -> dict[str, Any]:
    values = _flat(scenario.workload, "workload")
    if scenario.prefill is not None:
        values |= _flat(scenario.prefill, "prefill")
    return {key: values[key] for key in OWNED if values.get(key) is not None}
