"""The published runs that the catalog carries, and the shape of one run."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ..composed import DeviceChoice, LinkSpeed, PlacementChoice
from ..engine.setup import Pools, Split
from ..files import read_small
from ..inline import InlineHardware
from ..language import tr
from ..library.records import CatalogStruct, Source
from ..problem import BadInput

Phase = Literal["decode", "prefill", "serving"]

LeftOut = Literal[
    "machine unknown",
    "machine not fully stated",
    "model unknown",
    "format unknown",
    "format not stated",
    "host memory not stated",
    "split not stated",
    "decoding not modelled",
]
"""Why a run has no ceiling here:

- machine unknown: the catalog has no such machine.
- machine not fully stated: several machines bear the name and differ in what the ceiling needs, or
  the speed of slotted memory is not said.
- model unknown, format unknown: the catalog has no such model, or no such weight format.
- format not stated: the source does not say how the weights are stored.
- host memory not stated: part of the weights lies in host memory, whose speed is not said.
- split not stated: devices of several kinds, and nothing says how the model is divided over them.
- decoding not modelled: fewer experts than the model's own, or a diffusion model.
"""

Reason = LeftOut | Literal[""]

RUNS, SOURCES = "runs.jsonl", "sources.json"
MAX_BYTES = 4_000_000

Positive = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(ge=1)]
Tokens = Annotated[int, Meta(ge=0)]


class Said(CatalogStruct, frozen=True):
    """Names as the source prints them."""

    machine: str
    model: str
    weights: str


class Drafting(CatalogStruct, frozen=True):
    """Speculation that the source declares.

    kind: "mtp" (the model's own layers) or "draft" (another model). draft_tokens: gamma.
    acceptance: accepted drafted tokens over drafted tokens.
    """

    kind: Literal["mtp", "draft"]
    draft_tokens: Count | None = None
    acceptance: Annotated[float, Meta(ge=0, le=1)] | None = None


class MeasuredRun(CatalogStruct, frozen=True, kw_only=True):
    """One published figure with the conditions that its source states; None is "not stated".

    machine, model, weights, cache: catalog ids, "" when not matched or, for the cache, not stated.
    memory_gb: of one device, as printed.
    devices: how many of the machine; others: unlike devices beside them. split, link, host_memory,
        pools, placement: as in the hardware of a scenario.
    file_gb: bytes of the weight file, where stated. sized: the source names a mix that has no rule;
        `weights` is the nearest one, to be brought to the size of the file.
    depth_tokens: already cached at the start.
    batch: sessions at once. tokens_per_s: of all sessions together. decimals: as printed.
    doubt: why the figure is not to be trusted, "" when nothing speaks against it.
    left_out: why there is no ceiling for it.
    """

    id: str
    said: Said
    machine: str = ""
    model: str = ""
    weights: str = ""
    cache: str = ""
    devices: Count = 1
    others: tuple[DeviceChoice, ...] = ()
    split: Split | None = None
    link: LinkSpeed | str | None = None
    host_memory: str | InlineHardware | None = None
    pools: Pools | None = None
    placement: PlacementChoice | None = None
    memory_gb: Positive | None = None
    file_gb: Positive | None = None
    sized: bool = False
    engine: str = ""
    phase: Phase
    prompt_tokens: Tokens | None = None
    generated_tokens: Annotated[float, Meta(ge=0)] | None = None
    depth_tokens: Tokens = 0
    batch: Count | None = None
    drafting: Drafting | None = None
    tokens_per_s: Positive
    decimals: Tokens = 0
    ttft_s: Positive | None = None
    source: str
    where: str = ""
    note: str = ""
    doubt: str = ""
    left_out: Reason = ""

    @property
    def is_composed(self) -> bool:
        """Whether it ran on several devices, or on one with the memory of its host."""
        return self.devices > 1 or bool(self.others) or self.host_memory is not None

    @property
    def uses_host(self) -> bool:
        """Whether some of its weights lay in host memory, of known speed or not."""
        known = self.host_memory is not None or self.pools is not None
        return known or self.left_out == "host memory not stated"


class MeasuredSet(msgspec.Struct, frozen=True):
    """All runs by id, and their sources by id."""

    runs: dict[str, MeasuredRun]
    sources: dict[str, Source]


def load(catalog: Path) -> MeasuredSet:
    """The measured set of a catalog folder: `measured/runs.jsonl`, `measured/sources.json`.

    Raises BadInput naming the line at fault; OSError when a file cannot be read.
    """
    folder = catalog / "measured"
    sources = msgspec.json.decode(read_small(folder / SOURCES), type=dict[str, Source])
    runs: dict[str, MeasuredRun] = {}
    decoder = msgspec.json.Decoder(MeasuredRun)
    lines = read_small(folder / RUNS, MAX_BYTES).splitlines()
    for number, line in enumerate(lines, 1):
        key = f"{RUNS}, line {number}"
        try:
            run = decoder.decode(line)
        except (msgspec.DecodeError, msgspec.ValidationError) as bad:
            raise BadInput(key, tr("{problem}; correct that line").format(problem=bad)) from None
        if run.id in runs:
            raise BadInput(
                key, tr("“{id}” stands twice; give each run its own id").format(id=run.id)
            )
        if run.source not in sources:
            raise BadInput(
                key,
                tr("“{source}” is not in {file}; add it there").format(
                    source=run.source, file=SOURCES
                ),
            )
        runs[run.id] = run
    return MeasuredSet(runs, sources)


def write(runs: list[MeasuredRun]) -> bytes:
    """The file that holds the runs, one a line, what is not stated left out."""
    return b"".join(msgspec.json.encode(run) + b"\n" for run in runs)
