"""How the catalog was audited: the page that the repository and the window both show."""

from collections import Counter
from collections.abc import Iterator

from ..language import tr
from ..spoken import spoken
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
    yield tr("# How this catalog was audited\n")
    yield from _machines(library, counts)
    yield from _models(library, counts, sizes)
    yield from _open(library)


def _machines(library: Library, counts: Counts) -> Iterator[str]:
    yield "## " + tr("Machines") + "\n"
    yield (
        tr(
            "{devices} devices, {configurations} configurations: each memory size that "
            "can be bought is one. Their {figures} figures, by what they rest on:\n"
        ).format(
            devices=counts.devices,
            configurations=counts.configurations,
            figures=sum(counts.figures.values()),
        )
    )
    yield tr("| basis | figures | means |\n|---|---:|---|")
    meanings = {
        "published": tr("printed by the maker, or by a page that repeats the maker"),
        "derived": tr("computed from published facts; the figure says how"),
        "measured": tr("a sustained rate seen on a device, kept apart from the limits"),
        "unverified": tr("recollection, or a third party's word alone; shown as such"),
    }
    for basis, meaning in meanings.items():
        yield f"| {tr(basis)} | {counts.figures.get(basis, 0)} | {meaning} |"
    records = records_of(library).values()
    sound = sum(
        record.memory.bandwidth.basis != "unverified"
        and all(size.capacity.basis != "unverified" for size in record.configurations)
        for record in records
    )
    no_rate = sum(not record.compute for record in records)
    announced = sum(record.announced for record in records)
    yield (
        tr(
            "\nCapacity and bandwidth, on which every decode ceiling rests, are published "
            "or derived for {sound} of the {devices} devices. {no_rate} have no compute "
            "rate, {announced} are announced only.\n"
        ).format(sound=sound, devices=counts.devices, no_rate=no_rate, announced=announced)
    )
    recollection = sum(
        evidence.source == RECOLLECTION
        for record in records
        for evidence in (record.memory.bandwidth, *(s.capacity for s in record.configurations))
    )
    yield tr("{recollection} capacities and bandwidths rest on recollection alone.\n").format(
        recollection=recollection
    )


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
    yield "## " + tr("Models") + "\n"
    yield (
        tr(
            "{models} releases, {audited} of them audited: the parameters computed from "
            "every tensor's shape meet the published total within 0.1 %, or the file "
            "explains the difference, and the layout of the layers has a source.\n"
        ).format(models=counts.models, audited=counts.audited)
    )
    yield tr("| audited models | count |\n|---|---:|")
    yield tr("| computed and published total are the same number | {exact} |").format(exact=exact)
    yield tr("| they differ by at most 0.1 % | {near} |").format(near=near)
    yield tr("| the file explains a larger difference | {count} |").format(
        count=len(audited) - exact - near
    )
    yield tr(
        "| shapes come from a summary of the configuration; the total meets | {summaries} |"
    ).format(summaries=summaries)
    yield (
        tr(
            "\nA total that meets proves layers, widths, heads, experts, vocabulary and "
            "tie together. It proves nothing of windows, experts per token, context or "
            "precision; those rest on their source alone.\n"
        )
    )
    without = Counter(
        fact
        for entry in models
        for fact in ("licence", "released", "context_tokens")
        if getattr(entry.record, fact) is None
    )
    yield (
        tr(
            "Without a source, so left out: the licence of {licences}, the release date "
            "of {dates} and the context limit of {limits} models.\n"
        ).format(
            licences=without["licence"],
            dates=without["released"],
            limits=without["context_tokens"],
        )
    )
    if sizes:
        yield tr(
            "Published file sizes that the stored bytes are held against: [{sizes}]({sizes}).\n"
        ).format(sizes=sizes)
    yield tr("### Not audited\n\n| model | missing |\n|---|---|")
    for entry in models:
        if entry.record.audit.status != "audited":
            yield f"| {entry.name} | {'; '.join(map(spoken, entry.record.audit.missing))} |"


def _open(library: Library) -> Iterator[str]:
    disputes = list(conflicts(library))
    yield tr("\n## Known conflicts between sources ({count})\n").format(count=len(disputes))
    yield tr("| machine | conflict |\n|---|---|")
    for name, sentence in disputes:
        yield f"| {name} | {cell(sentence)} |"


def cell(text: str) -> str:
    """Words for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")
