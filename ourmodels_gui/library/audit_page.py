"""How the catalog was audited: the page that the repository and the window both show."""

from collections import Counter
from collections.abc import Iterator

from .audit import Counts, conflicts, count, shipped_models
from .check import records_of
from .load import Library
from .models import total_parameters
from .records import RECOLLECTION


def audit_page(library: Library, *, sizes: str = "") -> Iterator[str]:
    """How the catalog was audited, in numbers, and what stays open: a page in Markdown.

    sizes: where the page of computed file sizes is, if it is to be pointed at.
    """
    counts = count(library)
    yield "# How this catalog was audited\n"
    yield from _machines(library, counts)
    yield from _models(library, counts, sizes)
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


def _models(library: Library, counts: Counts, sizes: str) -> Iterator[str]:
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
    if sizes:
        yield f"Published file sizes that the stored bytes are held against: [{sizes}]({sizes}).\n"
    yield "### Not audited\n\n| model | missing |\n|---|---|"
    for entry in models:
        if entry.record.audit.status != "audited":
            yield f"| {entry.name} | {'; '.join(entry.record.audit.missing)} |"


def _open(library: Library) -> Iterator[str]:
    disputes = list(conflicts(library))
    yield f"\n## Known conflicts between sources ({len(disputes)})\n"
    yield "| machine | conflict |\n|---|---|"
    for name, sentence in disputes:
        yield f"| {name} | {cell(sentence)} |"


def cell(text: str) -> str:
    """Words for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
