"""Windows: CIM classes by PowerShell.

Written from their documented properties; not yet tried on such a computer.
"""

import json
from typing import Any

from ..language import tr
from .asking import Asking
from .found import Computer, Gpu, Module
from .linux import PORTABLE, STANDING, nvidia_gpus

CLASSES = {
    "Win32_Processor": "Name,NumberOfLogicalProcessors,L3CacheSize",
    "Win32_PhysicalMemory": "Capacity,SMBIOSMemoryType,ConfiguredClockSpeed,DeviceLocator,"
    "BankLabel,DataWidth",
    "Win32_VideoController": "Name,PNPDeviceID",
    "Win32_SystemEnclosure": "ChassisTypes",
    "Win32_ComputerSystem": "TotalPhysicalMemory,HypervisorPresent,Model",
}
TYPES = {24: "DDR3", 26: "DDR4", 27: "LPDDR", 28: "LPDDR2", 29: "LPDDR3", 30: "LPDDR4"}
TYPES |= {32: "HBM", 33: "HBM2", 34: "DDR5", 35: "LPDDR5"}
"""SMBIOS memory types."""
SCRIPT = (
    "@{"
    + ";".join(
        f"{name}=@(Get-CimInstance {name}|Select-Object {keys})" for name, keys in CLASSES.items()
    )
    + "}|ConvertTo-Json -Depth 4 -Compress"
)


def computer(ask: Asking) -> Computer:
    """The computer as Windows describes it."""
    printed = ask.run("powershell", "-NoProfile", "-NonInteractive", "-Command", SCRIPT)
    found = described(printed or "")
    smi = ask.run("nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
    told = nvidia_gpus(smi or "")
    others = tuple(gpu for gpu in found.gpus if not (told and "nvidia" in gpu.name.lower()))
    unread = () if printed is not None else (tr("everything: PowerShell gave no answer in time"),)
    return Computer(
        **{name: getattr(found, name) for name in found.__struct_fields__}
        | {"gpus": (*told, *others), "unread": (*found.unread, *unread)}
    )


def described(printed: str) -> Computer:
    """What the script printed. Windows gives no size of a graphics card's memory above 4 GB."""
    try:
        said = json.loads(printed)
    except ValueError:
        said = {}
    rows = {name: _rows(said, name) for name in CLASSES}
    cpus, system = rows["Win32_Processor"], (rows["Win32_ComputerSystem"] or [{}])[0]
    modules = tuple(filter(None, map(_module, rows["Win32_PhysicalMemory"])))
    chassis = {
        kind
        for row in rows["Win32_SystemEnclosure"]
        for kind in (row.get("ChassisTypes") or ())
        if isinstance(kind, int)
    }
    total = _number(system.get("TotalPhysicalMemory"))
    cache = sum(_number(cpu.get("L3CacheSize")) or 0.0 for cpu in cpus) * 1024
    return Computer(
        "Windows",
        cpu=" ".join(str(cpus[0].get("Name", "")).split()) if cpus else "",
        cores=int(sum(_number(cpu.get("NumberOfLogicalProcessors")) or 0 for cpu in cpus)) or None,
        memory_bytes=sum(module.capacity_bytes for module in modules) or total,
        cache_bytes=cache or None,
        modules=modules,
        gpus=tuple(
            Gpu(str(row["Name"]))
            for row in rows["Win32_VideoController"]
            if row.get("Name") and "basic" not in str(row["Name"]).lower()
        ),
        portable=bool(chassis & PORTABLE) if chassis & (PORTABLE | STANDING) else None,
    )


def _module(row: dict[str, Any]) -> Module | None:
    size, speed = _number(row.get("Capacity")), _number(row.get("ConfiguredClockSpeed"))
    if not size:
        return None
    bits = _number(row.get("DataWidth"))
    return Module(
        size,
        TYPES.get(int(_number(row.get("SMBIOSMemoryType")) or 0), ""),
        speed or None,
        str(row.get("DeviceLocator") or ""),
        str(row.get("BankLabel") or ""),
        int(bits) if bits else None,
    )


def _rows(said: Any, name: str) -> list[dict[str, Any]]:
    rows = said.get(name) if isinstance(said, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
