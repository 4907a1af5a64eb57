"""From a machine's name, as a benchmark prints it, to a catalog id, without guessing.

Rules, in order:

1. Of "device + processor", "2x device" and "device + CPU offload" the device is meant; what host
   memory is beside it, the name does not say.
2. "X on Y" means device X in host Y; "host (Nvidia X)" means device X.
3. A name that stands for one device of the catalog under another word (SYSTEMS) means that.
4. A processor whose memory sits in slots is not matched: its name does not say the speed of what
   was put in.
5. Otherwise the words of the name, makers and fillers aside, equal those of a record, aside from
   what only tells its variants apart (memory size, an Apple chip's core count). "Laptop" is such a
   word in no record, so a laptop never passes for a desktop.
6. Where a memory size is stated, only configurations of that size remain.
7. What remains must agree on what the ceiling needs: the bandwidth, and for prefill the rates.
"""

import re

import msgspec

from ..library.hardware import MachineEntry
from ..library.load import Library
from .runs import Reason

FILLERS = frozenset(
    (
        *("nvidia", "amd", "intel", "geforce", "radeon", "graphics", "generation", "gpu", "cpu"),
        *("8060s", "strix", "halo", "framework", "desktop", "mac", "studio"),
        *("neon", "hbm3", "hbm3e"),
    )
)
"""Words that tell no two devices of the catalog apart once the others agree."""
VARIANT = re.compile(r"\(?\b\d+[ -]core\b( gpu)?\)?|\b\d+ ?gb\b", re.I)
OTHER_WORDS = re.compile(r"\((GPU cores|memory) n/s\)|; memory n/s|, \d+ nodes RPC", re.I)
HOST = re.compile(r"\bcpu\b|xeon|ryzen|epyc|threadripper|core\(tm\)", re.I)
COUNT = re.compile(r"^\d+ ?x (?=\S)|\(\d+ of \d+ layers' experts on CPU\)", re.I)
INSIDE = re.compile(r"\((?:nvidia|amd|intel) ([^)]*)\)", re.I)
SLOTTED = re.compile(
    r"ryzen( ai)? \d\b|core\(tm\)|xeon|epyc|ampereone|optiplex|n150|mainboard|[78][46]0m", re.I
)
CORES = re.compile(r"\b(\d+)[ -](?:gpu[ -])?core", re.I)
WITHIN = 0.065
"""A device reports a little less than is sold: 11.94 of 12, 121.6 of 128, 15 of 16."""

SYSTEMS: tuple[tuple[str, str], ...] = (
    (r"\bGB10\b|DGX Spark", "nvidia-dgx-spark-gb10"),
    (r"\bGB200\b", "nvidia-gb200-per-gpu"),
    (r"\bGB300\b", "nvidia-gb300-per-gpu"),
    (r"\bB200\b", "nvidia-b200-sxm-hgx"),
    (r"\bH100[- ]SXM", "nvidia-h100-sxm5-80gb"),
    (r"\bA100 SXM 80GB", "nvidia-a100-sxm4-80gb"),
    (r"\bH200[- ]SXM", "nvidia-h200-sxm-141gb"),
    (r"\bH200[- ]NVL", "nvidia-h200-nvl-141gb"),
    (r"GH200 .*144GB", "nvidia-gh200-144gb-hbm3e"),
    (r"RTX PRO 6000 Blackwell Server", "rtx-pro-6000-blackwell-server"),
    (r"^Spark$", "nvidia-dgx-spark-gb10"),
    (r"^(NVIDIA|Tesla) T4$", "tesla-t4"),
    (r"^(Raspberry )?Pi 5\b", "raspberry-pi-5-32-bit-lpddr4x-4267"),
    (r"\bRTX 4090 ?D\b", "geforce-rtx-4090-d"),
    (r"6787P.*DDR5\)", "intel-xeon-6-6700p-granite-rapids-sp-8ch-ddr5-6400"),
    (r"6980P.*8800", "intel-xeon-6-6900p-granite-rapids-ap-12ch-mrdimm-8800"),
)
"""Printed names (patterns) that mean one record, by the record's file."""


class MachineMatch(msgspec.Struct, frozen=True):
    """id: of the catalog, "" when there is none. left_out: why not."""

    id: str
    left_out: Reason = ""


def match_machine(
    name: str, memory_gb: float | None, library: Library, needs_rates: bool = False
) -> MachineMatch:
    """The catalog machine that a printed name means, or why there is none.

    Parameters: name; memory_gb of one device, None when not stated; library; needs_rates, whether
    arithmetic rates matter beside the bandwidth.
    """
    named = devices_in(name)
    if len(named) != 1:
        return MachineMatch("", "machine not fully stated")
    device = named[0]
    found = _candidates(device, library)
    if not found:
        open_ = SLOTTED.search(device) or _is_part_of_a_name(device, library)
        return MachineMatch("", "machine not fully stated" if open_ else "machine unknown")
    if memory_gb is not None:
        found = [entry for entry in found if _has(entry, memory_gb)]
    needs = {_needed(entry, needs_rates) for entry in found}
    if len(needs) != 1:
        return MachineMatch("", "machine not fully stated")
    return MachineMatch(found[0].id)


def devices_in(name: str) -> tuple[str, ...]:
    """The devices that a printed name joins, each once for every time it stands there.

    >>> devices_in("2x Xeon Gold 6454S + 1x RTX 4090D 24GB"), devices_in("RTX 4090 + RTX 3090")
    (('RTX 4090D 24GB',), ('RTX 4090', 'RTX 3090'))
    """
    parts = [COUNT.sub("", part.strip()).strip() for part in name.split(" + ")]
    if len(parts) > 1:
        parts = [part for part in parts if not HOST.search(part)] or parts
    return tuple(_device(part) for part in parts)


def _device(name: str) -> str:
    found = INSIDE.search(name)
    return found.group(1) if found else name.partition(" on ")[0]


def _candidates(device: str, library: Library) -> list[MachineEntry]:
    for pattern, stem in SYSTEMS:
        if re.search(pattern, device, re.I):
            ids = {stem, *(id_ for id_ in library.machines if id_.startswith(stem + "-"))}
            return [entry for id_, entry in library.machines.items() if id_ in ids]
    if SLOTTED.search(device):
        return []
    words, cores, size = _words(device), CORES.search(device), re.search(r"\b(\d+) ?GB\b", device)
    found = []
    for entry in library.machines.values():
        if entry.yours or _words(entry.record.name) != words:
            continue
        theirs = CORES.search(entry.record.name)
        if cores and theirs and cores.group(1) != theirs.group(1):
            continue
        if size and not _has(entry, float(size.group(1))):
            continue
        found.append(entry)
    return found


def _is_part_of_a_name(device: str, library: Library) -> bool:
    """Whether records exist whose names say more: "H100" where there are PCIe and SXM."""
    words = _words(device)
    return bool(words) and any(
        words < _words(entry.record.name) for entry in library.machines.values()
    )


def _words(name: str) -> frozenset[str]:
    plain = VARIANT.sub(" ", OTHER_WORDS.sub(" ", name).lower().replace("geforce rtx", "rtx"))
    return frozenset(re.findall(r"[a-z0-9+]+", plain)) - FILLERS


def _has(entry: MachineEntry, memory_gb: float) -> bool:
    for size in entry.record.configurations:
        if size.id == entry.id:
            sold = (size.marketed or size.capacity).value
            return abs(memory_gb / sold - 1) <= WITHIN
    return False


def _needed(entry: MachineEntry, rates: bool) -> tuple[object, ...]:
    machine = entry.machine
    fastest = max(machine.compute_flop_per_s.values(), default=None) if rates else None
    return machine.bandwidth_bytes_per_s, fastest
