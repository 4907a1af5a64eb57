"""Draws figures and facts of the catalog at random, so that a person can trace each to its source.

Run from the repository root: python docs/draw_figures.py [how many] [seed]
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ourmodels_gui.library.audit import shipped_models
from ourmodels_gui.library.check import evidence_of, records_of
from ourmodels_gui.library.load import Library, load
from ourmodels_gui.library.models import ModelRecord, total_parameters
from ourmodels_gui.library.records import Figure

CATALOG = Path(__file__).resolve().parent.parent / "catalog"


class Drawn(NamedTuple):
    """One figure: where it stands, what it says, and what it rests on."""

    file: str
    key: str
    says: str
    basis: str
    source: str
    where: str


def population(library: Library) -> list[Drawn]:
    """Every figure of a machine and every sourced fact of a model, in a fixed order."""
    return [*_of_machines(library), *_of_models(library)]


def draw(library: Library, number: int, seed: int) -> list[Drawn]:
    """`number` different figures; the same seed over the same catalog gives the same ones."""
    return random.Random(seed).sample(population(library), number)


def _of_machines(library: Library) -> Iterator[Drawn]:
    for place, record in sorted(records_of(library).items()):
        for key, figure in evidence_of(record):
            if isinstance(figure, Figure):
                says = f"{figure.value:g} {figure.unit}"
                file = f"hardware/{Path(place).name}"
                yield Drawn(file, key, says, figure.basis, figure.source, figure.where)


def _of_models(library: Library) -> Iterator[Drawn]:
    for entry in shipped_models(library):
        for fact, reference in sorted(entry.record.sources.items()):
            says = _fact(entry.record, fact)
            file = f"models/{entry.id}.json"
            yield Drawn(file, fact, says, reference.basis, reference.source, reference.where)


def _fact(record: ModelRecord, fact: str) -> str:
    """The fact in a line short enough to compare."""
    if fact == "layers":
        return "; ".join(
            f"{g.count} {g.kind} {g.query_heads}/{g.key_heads} x {g.key_width}"
            + (f", window {g.window_tokens}" if g.window_tokens else "")
            for g in record.layers or ()
        )
    return {
        "shapes": f"{record.layer_count} layers, width {record.hidden_width}, "
        f"{total_parameters(record):,} parameters",
        "total": f"{record.published_parameters or 0:,} parameters",
        "context": f"{record.context_tokens or 0:,} tokens",
        "licence": record.licence or "",
        "released": record.released or "",
        "published": "; ".join(
            f"{weights}: {file.repository}"
            + "".join(f", {name} {encoding}" for name, encoding in file.encodings.items())
            for weights, file in record.published.items()
        ),
    }.get(fact, "")


def main(number: int = 20, seed: int = 20261130) -> None:
    """Print the draw, one figure a paragraph."""
    library = load(CATALOG)
    for drawn in draw(library, number, seed):
        source = library.sources[drawn.source]
        print(f"{drawn.file}: {drawn.key}: {drawn.says} ({drawn.basis})")
        print(f"    {source.title}, {source.place}, read {source.read or 'never'}")
        print(f"    {drawn.where or 'no place given'}")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:3]))
