"""Trees of files as Linux has them, and programs that answer what they are told to."""

import os
from pathlib import Path

from ourmodels_gui.probe.asking import Asking

CPUINFO = "processor\t: 0\nmodel name\t: {cpu}\nflags\t\t: fpu sse2{more}\n\n"

FOUR_MODULES = """E:MEMORY_ARRAY_NUM_DEVICES=4
E:MEMORY_DEVICE_0_PRESENT=0
E:MEMORY_DEVICE_0_LOCATOR=DIMM 0
E:MEMORY_DEVICE_0_BANK_LOCATOR=P0 CHANNEL A
E:MEMORY_DEVICE_1_SIZE=17179869184
E:MEMORY_DEVICE_1_TYPE=DDR5
E:MEMORY_DEVICE_1_SPEED_MTS=5600
E:MEMORY_DEVICE_1_CONFIGURED_SPEED_MTS=5200
E:MEMORY_DEVICE_1_DATA_WIDTH=64
E:MEMORY_DEVICE_1_LOCATOR=DIMM 1
E:MEMORY_DEVICE_1_BANK_LOCATOR=P0 CHANNEL A
E:MEMORY_DEVICE_2_PRESENT=0
E:MEMORY_DEVICE_3_SIZE=17179869184
E:MEMORY_DEVICE_3_TYPE=DDR5
E:MEMORY_DEVICE_3_SPEED_MTS=5600
E:MEMORY_DEVICE_3_CONFIGURED_SPEED_MTS=5200
E:MEMORY_DEVICE_3_DATA_WIDTH=64
E:MEMORY_DEVICE_3_LOCATOR=DIMM 1
E:MEMORY_DEVICE_3_BANK_LOCATOR=P0 CHANNEL B
"""


def linux(folder: Path, cpu: str, files: dict[str, str], smi: str | None = None, more: str = ""):
    """An `Asking` over a tree with a processor and further files; smi: what nvidia-smi prints."""
    tree = {"proc/cpuinfo": CPUINFO.format(cpu=cpu, more=more)} | files
    for name, text in tree.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        os.chmod(place, 0o644)
    return Asking(folder, run=lambda command: smi if command[0] == "nvidia-smi" else None)


def pci(slot: str, vendor: str, device: str, kind: str = "0x030000", **more: str):
    """The files of one device on the PCI bus."""
    place = f"sys/bus/pci/devices/{slot}"
    files = {"class": kind, "vendor": vendor, "device": device} | more
    return {f"{place}/{name}": f"{text}\n" for name, text in files.items()}
