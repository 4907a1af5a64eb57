"""macOS: sysctl and system_profiler.

Written from their documented output; not yet tried on such a computer.
"""

import json
import re

from ..language import tr
from .asking import Asking
from .found import Computer, Gpu


def computer(ask: Asking) -> Computer:
    """The computer as macOS describes it. An Apple chip's name comes with its GPU cores."""
    said = _sysctl(ask.run("sysctl", "machdep.cpu.brand_string", "hw.memsize", "hw.ncpu") or "")
    chip = said.get("machdep.cpu.brand_string", "")
    memory, cores = said.get("hw.memsize", ""), said.get("hw.ncpu", "")
    model = ask.run("sysctl", "-n", "hw.model") or ""
    shown = ask.run("system_profiler", "SPDisplaysDataType", "-json")
    gpus, unread = displays(shown or ""), []
    if shown is None:
        unread.append(tr("the graphics device: system_profiler gave no answer"))
    return Computer(
        "macOS",
        cpu=chip,
        cores=int(cores) if cores.isdigit() else None,
        memory_bytes=float(memory) if memory.isdigit() else None,
        gpus=gpus,
        portable="book" in model.lower() or None,
        unread=tuple(unread),
    )


def displays(printed: str) -> tuple[Gpu, ...]:
    """system_profiler SPDisplaysDataType -json: each device, with its cores where it has them.

    >>> displays('{"SPDisplaysDataType": [{"sppci_model": "Apple M1 Max", "sppci_cores": "32"}]}')
    (Gpu(name='Apple M1 Max (32-core GPU)', memory_bytes=None, ids='', shares=True),)
    """
    try:
        rows = json.loads(printed)["SPDisplaysDataType"]
    except (ValueError, KeyError, TypeError):
        return ()
    found = []
    for row in rows if isinstance(rows, list) else ():
        name = str(row.get("sppci_model", "")) if isinstance(row, dict) else ""
        if not name:
            continue
        cores = str(row.get("sppci_cores", ""))
        size = re.match(r"(\d+) GB", str(row.get("spdisplays_vram", "")))
        own = int(size.group(1)) * 2.0**30 if size else None
        label = f"{name} ({cores}-core GPU)" if cores.isdigit() else name
        found.append(Gpu(label, own, shares=name.startswith("Apple")))
    return tuple(found)


def _sysctl(printed: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in printed.splitlines())
    return {key: value.strip() for key, _, value in pairs}
