"""A run that was pasted -> the same with catalog ids, as far as its text names them."""

import re

import msgspec

from ..composed import DeviceChoice
from ..library.load import Library
from ..library.models import ModelRecord
from .machines import MachineMatch, devices_in, match_machine
from .models import match_model, match_weights
from .runs import MeasuredRun
from .stated import Stated, experts_placed, stated, usual_pools, usual_split

IN_FILE = re.compile(
    r"[-_.]((?:UD-)?(?:I?Q\d\w*|F16|BF16|MXFP4|NVFP4)(?:_XL)?)(?:-\d+-of-\d+)?\.gguf$", re.I
)
IN_MLX = re.compile(r"-(\d)bit(?:-g(\d+))?$", re.I)
IN_NAME = re.compile(r"[-_](FP8|NVFP4|AWQ)\b", re.I)


def identified(run: MeasuredRun, library: Library) -> MeasuredRun:
    """The run with what its text names filled in; what it already has stays.

    What it names and the catalog lacks is said in `left_out`, what it does not name stays empty, to
    be asked for (`missing`).
    """
    said = run.said
    left_out = run.left_out
    machine, model, weights, sized = run.machine, run.model, run.weights, run.sized
    devices, others = run.devices, run.others
    if said.machine and not machine:
        found_here = _devices(run, library)
        machine, left_out = found_here[0].id, left_out or found_here[0].left_out
        if len(found_here) > 1:
            devices, others = 1, tuple(DeviceChoice(one.id) for one in found_here[1:])
    if said.model and not model:
        known = match_model(said.model, library)
        model, left_out = known.id, left_out or known.left_out
    stored = stored_as(run)
    if model in library.models and stored and not weights:
        format_ = match_weights(stored, said.model, run.engine, library.models[model].record)
        weights, sized, left_out = format_.id, format_.sized, left_out or format_.left_out
        if sized and run.file_gb is None:
            weights, sized, left_out = "", False, left_out or "format unknown"
    run = msgspec.structs.replace(
        run,
        machine=machine,
        devices=devices,
        others=others,
        model=model,
        weights=weights,
        sized=sized,
        left_out=left_out,
    )
    record = library.models[model].record if model in library.models else None
    return as_stated(run, record)


def as_stated(run: MeasuredRun, record: ModelRecord | None) -> MeasuredRun:
    """The run with what its program and its note say of devices and host memory.

    Weights in host memory whose speed is not known leave it without a ceiling.
    """
    said = stated(f"{run.engine}; {run.note}")
    devices = said.devices or run.devices
    if run.others:
        devices = run.devices
    split = run.split
    if split is None and (devices > 1 or run.others):
        split = said.split or (None if said.devices else usual_split(run.engine))
    run = msgspec.structs.replace(run, devices=devices, split=split)
    if not lies_in_host(said, record):
        return run
    placement = run.placement
    if placement is None and record is not None and not _few_layers(said, record):
        with_experts = sum(group.layers for group in record.experts)
        placement = experts_placed(said, record.layer_count, with_experts)
    left_out = run.left_out or ("" if run.host_memory else "host memory not stated")
    pools = run.pools or usual_pools(run.engine)
    return msgspec.structs.replace(run, pools=pools, placement=placement, left_out=left_out)


def lies_in_host(said: Stated, record: ModelRecord | None) -> bool:
    """Whether some of the weights are said to lie in host memory.

    Layers on the devices only tell together with how many the model has.
    """
    return said.in_host or (record is not None and _few_layers(said, record))


def _few_layers(said: Stated, record: ModelRecord) -> bool:
    """Whether fewer layers lie on the devices than the model has."""
    return said.device_layers is not None and said.device_layers < record.layer_count


def _devices(run: MeasuredRun, library: Library) -> list[MachineMatch]:
    """The device, or every one of unlike devices; one match where not each of them is known."""
    names, prefill = devices_in(run.said.machine), run.phase == "prefill"
    if len(names) > 1 and run.devices == 1:
        each = [match_machine(name, None, library, prefill) for name in names]
        if all(one.id for one in each):
            return each
    return [match_machine(run.said.machine, run.memory_gb, library, prefill)]


def missing(run: MeasuredRun) -> tuple[str, ...]:
    """What a person still has to say before the run can be held against a ceiling."""
    return tuple(key for key in ("machine", "model", "weights") if not getattr(run, key))


def stored_as(run: MeasuredRun) -> str:
    """The weight format as the model's own name or else the program prints it; "" for neither.

    A publisher's mix ("UD-Q4_K_XL") stands only in the name of the file.
    """
    name = run.said.model
    if found := IN_FILE.search(name):
        return found.group(1)
    if found := IN_MLX.search(name):
        group = f" g{found.group(2)}" if found.group(2) else ""
        return f"MLX {found.group(1)}-bit{group}"
    if run.said.weights:
        return run.said.weights
    if found := IN_NAME.search(name):
        return found.group(1)
    return ""
