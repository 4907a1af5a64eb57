"""From what was found to machines: one of the catalog, or one of the user's own to be filled in.

Rules: a name is matched as measurements' names are (`measured.machines`), so a laptop's device
never passes for a desktop's, nor a name that stands for several devices for one. A processor whose
memory sits in slots is nobody's but the user's: its modules decide what it reads.
"""

import re

import msgspec

from ..language import mark, tr
from ..library.hardware import Configuration, HardwareRecord, Kind, Memory, machine_entries
from ..library.load import Library
from ..library.records import Figure
from ..measured.machines import match_machine
from ..problem import BadInput
from .found import Computer, Gpu, bandwidth_bytes_per_s, channels

GIB = 2.0**30
FOUND = mark("read by the probe of this computer")
SEVERAL = re.compile(r"/|Max-Q / Mobile|\bMobile\b")
VENDORS = ("NVIDIA", "AMD", "Intel", "Apple", "Qualcomm", "Ampere")


class Candidate(msgspec.Struct, frozen=True):
    """One machine that this computer is or holds.

    what: the part in words. id: of the catalog, "" when it is none of them, and `why_not`.
    name ... bandwidth_gb_per_s: what an own machine starts from; bandwidth None when it is unknown
    and has to be typed. reads_main_memory: whether a read of main memory measures this machine.
    notes: what was taken from where.
    """

    what: str
    name: str
    kind: Kind
    id: str = ""
    why_not: str = ""
    vendor: str = ""
    capacity: Figure | None = None
    memory_type: str = ""
    bandwidth_gb_per_s: float | None = None
    reads_main_memory: bool = False
    notes: tuple[str, ...] = ()

    def record(self) -> HardwareRecord | None:
        """An own machine; None while its memory or bandwidth is unknown.

        Raises BadInput for a name or a figure that no machine can have.
        """
        if self.capacity is None or self.bandwidth_gb_per_s is None:
            return None
        bandwidth = Figure(
            self.bandwidth_gb_per_s, "GB/s", basis="derived", where="; ".join(self.notes)
        )
        made = HardwareRecord(
            name=self.name,
            vendor=self.vendor or "own",
            kind=self.kind,
            memory=Memory(self.memory_type, bandwidth),
            configurations=(Configuration("own", self.capacity),),
            notes=self.notes,
        )
        try:  # the same reading as a file's, so that what is saved can be loaded
            made = msgspec.convert(msgspec.to_builtins(made), HardwareRecord)
        except msgspec.ValidationError as bad:
            raise BadInput("name", str(bad)) from None
        machine_entries(made)
        return made


def candidates(computer: Computer, library: Library) -> tuple[Candidate, ...]:
    """The machines of a computer, the fastest kind first: its cards, its shared memory, its
    processor."""
    cards = [_card(gpu, computer, library) for gpu in computer.gpus if not gpu.shares]
    unified = _unified(computer, library)
    if unified is not None and unified.id:
        return (*cards, unified)
    return (*cards, *([unified] if unified else []), _processor(computer))


def _card(gpu: Gpu, computer: Computer, library: Library) -> Candidate:
    name = _device_name(gpu.name)
    size = Figure(round(gpu.memory_bytes / GIB, 3), "GiB") if gpu.memory_bytes else None
    made = Candidate(
        tr("graphics card"),
        name or tr("graphics device {ids}").format(ids=gpu.ids),
        "discrete",
        vendor=_vendor(name),
        capacity=size,
        notes=(tr("memory {size:g} GiB: {source}").format(size=size.value, source=tr(FOUND)),)
        if size
        else (),
    )
    if not name:
        return _refused(made, tr("it gives no name"))
    if SEVERAL.search(name):
        return _refused(
            made,
            tr("“{name}” stands for several devices; no one of them is taken").format(name=name),
        )
    found = match_machine(name, gpu.memory_bytes / GIB if gpu.memory_bytes else None, library, True)
    if not found.id:
        return _refused(made, f"“{name}”: {found.left_out}")
    record = library.machines[found.id].record
    if computer.portable and record.forms and "laptop" not in record.forms:
        return _refused(
            made,
            tr("this is a laptop, and the catalog's {name} is no laptop's device").format(
                name=record.name
            ),
        )
    return _matched(made, found.id, library)


def _unified(computer: Computer, library: Library) -> Candidate | None:
    """The processor, board or device that computes in main memory, where the catalog knows one."""
    sharing = [gpu for gpu in computer.gpus if gpu.shares]
    names = [gpu.name for gpu in sharing if gpu.name]
    names += [re.sub(r"\s+(w/|with) .*", "", computer.cpu), computer.board]
    set_aside = sum(gpu.memory_bytes or 0.0 for gpu in sharing)
    memory = None
    if computer.memory_bytes is not None:
        memory = computer.memory_bytes + (0.0 if computer.modules else set_aside)
    reasons = []
    for name in filter(None, names):
        found = match_machine(_device_name(name), memory and memory / GIB, library, True)
        if not found.id:  # a size that the firmware has cut is no matter where there is only one
            only = match_machine(_device_name(name), None, library, True)
            if only.id and len(library.machines[only.id].record.configurations) == 1:
                found = only
        if found.id and library.machines[found.id].kind in ("unified", "cpu"):
            entry = library.machines[found.id]
            kind = tr("unified memory") if entry.kind == "unified" else tr("board")
            made = Candidate(kind, entry.name, entry.kind, vendor=entry.vendor)
            return _matched(made, found.id, library)
        reasons.append(f"“{name}”: {found.left_out}")
    if not sharing:
        return None
    size = Figure(round(memory / GIB, 3), "GiB") if memory else None
    made = Candidate(
        tr("unified memory"),
        names[0],
        "unified",
        vendor=_vendor(computer.cpu),
        capacity=size,
        memory_type=_types(computer),
    )
    return _refused(_with_modules(made, computer), "; ".join(dict.fromkeys(reasons)))


def _processor(computer: Computer) -> Candidate:
    """The processor with its main memory: an own machine, as far as its modules are readable."""
    size = computer.memory_bytes
    made = Candidate(
        tr("processor and main memory"),
        computer.cpu or computer.board or tr("This computer"),
        "cpu",
        vendor=_vendor(computer.cpu),
        capacity=Figure(round(size / GIB, 3), "GiB") if size else None,
        memory_type=_types(computer),
        reads_main_memory=True,
    )
    why = tr("its memory sits in slots or behind a host, so its name does not say what it reads")
    return _refused(_with_modules(made, computer), why)


def _with_modules(made: Candidate, computer: Computer) -> Candidate:
    modules, notes = computer.modules, list(made.notes)
    rate = bandwidth_bytes_per_s(modules)
    if computer.memory_bytes:
        source = tr("its modules") if modules else tr("what the system manages")
        notes.append(
            tr("memory {size:.4g} GiB: {source}").format(
                size=computer.memory_bytes / GIB, source=source
            )
        )
    if rate is not None:
        speed = modules[0].speed_mt_per_s
        notes.append(
            tr(
                "bandwidth {rate:.4g} GB/s: {channels} channels of 8 bytes at {speed:g} MT/s"
            ).format(rate=rate / 1e9, channels=channels(modules), speed=speed)
        )
    elif modules:
        notes.append(tr("bandwidth unknown: the modules do not say their speed and channels alike"))
    else:
        notes.append(tr("bandwidth unknown: no module could be read; type it from the data sheet"))
    rate_gb = None if rate is None else round(rate / 1e9, 6)
    return msgspec.structs.replace(made, bandwidth_gb_per_s=rate_gb, notes=tuple(notes))


def _matched(made: Candidate, id_: str, library: Library) -> Candidate:
    entry = library.machines[id_]
    return msgspec.structs.replace(
        made,
        id=id_,
        kind=entry.kind,
        capacity=entry.memory,
        memory_type=entry.record.memory.type,
        bandwidth_gb_per_s=entry.machine.bandwidth_bytes_per_s / 1e9,
        reads_main_memory=entry.kind == "cpu",
    )


def _refused(made: Candidate, why: str) -> Candidate:
    return msgspec.structs.replace(made, why_not=why)


def _device_name(name: str) -> str:
    """The sold name in a list's "AD102 [GeForce RTX 4090]".

    >>> _device_name("AD102 [GeForce RTX 4090]"), _device_name("NVIDIA GB10")
    ('GeForce RTX 4090', 'NVIDIA GB10')
    """
    inside = re.search(r"\[([^]]+)\]", name)
    return inside.group(1) if inside else re.sub(r"\((?:R|TM)\)", "", name).strip()


def _types(computer: Computer) -> str:
    """The modules' type, where they have one."""
    kinds = {module.type for module in computer.modules}
    return kinds.pop() if len(kinds) == 1 else ""


def _vendor(name: str) -> str:
    return next((maker for maker in VENDORS if maker.lower() in name.lower()), "")
