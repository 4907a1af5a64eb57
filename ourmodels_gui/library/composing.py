"""Several devices and pools of a scenario, looked up: a composition, and what to tell of it."""

from collections.abc import Callable
from difflib import get_close_matches

import msgspec

from ..composed import ComposedHardware, HardwareRef, PlacementChoice
from ..engine import placement
from ..engine.setup import Assumption, Composition, Device
from ..inline import InlineHardware
from ..language import mark, tr
from ..problem import BadInput
from .chosen import ChosenMachine
from .load import Library
from .rate_sources import capacity_source, rate_source

GB = 1e9
Look = Callable[[str | InlineHardware | HardwareRef], ChosenMachine]
Overhead = Callable[[str | None], float]


def composed(
    hardware: ComposedHardware, look: Look, overhead: Overhead, library: Library
) -> ChosenMachine:
    """The machine that a composition is, with its pools; one device alone is the ordinary case.

    Parameters: look, which resolves one machine; overhead, O of a kind of machine in bytes.
    Errors: BadInput with the path inside ``hardware``: an id that the library does not have, a pool
    whose overhead leaves nothing of it.
    """
    pools: list[ChosenMachine] = []
    devices = []
    for index, choice in enumerate(hardware.devices):
        key = f"hardware.devices[{index}]"
        found = _within(key, isinstance(choice.chosen, str), lambda c=choice: look(c.chosen))
        devices.append(_device(found, pools, overhead, key, choice.count or 1))
        pools.append(found)
    host = None
    if hardware.host_memory is not None:
        key, memory = "hardware.host_memory", hardware.host_memory
        found = _within(key, False, lambda: look(memory))
        host = _device(found, pools, overhead, key, 1)
        pools.append(found)
    speed, reduces, told = _link(hardware.link, library)
    composition = Composition(
        devices=tuple(devices),
        split=hardware.split or "layers",
        groups=hardware.groups,
        link_bytes_per_s=speed,
        link_reduces=reduces,
        host=host,
        pools=hardware.pools or "both",
        placement=_fractions(hardware.placement),
    )
    if placement.alone(composition) is not None:
        return pools[0]
    return ChosenMachine(
        name=hardware.name or _title(composition),
        kind=pools[0].kind,
        machine=placement.together(placement.pools_of(composition)),
        composition=composition,
        pools=tuple(pools),
        written=hardware,
        link=told,
    )


def told_of(chosen: ChosenMachine, library: Library) -> list[Assumption]:
    """What moves the answer of a composition beside its pools taken together."""
    made, written = chosen.composition, chosen.written
    assert made is not None
    assert written is not None
    told = []
    for pool, part in zip(placement.pools_of(made), chosen.pools, strict=True):
        what = tr("device, {count} x").format(count=pool.count)
        if pool is made.host:
            what = tr("host memory")
        machine = pool.machine
        told += [
            Assumption(what, pool.name, "", mark("part of the composition")),
            Assumption(
                tr("capacity of {pool} (C_i)").format(pool=pool.name),
                machine.capacity_bytes / GB,
                "GB",
                tr("each; {source}").format(source=tr(capacity_source(part, library))),
            ),
            Assumption(
                tr("bandwidth of {pool} (R_i)").format(pool=pool.name),
                machine.bandwidth_bytes_per_s / GB,
                "GB/s",
                tr("each; {source}").format(source=rate_source(part, "bandwidth", library)),
            ),
            Assumption(
                tr("overhead of {pool} (O_i)").format(pool=pool.name),
                pool.overhead_bytes / GB,
                "GB",
                mark("each"),
            ),
        ]
    if placement.device_count(made) > 1:
        told.append(Assumption(mark("split"), made.split, "", _typed(written.split)))
    if made.groups is not None:
        told.append(Assumption(mark("groups of sessions (g)"), made.groups, "", mark("typed")))
    if made.link_bytes_per_s is not None:
        told.append(
            Assumption(
                mark("link, one direction (B_link)"),
                made.link_bytes_per_s / GB,
                "GB/s",
                chosen.link,
            )
        )
    if made.host is not None:
        told.append(Assumption(mark("pools"), made.pools, "", _typed(written.pools)))
        told += [
            Assumption(
                tr("placement of {name}").format(name=tr(name)),
                share,
                mark("of it on the devices"),
                mark("typed"),
            )
            for name, share in made.placement.items()
        ]
        if not made.placement:
            told.append(
                Assumption(mark("placement"), "best", "", mark("every byte where it is best"))
            )
    return told


def _typed(choice: object) -> str:
    return mark("default") if choice is None else mark("typed")


def _title(composition: Composition) -> str:
    pools = placement.pools_of(composition)
    return " + ".join(f"{p.count} x {p.name}" if p.count > 1 else p.name for p in pools)


def _device(
    found: ChosenMachine, before: list[ChosenMachine], overhead: Overhead, key: str, count: int
) -> Device:
    """One kind of devices, or the host; a name that stands already gets a number."""
    kept = overhead(found.kind)
    if kept >= found.machine.capacity_bytes:
        raise BadInput(
            key,
            tr(
                "{name} holds {size:.6g} GB, all of it taken by the overhead of {kept:.6g} GB; "
                "lower workload.overhead_gb or choose another"
            ).format(name=found.name, size=found.machine.capacity_bytes / GB, kept=kept / GB),
        )
    same = sum(one.name == found.name for one in before)
    name = f"{found.name} ({same + 1})" if same else found.name
    return Device(name, found.machine, kept, count)


def _within(key: str, by_id: bool, look: Callable[[], ChosenMachine]) -> ChosenMachine:
    """Look up one machine; a fault is told with its path inside the composition."""
    try:
        return look()
    except BadInput as bad:
        inner = bad.problem.key
        if inner == "hardware":
            inner = f"{key}.id" if by_id else key
        elif inner.startswith("hardware."):
            inner = f"{key}.{inner.removeprefix('hardware.')}"
        raise BadInput(inner, bad.problem.message) from None


def _link(link: float | str | None, library: Library) -> tuple[float | None, bool, str]:
    """Bytes per second of one direction, whether it adds up on its way, and where that is from."""
    if link is None:
        return None, False, ""
    if isinstance(link, float):
        return link * GB, False, mark("typed")
    if link not in library.links:
        near = get_close_matches(link.lower()[:80], library.links, 3, 0.5)
        hint = tr("; near it: {names}").format(names=", ".join(near)) if near else ""
        raise BadInput(
            "hardware.link",
            tr(
                'there is no link "{asked}" in this library{hint}. Choose another, or write GB/s '
                "one way as a number"
            ).format(asked=" ".join(link.split())[:80], hint=hint),
        )
    entry = library.links[link]
    figure = entry.record.bandwidth
    source = library.sources.get(figure.source)
    title = source.title if source else figure.source
    words = tr("{link}; {basis}: {source}")
    if entry.reduces:
        words = tr("{link}, adds up on its way; {basis}: {source}")
    told = words.format(link=entry.name, basis=tr(figure.basis), source=title)
    return entry.bytes_per_s, entry.reduces, told


def _fractions(choice: str | PlacementChoice | None) -> dict[str, float]:
    if not isinstance(choice, PlacementChoice):
        return {}
    given = msgspec.structs.asdict(choice)
    return {name: share for name, share in given.items() if share is not None}
