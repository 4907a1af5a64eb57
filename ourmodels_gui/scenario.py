"""The scenario: what the user chose, as ids and numbers; and its files.

A field that is None is absent from the file and means its default, so "the overhead follows the
machine" survives a save. Units are part of the names.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from . import strict_json
from .composed import ComposedHardware, HardwareRef
from .engine.setup import CacheGrowth, CachePolicy, DecodeCeiling, Routing
from .files import write_whole
from .fitting import fit
from .inline import (
    Amount,
    Fraction,
    InlineAdapter,
    InlineHardware,
    Mode,
    Part,
    Positive,
    Shares,
    Tokens,
    TokensOrNone,
)
from .language import tr, written
from .problem import BadInput, brief

FORMAT = "ourmodels-scenario"
VERSION = 1
SUFFIX = ".ourmodels.json"

RESERVED_CONTEXT_TOKENS = 100_000
READ_CONTEXT_TOKENS = 32_000
UNREAD_CONTEXT_TOKENS = 32_768
FLOOR_TOKENS_PER_S = 20.0
PROMPT_TOKENS = 8192
CACHE_FORMAT = "fp16"
"""Defaults of a scenario; UNREAD_CONTEXT_TOKENS caps what a read fraction leaves unread."""

PARALLEL_DRAFTS = ("dflash", "medusa", "eagle", "hydra", "pard", "lookahead", "jacobi")


class InlineModel(Part, frozen=True):
    adapter: InlineAdapter


class ModelRef(Part, frozen=True):
    """A model of the library; `record` holds a user's own model in the catalog's file format."""

    id: str
    weights: str | None = None
    include_towers: bool | None = None
    record: dict[str, Any] | None = None


class WorkloadChoice(Part, frozen=True):
    reserved_context_tokens: Tokens | None = None
    read_context_tokens: TokensOrNone | None = None
    read_context_fraction: Fraction | None = None
    floor_tokens_per_s: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    overhead_gb: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    cache_format: str | None = None
    cache_read_format: str | None = None
    cache_policy: CachePolicy | None = None
    routing: Routing | None = None
    rates: Literal["limit", "measured"] | None = None
    decode_ceiling: DecodeCeiling | None = None
    batch: Tokens | None = None

    def __post_init__(self) -> None:
        floor = self.floor_tokens_per_s
        if floor is not None and 0 < floor < 1e-6:
            raise BadInput("floor_tokens_per_s", tr("must be 0 (no floor) or at least 0.000001"))
        if self.read_context_tokens is None:
            return
        if self.read_context_fraction is not None:
            raise BadInput("read_context_fraction", tr("excludes read_context_tokens; keep one"))
        reserved = self.reserved_context_tokens or RESERVED_CONTEXT_TOKENS
        if self.read_context_tokens > reserved:
            raise BadInput(
                "read_context_tokens",
                tr(
                    "{read_context_tokens:,} is above the reserved context of {reserved:,} "
                    "tokens; lower it or reserve more"
                ).format(read_context_tokens=self.read_context_tokens, reserved=reserved),
            )


class DraftModel(Part, frozen=True):
    id: str
    weights: str | None = None
    record: dict[str, Any] | None = None


class TypedDraft(Part, frozen=True):
    resident_gb: Amount
    sweep_gb: Amount
    cache_alloc_gb: Amount
    cache_read_gb: Amount


class SpeculationChoice(Part, frozen=True):
    draft_tokens: Annotated[int, Meta(ge=0, le=10_000)]
    acceptance: Annotated[float, Meta(ge=0, le=1)] | None = None
    emitted_tokens: Annotated[float, Meta(ge=1, le=10_001)] | None = None
    draft: DraftModel | Literal["mtp"] | TypedDraft | None = None

    def __post_init__(self) -> None:
        if self.acceptance is not None and self.emitted_tokens is not None:
            raise BadInput("emitted_tokens", tr("excludes acceptance; keep one"))
        if self.draft_tokens == 0:
            return
        if self.acceptance is None and self.emitted_tokens is None:
            raise BadInput("acceptance", tr("is missing; write it, or emitted_tokens instead"))
        if self.emitted_tokens is not None and self.emitted_tokens > self.draft_tokens + 1:
            raise BadInput(
                "emitted_tokens",
                tr("must be at most draft_tokens + 1, which is {draft_tokens}").format(
                    draft_tokens=self.draft_tokens + 1
                ),
            )


class PrefillChoice(Part, frozen=True):
    prompt_tokens: Tokens | None = None
    cached_prefix_tokens: TokensOrNone | None = None
    answer_tokens: TokensOrNone | None = None
    chunk_tokens: Tokens | None = None
    ttft_budget_s: Positive | None = None
    cache_growth: CacheGrowth | None = None
    linear_mode: Mode | Shares | None = None
    attention_mode: Mode | Shares | None = None
    batch: Tokens | None = None

    def __post_init__(self) -> None:
        for key in ("linear_mode", "attention_mode"):
            shares = getattr(self, key)
            if isinstance(shares, dict) and abs(sum(shares.values()) - 1) > 1e-6:
                total = written(sum(shares.values()), ".6g")
                raise BadInput(
                    key, tr("the shares sum to {total}; they must sum to 1").format(total=total)
                )


class Scenario(Part, frozen=True):
    """hardware: a library id, a machine written out, a user's own that travels with the file, or
    several of these together."""

    hardware: str | InlineHardware | HardwareRef | ComposedHardware
    model: ModelRef | InlineModel
    name: str | None = None
    catalog_version: str | None = None
    workload: WorkloadChoice = WorkloadChoice()
    speculation: SpeculationChoice | None = None
    prefill: PrefillChoice | None = None

    def __post_init__(self) -> None:
        drafts_itself = self.speculation is not None and self.speculation.draft == "mtp"
        if drafts_itself and isinstance(self.model, InlineModel):
            raise BadInput(
                "speculation.draft",
                tr("an inline adapter has no MTP layers; write the draft's sizes in GB instead"),
            )


def read(text: str | bytes) -> Scenario:
    """The scenario that a file holds.

    Errors: BadInput with the path of the one key at fault; nothing is guessed or dropped. A key
    that may be absent may also be null. Whole numbers may be written as 1e5.

    >>> read('{"format": "ourmodels-scenario", "version": 2}')
    Traceback (most recent call last):
    ...
    ourmodels_gui.problem.BadInput: version: this program reads version 1, the file has 2
    """
    return _from_document(strict_json.parse(text))


def read_file(path: str | Path) -> Scenario:
    """`read` a file. Errors: OSError when it cannot be read; BadInput, which names the file."""
    return strict_json.of_file(path, read)


def write(scenario: Scenario) -> bytes:
    """The file that holds a scenario: keys in a fixed order, what is absent stays absent."""
    return msgspec.json.format(msgspec.json.encode(_document(scenario)), indent=2) + b"\n"


def write_file(path: str | Path, scenario: Scenario) -> None:
    """Write the file whole, or leave what was there. Errors: OSError."""
    write_whole(Path(path), write(scenario))


def edited(scenario: Scenario, changes: dict[str, Any]) -> Scenario:
    """The scenario with some keys changed; a section that is not there yet is created.

    Parameters: changes, from paths of the file such as ``workload.floor_tokens_per_s`` to new
    values (plain values or parts of a scenario); None removes the key, so its default holds.
    Errors: BadInput, as on reading the changed file.
    """
    document = _document(scenario)
    for path in sorted(changes, key=lambda path: path.count(".")):
        *sections, last = path.split(".")
        value = msgspec.to_builtins(changes[path])
        place: Any = document
        for section in sections:
            if value is None and isinstance(place, dict) and section not in place:
                break
            place = place.setdefault(section, {}) if isinstance(place, dict) else None
        else:
            if not isinstance(place, dict):
                raise BadInput(path, tr("cannot be changed where its section is not written out"))
            if value is None:
                place.pop(last, None)
            else:
                place[last] = value
    return _from_document(strict_json.plain(document))


def _document(scenario: Scenario) -> dict[str, Any]:
    """The scenario as plain values in the order of the file."""
    chosen = msgspec.to_builtins(scenario)
    if scenario.workload == WorkloadChoice():
        chosen.pop("workload", None)
    order = ("name", "catalog_version", "hardware", "model", "workload", "speculation", "prefill")
    document = {"format": FORMAT, "version": VERSION}
    return document | {key: _short(chosen[key]) for key in order if key in chosen}


def _short(value: Any) -> Any:
    """Numbers as one writes them: 20 for 20.0."""
    if isinstance(value, dict):
        return {key: item if key == "record" else _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _from_document(document: Any) -> Scenario:
    if not isinstance(document, dict):
        raise BadInput(
            "", tr("a scenario is an object {...} with format, version, hardware, model")
        )
    if document.get("format") != FORMAT:
        raise BadInput(
            "format", tr('must be "{format}"; this is not a scenario file').format(format=FORMAT)
        )
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int | float):
        raise BadInput("version", tr("must be the number {version}").format(version=VERSION))
    if version != VERSION:
        raise BadInput(
            "version",
            tr("this program reads version {known}, the file has {version}").format(
                known=VERSION, version=version
            ),
        )
    rest = {key: value for key, value in document.items() if key not in ("format", "version")}
    _refuse_unmodelled_draft(rest)
    scenario: Scenario = fit(rest, Scenario)
    return scenario


def _refuse_unmodelled_draft(document: dict[str, Any]) -> None:
    speculation = document.get("speculation")
    draft = speculation.get("draft") if isinstance(speculation, dict) else None
    if not isinstance(draft, str) or draft == "mtp":
        return
    choose = tr('write "mtp", {"id": ...}, the draft\'s sizes in GB, or null for prompt lookup')
    name = brief(draft)
    if any(known in draft.lower() for known in PARALLEL_DRAFTS):
        raise BadInput(
            "speculation.draft",
            tr(
                '"{name}" proposes its tokens in parallel or as a tree, which needs a cost '
                "model of its own; only sequential drafts are modelled: {choose}"
            ).format(name=name, choose=choose),
        )
    raise BadInput(
        "speculation.draft",
        tr('"{name}" is not a draft; {choose}').format(name=name, choose=choose),
    )
