"""A model as a row of the picker: what it shows, what it is found by, what it rests on."""

import re
from collections.abc import Sequence

from ..library.load import ModelEntry
from ..library.models import TOWERS, ModelRecord, active_parameters, parameters
from ..library.records import Basis
from .search import Facet, Row, searchable, weakest

LAYERS = {
    "full": "full attention only",
    "window": "window layers",
    "latent": "latent cache",
    "sparse": "sparse attention",
    "state": "recurrent layers",
}
SPOKEN = {"window": "sliding", "latent": "mla", "state": "recurrent linear mamba"}
"""Words that people type for a kind of layer."""

SIZES = (
    (4e9, "up to 4B"),
    (10e9, "4B to 10B"),
    (20e9, "10B to 20B"),
    (40e9, "20B to 40B"),
    (80e9, "40B to 80B"),
    (160e9, "80B to 160B"),
    (400e9, "160B to 400B"),
)
MORE = "more than 400B"
UNKNOWN = "not known"

FACETS = (
    Facet("kind", "Kind", ("dense", "MoE")),
    Facet("size", "Parameters", (*(words for _, words in SIZES), MORE)),
    Facet("layers", "Layers", tuple(LAYERS.values())),
    Facet("audit", "Audit", ("audited", "unaudited", "yours")),
    Facet("licence", "Licence"),
    Facet("maker", "Maker"),
)


def billions(count: float) -> str:
    """A parameter count as people say it.

    >>> billions(7_615_616_512), billions(30_532_122_624), billions(134_515_008), billions(2.42e12)
    ('7.6B', '31B', '135M', '2.4T')
    """
    if count >= 0.9995e12:
        return f"{count / 1e12:.1f}T"
    if count < 0.9995e9:
        return f"{count / 1e6:.0f}M"
    return f"{count / 1e9:.1f}B" if count < 9.95e9 else f"{count / 1e9:.0f}B"


def model_row(entry: ModelEntry) -> Row:
    """One row; found by name, maker, family, kind, layers, licence and size."""
    record = entry.record
    count = parameters(record)
    size = billions(count)
    kind = "MoE" if record.experts else "dense"
    active = f"A{billions(active_parameters(record))}" if record.experts else ""
    layers = sorted({group.kind for group in record.layers or ()})
    audited = record.audit.status == "audited"
    sees = any(group.part in TOWERS for group in record.tensors)
    words = searchable(
        entry.name,
        entry.vendor,
        record.family,
        kind,
        "mixture of experts" if record.experts else "",
        size,
        active,
        _nearby(entry.name, count),
        "hybrid" if len(layers) > 1 else "",
        *layers,
        *(SPOKEN.get(name, "") for name in layers),
        "vision multimodal" if sees else "",
        record.licence or "",
        record.repository,
    )
    used = f", {active[1:]} for each token" if active else ""
    basis = _basis(record)
    missing = "" if audited else f"; missing: {'; '.join(record.audit.missing) or 'not said'}"
    standing = "your own" if entry.yours else f"{record.audit.status}{missing}"
    licence = f"\nLicence: {record.licence}" if record.licence else ""
    return Row(
        id=entry.id,
        name=entry.name,
        figures=(size, kind),
        search=words,
        tip=f"{entry.vendor} {entry.name}\n{size} parameters, {kind}{used}\n"
        f"Shapes and layers: {basis or 'no source'}; {standing}{licence}",
        yours=entry.yours,
        basis=basis,
        badge="" if audited or entry.yours else "unaudited",
        facets=_facets(entry, count, layers),
    )


def _nearby(name: str, count: float) -> str:
    """The whole billions beside the count, where the name itself tells no size.

    >>> _nearby("Phi-4", 14.66e9), _nearby("Qwen2.5-7B", 7.6e9)
    ('14b 15b', '')
    """
    if not 1e9 <= count < 1e12 or re.search(r"\d[bm]\b", name.casefold()):
        return ""
    low = int(count // 1e9)
    return f"{low}b {low + 1}b"


def _basis(record: ModelRecord) -> Basis | str:
    """The weakest basis of the facts that every answer needs."""
    needed = [record.sources[fact] for fact in ("shapes", "layers") if fact in record.sources]
    return weakest([reference.basis for reference in needed])


def _facets(entry: ModelEntry, count: float, layers: Sequence[str]) -> dict[str, tuple[str, ...]]:
    record = entry.record
    special = tuple(LAYERS[kind] for kind in layers if kind != "full")
    return {
        "kind": ("MoE" if record.experts else "dense",),
        "size": (next((words for most, words in SIZES if count <= most), MORE),),
        "layers": special or ((LAYERS["full"],) if layers else (UNKNOWN,)),
        "audit": ("yours" if entry.yours else record.audit.status,),
        "licence": (record.licence or UNKNOWN,),
        "maker": (entry.vendor,),
    }
