"""What a probe finds of a computer: plain facts, each as the system gives it."""

import re

import msgspec

CHANNEL = re.compile(r"channel[ _-]?([a-p]|\d+)|dimm[ _-]?([a-p])\d?\b|_([a-p])\d$", re.I)
CONTROLLER = re.compile(r"(?:controller|node|cpu|^p|proc)[ _-]?(\d+)", re.I)
CHANNEL_BYTES = 8
"""A channel of DDR memory is 64 bits wide; DDR5 halves it inside, which changes no sum."""


class Module(msgspec.Struct, frozen=True):
    """One memory module. speed_mt_per_s: what it runs at. locator, bank: where it sits, in the
    maker's words. bits: its data width, None when not said."""

    capacity_bytes: float
    type: str = ""
    speed_mt_per_s: float | None = None
    locator: str = ""
    bank: str = ""
    bits: int | None = None


class Gpu(msgspec.Struct, frozen=True):
    """One graphics device. name: the one it gives itself, "" when only numbers are known.
    memory_bytes: its own memory; None when unknown. ids: PCI vendor and device.
    shares: it works in main memory; its "own" is a part set aside of that."""

    name: str
    memory_bytes: float | None = None
    ids: str = ""
    shares: bool = False


class Computer(msgspec.Struct, frozen=True):
    """What was found.

    memory_bytes: main memory: installed where that is readable, else what the system can use.
    cores: that may be used. cache_bytes: of the last level, all of it. board: a single-board
    computer's own name. portable: None when the system does not say.
    unread: what could not be read, each with the reason, as sentences.
    """

    system: str
    cpu: str = ""
    cores: int | None = None
    memory_bytes: float | None = None
    cache_bytes: float | None = None
    modules: tuple[Module, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    board: str = ""
    portable: bool | None = None
    virtual: str = ""
    unread: tuple[str, ...] = ()


def channels(modules: tuple[Module, ...]) -> int | None:
    """How many memory channels the modules sit on; None where their places do not tell.

    >>> channels((Module(1, bank="P0 CHANNEL A"), Module(1, bank="P0 CHANNEL B")))
    2
    >>> channels((Module(1, locator="DIMM_A1"), Module(1, locator="DIMM_A2")))
    1
    >>> channels((Module(1, locator="DIMM 0"),)) is None
    True
    """
    seen = set()
    for module in modules:
        found = CHANNEL.search(module.bank) or CHANNEL.search(module.locator)
        if not found:
            return None
        where = CONTROLLER.search(f"{module.bank}") or CONTROLLER.search(module.locator)
        channel = next(group for group in found.groups() if group).lower()
        seen.add((where.group(1) if where else "", channel))
    return len(seen) or None


def bandwidth_bytes_per_s(modules: tuple[Module, ...]) -> float | None:
    """What the modules can deliver at most: channels x width x transfers.

    None where a speed, the channels or an ordinary width is unknown, or where speeds differ.

    >>> two = [Module(2**34, "DDR5", 5600, bank=f"P0 CHANNEL {letter}") for letter in "AB"]
    >>> bandwidth_bytes_per_s(tuple(two))
    89600000000.0
    """
    speeds = {module.speed_mt_per_s for module in modules}
    count = channels(modules)
    if len(speeds) != 1 or count is None or any(m.bits not in (None, 64) for m in modules):
        return None
    speed = speeds.pop()
    return count * CHANNEL_BYTES * speed * 1e6 if speed else None
