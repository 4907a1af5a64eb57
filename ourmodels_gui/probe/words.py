"""What a probe found, as text for people and as plain values."""

from typing import Any

import msgspec

from ..language import tr
from .bandwidth import Bandwidth
from .candidates import Candidate
from .found import Computer

GIB = 2.0**30


def found_lines(computer: Computer) -> tuple[tuple[str, str], ...]:
    """What was read, as pairs of a word and its value; "not readable" for what is unknown."""
    memory, cache = computer.memory_bytes, computer.cache_bytes
    rows = [
        (tr("system"), computer.system),
        (tr("processor"), computer.cpu or tr("not readable")),
        (tr("cores"), str(computer.cores or tr("not readable"))),
        (tr("last-level cache"), f"{cache / 2**20:.0f} MiB" if cache else tr("not readable")),
        (tr("main memory"), f"{memory / GIB:.4g} GiB" if memory else tr("not readable")),
    ]
    if computer.board:
        rows.insert(1, (tr("board"), computer.board))
    for module in computer.modules:
        speed = f"{module.speed_mt_per_s:g} MT/s" if module.speed_mt_per_s else tr("speed unknown")
        place = " ".join(filter(None, (module.bank, module.locator)))
        kind = module.type or tr("type unknown")
        rows.append(
            (
                tr("module"),
                tr("{size:g} GiB {kind}, {speed}, {place}").format(
                    size=module.capacity_bytes / GIB, kind=kind, speed=speed, place=place
                ),
            )
        )
    for gpu in computer.gpus:
        own = f"{gpu.memory_bytes / GIB:.4g} GiB" if gpu.memory_bytes else tr("memory unknown")
        words = tr("{name}, {memory}")
        if gpu.shares:
            words = tr("{name}, {memory}, works in main memory")
        rows.append((tr("graphics"), words.format(name=gpu.name or gpu.ids, memory=own)))
    if not computer.gpus:
        rows.append((tr("graphics"), tr("none found")))
    if computer.portable is not None:
        rows.append(
            (tr("form"), tr("laptop or tablet") if computer.portable else tr("stands in its place"))
        )
    return tuple(rows)


def candidate_line(candidate: Candidate) -> str:
    """One machine in a sentence: the catalog's, or what an own one has and lacks."""
    if candidate.id:
        return tr("{what}: {name}, in the catalog as {id}").format(
            what=candidate.what, name=candidate.name, id=candidate.id
        )
    size = candidate.capacity
    has = f"{size.value:g} {size.unit}" if size else tr("memory unknown")
    rate = candidate.bandwidth_gb_per_s
    reads = f"{rate:g} GB/s" if rate else tr("bandwidth unknown")
    kind = f" {candidate.memory_type}" if candidate.memory_type else ""
    return tr("{what}: {name}, {has}{kind}, {reads}; your own machine").format(
        what=candidate.what, name=candidate.name, has=has, kind=kind, reads=reads
    )


def refusals(computer: Computer, found: tuple[Candidate, ...]) -> tuple[str, ...]:
    """What could not be read, and what was not guessed."""
    own = (f"{one.what}: {one.why_not}" for one in found if one.why_not)
    return (*computer.unread, *own)


def as_text(
    computer: Computer, found: tuple[Candidate, ...], bandwidth: Bandwidth | None = None
) -> str:
    """The probe for a person."""
    width = max(len(label) for label, _ in found_lines(computer)) + 2
    lines = ["Found"]
    lines += [f"  {label:<{width}}{value}" for label, value in found_lines(computer)]
    lines += ["", "Machines"]
    for one in found:
        lines.append(f"  {candidate_line(one)}")
        lines += [f"    {note}" for note in one.notes]
    if said := refusals(computer, found):
        lines += ["", "Not guessed", *(f"  {sentence}" for sentence in said)]
    if bandwidth is not None:
        lines += ["", "Read bandwidth of main memory, measured"]
        lines += [f"  {line}" for line in bandwidth_lines(bandwidth)]
    return "\n".join(lines) + "\n"


def bandwidth_lines(found: Bandwidth) -> tuple[str, ...]:
    """Each size with its median and spread, and the figure that is kept."""
    rows = [
        f"{size.size_bytes / 2**20:6.0f} MiB  {size.median / 1e9:7.1f} GB/s, "
        f"{min(size.rates) / 1e9:.1f} to {max(size.rates) / 1e9:.1f} in {len(size.rates)} passes"
        for size in found.sizes
    ]
    low, high = found.spread
    best = tr("{rate:.1f} GB/s sustained by {threads} threads").format(
        rate=found.bytes_per_s / 1e9, threads=found.threads
    )
    rows.append(
        tr("{best}; {low:.1f} to {high:.1f} from pass to pass").format(
            best=best, low=low / 1e9, high=high / 1e9
        )
    )
    if found.unsteady:
        rows.append(
            tr("passes differ much: other programs ran; measure again when nothing else runs")
        )
    return tuple(rows)


def as_values(
    computer: Computer, found: tuple[Candidate, ...], bandwidth: Bandwidth | None = None
) -> dict[str, Any]:
    """The same for a program; quantities in SI units."""
    values: dict[str, Any] = {
        "computer": msgspec.to_builtins(computer),
        "machines": msgspec.to_builtins(found),
    }
    if bandwidth is not None:
        low, high = bandwidth.spread
        values["bandwidth"] = {
            "bytes_per_s": bandwidth.bytes_per_s,
            "unsteady": bandwidth.unsteady,
            "lowest_bytes_per_s": low,
            "highest_bytes_per_s": high,
            "threads": bandwidth.threads,
            "sizes": msgspec.to_builtins(bandwidth.sizes),
        }
    return values
