"""A run that was pasted -> the same with catalog ids, as far as its text names them."""

import re

import msgspec

from ..library.load import Library
from .machines import match_machine
from .models import match_model, match_weights
from .runs import MeasuredRun

IN_FILE = re.compile(
    r"[-_.]((?:UD-)?(?:I?Q\d\w*|F16|BF16|MXFP4|NVFP4)(?:_XL)?)(?:-\d+-of-\d+)?\.gguf$", re.I
)
IN_MLX = re.compile(r"-(\d)bit(?:-g(\d+))?$", re.I)
IN_NAME = re.compile(r"[-_](FP8|NVFP4|AWQ)\b", re.I)


def identified(run: MeasuredRun, library: Library) -> MeasuredRun:
    """The run with what its text names filled in; ids that it already has stay.

    What it names and the catalog lacks is said in `left_out`, what it does not name stays empty, to
    be asked for (`missing`).
    """
    said = run.said
    left_out = run.left_out
    machine, model, weights, sized = run.machine, run.model, run.weights, run.sized
    if said.machine and not machine:
        device = match_machine(said.machine, run.memory_gb, library, run.phase == "prefill")
        machine, left_out = device.id, left_out or device.left_out
    if said.model and not model:
        found = match_model(said.model, library)
        model, left_out = found.id, left_out or found.left_out
    stored = stored_as(run)
    if model in library.models and stored and not weights:
        record = library.models[model].record
        format_ = match_weights(stored, said.model, run.engine, record)
        weights, sized, left_out = format_.id, format_.sized, left_out or format_.left_out
        if sized and run.file_gb is None:
            weights, sized, left_out = "", False, left_out or "format unknown"
    return msgspec.structs.replace(
        run,
        machine=machine,
        model=model,
        weights=weights,
        sized=sized,
        left_out=left_out,
    )


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
