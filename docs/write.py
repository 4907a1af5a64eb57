"""Writes the pages that are computed from the catalog: audit.md and catalog-sizes.md.

Run from the repository root after a change to the catalog: python docs/write.py
A test holds both pages to what this computes.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ourmodels_gui.library.audit import Counts, conflicts, count, shipped_models
from ourmodels_gui.library.check import records_of
from ourmodels_gui.library.formats import WEIGHT_FORMATS, file_bytes, tolerance
from ourmodels_gui.library.load import Library, load
from ourmodels_gui.library.models import total_parameters
from ourmodels_gui.library.records import RECOLLECTION

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SIZES = ROOT / "tests" / "data" / "model_sizes.json"
HEAD = "<!-- Written by docs/write.py; change the catalog or that file, not this one. -->\n"


def pages() -> dict[str, str]:
    """Every computed page by the name of its file."""
    library = load(ROOT / "catalog")
    return {
        "audit.md": "\n".join([HEAD, *audit(library)]) + "\n",
        "catalog-sizes.md": "\n".join([HEAD, *sizes(library)]) + "\n",
    }


def audit(library: Library) -> Iterator[str]:
    """How the catalog was audited, in numbers, and what stays open."""
    counts = count(library)
    yield "# How this catalog was audited\n"
    yield from _machines(library, counts)
    yield from _models(library, counts)
    yield from _open(library)


def _machines(library: Library, counts: Counts) -> Iterator[str]:
    yield "## Machines\n"
    yield (
        f"{counts.devices} devices, {counts.configurations} configurations: each memory size that "
        f"can be bought is one. Their {sum(counts.figures.values())} figures, by what they rest "
        "on:\n"
    )
    yield "| basis | figures | means |\n|---|---:|---|"
    meanings = {
        "published": "printed by the maker, or by a page that repeats the maker",
        "derived": "computed from published facts; the figure says how",
        "measured": "a sustained rate seen on a device, kept apart from the limits",
        "unverified": "recollection, or a third party's word alone; shown as such",
    }
    for basis, meaning in meanings.items():
        yield f"| {basis} | {counts.figures.get(basis, 0)} | {meaning} |"
    records = records_of(library).values()
    sound = sum(
        record.memory.bandwidth.basis != "unverified"
        and all(size.capacity.basis != "unverified" for size in record.configurations)
        for record in records
    )
    no_rate = sum(not record.compute for record in records)
    announced = sum(record.announced for record in records)
    yield (
        f"\nCapacity and bandwidth, on which every decode ceiling rests, are published or derived "
        f"for {sound} of the {counts.devices} devices. {no_rate} have no compute rate, "
        f"{announced} are announced only.\n"
    )
    recollection = sum(
        evidence.source == RECOLLECTION
        for record in records
        for evidence in (record.memory.bandwidth, *(s.capacity for s in record.configurations))
    )
    yield f"{recollection} capacities and bandwidths rest on recollection alone.\n"


def _models(library: Library, counts: Counts) -> Iterator[str]:
    models = shipped_models(library)
    audited = [entry.record for entry in models if entry.record.audit.status == "audited"]
    exact = sum(total_parameters(r) == r.published_parameters for r in audited)
    near = sum(
        0 < abs(total_parameters(r) / r.published_parameters - 1) <= 0.001
        for r in audited
        if r.published_parameters
    )
    summaries = sum("summary" in r.sources["shapes"].note for r in audited)
    yield "## Models\n"
    yield (
        f"{counts.models} releases, {counts.audited} of them audited: the parameters computed from "
        "every tensor's shape meet the published total within 0.1 %, or the file explains the "
        "difference, and the layout of the layers has a source.\n"
    )
    yield "| audited models | count |\n|---|---:|"
    yield f"| computed and published total are the same number | {exact} |"
    yield f"| they differ by at most 0.1 % | {near} |"
    yield f"| the file explains a larger difference | {len(audited) - exact - near} |"
    yield f"| shapes come from a summary of the configuration; the total meets | {summaries} |"
    yield (
        "\nA total that meets proves layers, widths, heads, experts, vocabulary and tie together. "
        "It proves nothing of windows, experts per token, context or precision; those rest on "
        "their source alone.\n"
    )
    without = Counter(
        fact
        for entry in models
        for fact in ("licence", "released", "context_tokens")
        if getattr(entry.record, fact) is None
    )
    yield (
        f"Without a source, so left out: the licence of {without['licence']}, the release date of "
        f"{without['released']} and the context limit of {without['context_tokens']} models.\n"
    )
    yield (
        "Published file sizes that the stored bytes are held against: "
        "[catalog-sizes.md](catalog-sizes.md).\n"
    )
    yield "### Not audited\n\n| model | missing |\n|---|---|"
    for entry in models:
        if entry.record.audit.status != "audited":
            yield f"| {entry.name} | {'; '.join(entry.record.audit.missing)} |"


def _open(library: Library) -> Iterator[str]:
    disputes = list(conflicts(library))
    yield f"\n## Known conflicts between sources ({len(disputes)})\n"
    yield "| machine | conflict |\n|---|---|"
    for name, sentence in disputes:
        yield f"| {name} | {_cell(sentence)} |"


def sizes(library: Library) -> Iterator[str]:
    """Stated sizes of files against the bytes computed for their tensors."""
    stated = json.loads(SIZES.read_text(encoding="utf-8"))
    compared = [row for row in stated if "model" in row]
    others = [row for row in stated if "model" not in row]
    exceptions = [row for row in compared if "exception" in row]
    rows, total = _rows(compared), _rows(stated)
    yield "# Computed and published sizes of model files\n"
    yield (
        f"{total} published rows state the size of a file, {len(stated)} different statements. "
        f"{rows} rows ({len(compared)} statements) are of a model and a format that the catalog "
        "has. Computed are the bytes of all tensors in the file, draft layers and towers included "
        "where the file holds them. They must meet the statement within 1 %, or 2.5 % where a "
        "GGUF format mixes blocks.\n"
    )
    yield (
        f"{rows - _rows(exceptions)} rows meet it; {_rows(exceptions)} do not "
        f"({_rows(exceptions) / rows:.1%}). `tests/data/model_sizes.json` holds every statement "
        "with its source.\n"
    )
    yield "## Exceptions\n\n| file | rows | stated | computed | difference | reason |"
    yield "|---|---:|---:|---:|---:|---|"
    for row in exceptions:
        yield f"| {row['file']} | {row['rows']} | {_sizes(library, row)} | {row['exception']} |"
    yield "\n## Not compared\n\nFormats that the catalog does not have.\n"
    yield "| file | rows | reason |\n|---|---:|---|"
    for row in others:
        yield f"| {_cell(row['file'])} | {row['rows']} | {row['not_compared']} |"
    yield "\n## By format\n\n| format | statements | rows | largest difference | allowed |"
    yield "|---|---:|---:|---:|---:|"
    for weights in dict.fromkeys(["native", *WEIGHT_FORMATS]):
        held = [row for row in compared if row["weights"] == weights and "exception" not in row]
        if held:
            worst = max((_difference(library, row) for row in held), key=abs)
            yield (
                f"| {weights} | {len(held)} | {_rows(held)} | {worst:+.2%} | "
                f"{tolerance(weights):.1%} |"
            )


def _rows(statements: list[dict]) -> int:
    return sum(row["rows"] for row in statements)


def _difference(library: Library, row: dict) -> float:
    return file_bytes(library.models[row["model"]].record, row["weights"]) / row["bytes"] - 1


def _sizes(library: Library, row: dict) -> str:
    computed = file_bytes(library.models[row["model"]].record, row["weights"])
    stated = row["bytes"]
    return f"{stated / 1e9:.2f} GB | {computed / 1e9:.2f} GB | {computed / stated - 1:+.1%}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write every page."""
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
