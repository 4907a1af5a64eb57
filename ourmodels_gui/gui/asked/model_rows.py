"""A model as a row of the picker: what it shows, what it is found by, what it rests on."""

import re
from collections.abc import Iterator, Sequence

from ...language import mark, tr, written
from ...library.load import ModelEntry
from ...library.models import TOWERS, ModelRecord, active_parameters, parameters
from ...library.records import Basis
from ...spoken import spoken
from .search import Facet, Row, searchable, weakest

LAYERS = {
    "full": mark("full attention only"),
    "window": mark("window layers"),
    "latent": mark("latent cache"),
    "sparse": mark("sparse attention"),
    "state": mark("recurrent layers"),
}
SPOKEN = {"window": "sliding", "latent": "mla", "state": "recurrent linear mamba"}
"""Words that people type for a kind of layer."""

SIZES = (
    (4e9, mark("up to 4B")),
    (10e9, mark("4B to 10B")),
    (20e9, mark("10B to 20B")),
    (40e9, mark("20B to 40B")),
    (80e9, mark("40B to 80B")),
    (160e9, mark("80B to 160B")),
    (400e9, mark("160B to 400B")),
)
MORE = mark("more than 400B")
UNKNOWN = mark("not known")

FACETS = (
    Facet("kind", mark("Kind"), (mark("dense"), "MoE")),
    Facet("size", mark("Parameters"), (*(words for _, words in SIZES), MORE)),
    Facet("layers", mark("Layers"), tuple(LAYERS.values())),
    Facet("audit", mark("Audit"), (mark("audited"), mark("unaudited"), mark("yours"))),
    Facet("licence", mark("Licence")),
    Facet("maker", mark("Maker")),
)


def billions(count: float) -> str:
    """A parameter count as people say it.

    >>> billions(7_615_616_512), billions(30_532_122_624), billions(134_515_008), billions(2.42e12)
    ('7.6B', '31B', '135M', '2.4T')
    """
    if count >= 0.9995e12:
        return f"{written(count / 1e12, '.1f')}T"
    if count < 0.9995e9:
        return f"{count / 1e6:.0f}M"
    return f"{written(count / 1e9, '.1f' if count < 9.95e9 else '.0f')}B"


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
        f"{size} {active}".replace(",", "."),
        _nearby(entry.name, count),
        "hybrid" if len(layers) > 1 else "",
        *layers,
        *(SPOKEN.get(name, "") for name in layers),
        *(tr(LAYERS[name]) for name in layers),
        "vision multimodal" if sees else "",
        record.licence or "",
        record.repository,
    )
    basis = _basis(record)
    return Row(
        id=entry.id,
        name=entry.name,
        figures=(size, tr(kind)),
        search=words,
        tip="\n".join((f"{entry.vendor} {entry.name}", *_tip(record, basis, yours=entry.yours))),
        yours=entry.yours,
        basis=basis,
        badge="" if audited or entry.yours else tr("unaudited"),
        facets=_facets(entry, count, layers),
    )


def _tip(record: ModelRecord, basis: Basis | str, *, yours: bool) -> Iterator[str]:
    """What a model is, what its shapes rest on, and its licence."""
    size = billions(parameters(record))
    if record.experts:
        active = billions(active_parameters(record))
        words = tr("{size} parameters, MoE, {active} for each token")
        yield words.format(size=size, active=active)
    else:
        yield tr("{size} parameters, dense").format(size=size)
    standing = tr("your own") if yours else tr(record.audit.status)
    if not yours and record.audit.status != "audited":
        missing = "; ".join(map(spoken, record.audit.missing)) or tr("not said")
        standing = tr("unaudited; missing: {missing}").format(missing=missing)
    words = tr("Shapes and layers: {basis}; {standing}")
    yield words.format(basis=tr(basis) if basis else tr("no source"), standing=standing)
    if record.licence:
        yield tr("Licence: {licence}").format(licence=record.licence)


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
