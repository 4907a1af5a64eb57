"""What a probe found, as text for people and as plain values."""

from typing import Any

import msgspec

from ..language import tr
from ..units import ENGLISH, Separators, digits, number
from .bandwidth import Bandwidth
from .candidates import Candidate
from .found import Computer

GIB = 2.0**30


def found_lines(
    computer: Computer, separators: Separators = ENGLISH
) -> tuple[tuple[str, str], ...]:
    """What was read, as pairs of a word and its value; "not readable" for what is unknown."""
    memory, cache = computer.memory_bytes, computer.cache_bytes

    def shown(value: float) -> str:
        return digits(value, 4, separators)

    rows = [
        (tr("system"), computer.system),
        (tr("processor"), computer.cpu or tr("not readable")),
        (tr("cores"), str(computer.cores or tr("not readable"))),
        (tr("last-level cache"), f"{shown(cache / 2**20)} MiB" if cache else tr("not readable")),
        (tr("main memory"), f"{shown(memory / GIB)} GiB" if memory else tr("not readable")),
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
                tr("{size} GiB {kind}, {speed}, {place}").format(
                    size=shown(module.capacity_bytes / GIB), kind=kind, speed=speed, place=place
                ),
            )
        )
    for gpu in computer.gpus:
        own = f"{shown(gpu.memory_bytes / GIB)} GiB" if gpu.memory_bytes else tr("memory unknown")
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


def candidate_line(candidate: Candidate, separators: Separators = ENGLISH) -> str:
    """One machine in a sentence: the catalog's, or what an own one has and lacks."""
    if candidate.id:
        return tr("{what}: {name}, in the catalog as {id}").format(
            what=candidate.what, name=candidate.name, id=candidate.id
        )
    size = candidate.capacity
    has = f"{digits(size.value, 6, separators)} {size.unit}" if size else tr("memory unknown")
    rate = candidate.bandwidth_gb_per_s
    reads = f"{digits(rate, 6, separators)} GB/s" if rate else tr("bandwidth unknown")
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


def bandwidth_lines(found: Bandwidth, separators: Separators = ENGLISH) -> tuple[str, ...]:
    """Each size with its median and spread, and the figure that is kept."""

    def shown(rate: float) -> str:
        return number(rate / 1e9, 1, separators)

    rows = [
        tr("{size} MiB: {median} GB/s, {low} to {high} in {count} passes").format(
            size=number(size.size_bytes / 2**20, 0, separators),
            median=shown(size.median),
            low=shown(min(size.rates)),
            high=shown(max(size.rates)),
            count=len(size.rates),
        )
        for size in found.sizes
    ]
    low, high = found.spread
    best = tr("{rate} GB/s sustained by {threads} threads").format(
        rate=shown(found.bytes_per_s), threads=found.threads
    )
    rows.append(
        tr("{best}; {low} to {high} from pass to pass").format(
            best=best, low=shown(low), high=shown(high)
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
