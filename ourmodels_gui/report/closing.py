"""What a ceiling does not say, the glossary, and the state of the catalog."""

from collections.abc import Sequence

from .. import __version__
from ..library.audit import count
from ..library.load import Library
from .shapes import Bullets, Column, Section, Table, Text
from .subject import Subject

LIMITS = (
    (
        "It is no forecast.",
        "A ceiling is what the memory and, for prompts, the arithmetic cannot exceed. Kernels, "
        "scheduling, unpacking of quantised weights, the processor's share, paging and heat take "
        "their part, and none of it is in the figures.",
    ),
    (
        "Failing is certain, passing is not.",
        "A machine whose ceiling is too low cannot do it. One whose ceiling is high enough still "
        "has to be measured.",
    ),
    (
        "Machines do not reach equal shares of their ceilings.",
        "One may sustain most of its printed bandwidth and another much less, so two ceilings "
        "that are close do not rank two machines.",
    ),
    (
        "Decode counts the memory only, unless the combined ceiling was chosen.",
        "Where arithmetic would take longer than the memory, a caution on the first page says so.",
    ),
    (
        "Expected expert routing is an average.",
        "Traffic whose tokens agree on experts moves fewer bytes, and traffic that does not moves "
        "more. Floor routing gives the guaranteed ceiling.",
    ),
    (
        "Sessions are taken as equal.",
        "Each reserves the same context and reads the same length; caches are private, with "
        "nothing shared between sessions.",
    ),
    (
        "Quality is not in it.",
        "How well a model answers, or what a weight format does to it, no figure here says.",
    ),
)

GLOSSARY = (
    ("ceiling", "an upper limit that is computed: a bound, an estimate or a policy ceiling."),
    ("bound", "a ceiling whose rates are upper limits and whose costs are lower limits."),
    ("estimate", "a ceiling with an average or a measured rate among its inputs."),
    ("session", "one conversation that is being served."),
    ("batch, b", "sessions that are served in the same iteration."),
    ("iteration", "one pass over the weights, which gives each session its next token."),
    ("decode, prefill", "writing the answer token by token; reading the prompt."),
    ("floor, r_star", "the least rate at which a session is still useful."),
    ("best batch, b*", "the largest batch that fits and keeps every session at the floor."),
    ("b_mem, b_rate", "sessions that the memory holds; sessions that the rate allows at most."),
    ("C, R, D", "memory capacity, memory bandwidth, and their product, memory power."),
    ("W_resident, W_active, W_batch(n)", "weights held; swept for one token; swept for n tokens."),
    ("K_alloc, K_read", "cache that a session reserves; cache that one token reads."),
    ("L_alloc, L_read", "reserved context; context that is read on average."),
    ("O", "runtime overhead: memory that neither weights nor cache may use."),
    ("rho, gamma, alpha", "tokens emitted per iteration; drafted tokens; their acceptance."),
    ("L, c, l", "prompt length; width of a chunk; where the prompt starts in the cache."),
    ("q, a", "bytes and FLOPs of one prompt token."),
    ("F_hw, phi", "compute rate of an arithmetic mode; the shares of the modes on a path."),
    ("S*", "positions of one sweep from which arithmetic takes longer than the memory."),
    ("P_lin,active", "parameters of the linear layers that one token uses."),
    ("kappa", "cache bytes that one prompt token writes."),
    ("pool", "memory that is filled as one: devices of one kind, or the memory of a host."),
    ("policy", "one way of using several devices or pools; its ceiling is a policy ceiling."),
    ("B_link", "speed of the link between devices or to the host, one way."),
    ("GB, GiB", "10^9 and 2^30 bytes."),
)


def limits(subjects: Sequence[Subject]) -> Section:
    """What the reader must not conclude."""
    speculating = any(subject.setup.speculation is not None for subject in subjects)
    more: tuple[tuple[str, str], ...] = ()
    if speculating:
        more = (
            (
                "Speculation is taken as typed.",
                "Acceptance depends on the text; the memory-power figures stay those of ordinary "
                "decode and may be exceeded.",
            ),
        )
    if any(subject.setup.composition is not None for subject in subjects):
        more = (
            *more,
            (
                "Several devices are joined without delay.",
                "Latency, and what layers on different devices hand each other, are left out, "
                "which only makes a ceiling higher. Arithmetic is charged as if it were done "
                "wherever it is fastest.",
            ),
        )
    return Section("limits", "What a ceiling does not say", (Bullets(LIMITS + more),))


def glossary() -> Section:
    """The words and symbols of the report."""
    half = (len(GLOSSARY) + 1) // 2
    right = (*GLOSSARY[half:], ("", ""))
    rows = tuple((*one, *other) for one, other in zip(GLOSSARY[:half], right, strict=False))
    columns = (Column("Word", 1), Column("Meaning", 2), Column("Word", 1), Column("Meaning", 2))
    return Section("glossary", "Glossary", (Table("glossary", "", columns, rows),))


def catalog(subjects: Sequence[Subject], library: Library) -> Section:
    """Versions, what the catalog rests on, and how the chosen entries were checked."""
    counts = count(library)
    bases = ", ".join(f"{number:,} {basis}" for basis, number in sorted(counts.figures.items()))
    said = [
        Text(
            f"Written by Our Models {__version__} with catalog {library.version or 'unnamed'}: "
            f"{counts.devices:,} devices in {counts.configurations:,} configurations and "
            f"{counts.models:,} models, {counts.audited:,} of them audited, "
            f"from {counts.sources:,} sources."
        ),
        Text(
            f"Figures of the devices: {bases}. An audited model is one whose tensors sum to the "
            "published total, or whose file explains the difference, and whose layers have a "
            "source."
        ),
    ]
    items: dict[tuple[str, str], None] = {}
    for subject in subjects:
        items.setdefault((f"{subject.machine}:", _machine_state(subject)))
        standing = _standing(subject)
        items.setdefault((f"{subject.model}:", standing))
    return Section("catalog", "Catalog and audit", (*said, Bullets(tuple(items))))


def _standing(subject: Subject) -> str:
    told = {item.name: item.source for item in subject.result.assumptions}
    return f"{told.get('model') or 'without a word on its audit'}."


def _machine_state(subject: Subject) -> str:
    """What capacity, bandwidth and rates rest on, and what its sources disagree about."""
    entry, ready = subject.entry, subject.ready
    if ready is not None:
        said = "your own composition" if ready.yours else "a composition of the catalog"
        return f"{said}; its parts and its link are among the assumptions, each with its source."
    if entry is None:
        return "typed, in no catalog."
    record = entry.record
    said = "your own machine" if entry.yours else "from the catalog"
    said += f"; capacity {entry.memory.basis}, bandwidth {record.memory.bandwidth.basis}"
    bases = sorted({figure.basis for figure in record.compute.values()})
    said += f", compute rates {' and '.join(bases)}." if bases else ", no compute rate known."
    conflicts = " ".join(record.conflicts)
    return f"{said} Sources disagree: {conflicts}" if conflicts else said
