"""Linux: /proc, /sys, udev's copy of the DMI tables, nvidia-smi. Nothing of it needs root."""

import re

from ..language import tr
from .asking import Asking
from .found import Computer, Gpu, Module

PCI_IDS = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids")
DMI_COPY = "/run/udev/data/+dmi:id"
PORTABLE = {8, 9, 10, 11, 14, 30, 31, 32}
STANDING = {3, 4, 5, 6, 7, 13, 15, 16, 17, 23, 24, 34, 35, 36}
"""SMBIOS chassis types that are carried, and that stay where they are."""
MAKERS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
MEMORY = "/sys/devices/system/memory"
CPUS = "/sys/devices/system/cpu"


def computer(ask: Asking) -> Computer:
    """The computer under the root of `ask`."""
    unread: list[str] = []
    info = ask.text("/proc/cpuinfo")
    board = ask.text("/proc/device-tree/model") or ask.text("/sys/firmware/devicetree/base/model")
    virtual = _virtual(ask, info)
    modules = memory_modules(ask.text(DMI_COPY))
    if virtual:
        unread.append(
            tr(
                "this is a virtual machine ({system}): what it reports is its share, and the "
                "speed of the host's memory cannot be seen from inside"
            ).format(system=virtual)
        )
    elif not modules and not board:
        unread.append(
            tr(
                "the memory's type and speed: the DMI tables are for root alone, and udev "
                "keeps no copy"
            )
        )
    chassis = ask.number("/sys/class/dmi/id/chassis_type")
    gpus = _gpus(ask, unread)
    return Computer(
        "Linux",
        cpu=_cpu_name(info),
        cores=_count(ask.text(f"{CPUS}/online")) or info.count("processor\t") or None,
        memory_bytes=_memory_bytes(ask, modules),
        cache_bytes=_cache_bytes(ask),
        modules=modules,
        gpus=gpus,
        board=board,
        portable=chassis in PORTABLE if chassis in PORTABLE | STANDING else None,
        virtual=virtual,
        unread=tuple(unread),
    )


def memory_modules(udev: str) -> tuple[Module, ...]:
    """The modules in udev's copy of the DMI tables (its lines "E:MEMORY_DEVICE_0_SIZE=...").

    Parameters: udev, the text of its file of the DMI device; sizes there are bytes.
    """
    slots: dict[str, dict[str, str]] = {}
    for number, key, value in re.findall(r"^E:MEMORY_DEVICE_(\d+)_(\w+)=(.*)$", udev, re.M):
        slots.setdefault(number, {})[key] = value.strip()
    found = []
    for slot in slots.values():
        size = slot.get("SIZE", "")
        if slot.get("PRESENT") == "0" or not size.isdigit() or int(size) == 0:
            continue
        speed = slot.get("CONFIGURED_SPEED_MTS") or slot.get("SPEED_MTS", "")
        bits = slot.get("DATA_WIDTH", "")
        found.append(
            Module(
                float(size),
                _known(slot.get("TYPE", "")),
                float(speed) if speed.isdigit() and int(speed) else None,
                slot.get("LOCATOR", ""),
                slot.get("BANK_LOCATOR", ""),
                int(bits) if bits.isdigit() and int(bits) else None,
            )
        )
    return tuple(found)


def pci_name(ids: str, vendor: str, device: str) -> str:
    """The name of a device in a list of PCI ids; "" when it is not there.

    >>> pci_name("10de  NVIDIA Corporation\\n\\t2684  AD102 [GeForce RTX 4090]\\n", "10de", "2684")
    'AD102 [GeForce RTX 4090]'
    """
    section = re.search(rf"^{vendor}  .*\n((?:[\t#].*\n|\n)*)", ids, re.M)
    row = re.search(rf"^\t{device}  (.*)$", section.group(1), re.M) if section else None
    return row.group(1).strip() if row else ""


def nvidia_gpus(printed: str) -> tuple[Gpu, ...]:
    """Rows of nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits.

    >>> nvidia_gpus("NVIDIA GeForce RTX 4090, 24564\\nNVIDIA GB10, [N/A]\\n")[0].memory_bytes
    25757220864.0
    """
    found = []
    for line in printed.splitlines():
        name, _, memory = line.rpartition(",")
        if name.strip():
            size = memory.strip()
            own = float(size) * 2**20 if size.isdigit() else None
            found.append(Gpu(name.strip(), own, shares=own is None))
    return tuple(found)


def _gpus(ask: Asking, unread: list[str]) -> tuple[Gpu, ...]:
    found: list[Gpu] = []
    printed = ask.run(
        "nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"
    )
    told = nvidia_gpus(printed or "")
    for slot in ask.names("/sys/bus/pci/devices"):
        place = f"/sys/bus/pci/devices/{slot}"
        kind = ask.number(f"{place}/class")
        if kind is None or kind >> 16 not in (0x03, 0x12):  # display, processing accelerator
            continue
        vendor, device = ask.text(f"{place}/vendor"), ask.text(f"{place}/device")
        if vendor not in MAKERS or (vendor == "0x10de" and told):
            continue
        gpu = _amd(ask, place, vendor, device) if vendor == "0x1002" else None
        if vendor == "0x10de":
            model = ask.text(f"/proc/driver/nvidia/gpus/{slot}/information")
            name = re.search(r"^Model:\s*(.+)$", model, re.M)
            gpu = Gpu(name.group(1).strip(), ids=f"{vendor[2:]}:{device[2:]}") if name else None
        gpu = gpu or Gpu(_named(ask, vendor, device), ids=f"{vendor[2:]}:{device[2:]}")
        if not gpu.name:
            unread.append(
                tr(
                    "a {maker} device {vendor}:{device}: neither its driver nor a list of PCI "
                    "ids gives its name"
                ).format(maker=MAKERS[vendor], vendor=vendor[2:], device=device[2:])
            )
        found.append(gpu)
    if printed is None and any(gpu.ids.startswith("10de") for gpu in found):
        unread.append(tr("the memory of the NVIDIA device: nvidia-smi gave no answer"))
    return (*told, *found)


def _amd(ask: Asking, place: str, vendor: str, device: str) -> Gpu:
    """AMD's driver gives the memory; a part set aside of main memory on a processor's own unit."""
    size = ask.number(f"{place}/mem_info_vram_total")
    kind = ask.text(f"{place}/mem_info_vram_vendor")
    name = ask.text(f"{place}/product_name") or _named(ask, vendor, device)
    # A card's memory has a maker; what is set aside of main memory has none.
    shares = size is not None and kind in ("", "unknown")
    return Gpu(name, float(size) if size else None, f"{vendor[2:]}:{device[2:]}", shares)


def _named(ask: Asking, vendor: str, device: str) -> str:
    for path in PCI_IDS:
        if name := pci_name(ask.text(path) + "\n", vendor[2:], device[2:]):
            return name
    return ""


def _cpu_name(info: str) -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", info, re.M)
    return " ".join(found.group(1).split()) if found else ""


def _virtual(ask: Asking, info: str) -> str:
    if not re.search(r"^flags\s*:.*\bhypervisor\b", info, re.M):
        return ""
    maker = ask.text("/sys/class/dmi/id/sys_vendor")
    return ask.text("/sys/hypervisor/type") or maker or "its processor says so"


def _memory_bytes(ask: Asking, modules: tuple[Module, ...]) -> float | None:
    """Of the modules; else the blocks of memory that the system manages; else what is usable."""
    if modules:
        return sum(module.capacity_bytes for module in modules)
    block = ask.text(f"{MEMORY}/block_size_bytes")
    blocks = [name for name in ask.names(MEMORY) if re.fullmatch(r"memory\d+", name)]
    if blocks and re.fullmatch("[0-9a-f]+", block):
        return float(len(blocks) * int(block, 16))
    usable = re.search(r"^MemTotal:\s*(\d+) kB", ask.text("/proc/meminfo"), re.M)
    return int(usable.group(1)) * 1024.0 if usable else None


def _cache_bytes(ask: Asking) -> float | None:
    """The largest level, once for each group of cores that shares one."""
    best: dict[int, dict[str, int]] = {}
    for cpu in ask.names(CPUS):
        if not re.fullmatch(r"cpu\d+", cpu):
            continue
        for index in ask.names(f"{CPUS}/{cpu}/cache"):
            place = f"{CPUS}/{cpu}/cache/{index}"
            level = ask.number(f"{place}/level")
            size = re.fullmatch(r"(\d+)K", ask.text(f"{place}/size"))
            if level and size:
                shared = ask.text(f"{place}/shared_cpu_list") or cpu
                best.setdefault(level, {})[shared] = int(size.group(1)) * 1024
    return float(sum(best[max(best)].values())) if best else None


def _count(spans: str) -> int:
    """How many numbers a list such as "0-3,8" names."""
    total = 0
    for span in filter(None, spans.split(",")):
        first, _, last = span.partition("-")
        if first.isdigit() and (last or first).isdigit():
            total += int(last or first) - int(first) + 1
    return total


def _known(type_: str) -> str:
    return "" if type_.lower() in ("unknown", "other", "<out of spec>", "ram", "dram") else type_
