"""Rows of the capacity gate and of memory power, each with its formula worked out."""

from ..language import tr
from .figures import Figures, split
from .shapes import Group


def memory(known: Figures) -> Group:
    """The capacity gate.

    References: formulation, "Memory-fit batch" and "Speculative decoding".
    """
    decode, setup = known.result.decode, known.setup
    draft = known.setup.speculation is not None
    held = "C W_resident O" + (" W_draft,res" if draft else "")
    session = "K_alloc" + (" K_draft,alloc" if draft else "")
    minus_draft = " - W_draft,res" if draft else ""
    per_session = "(K_alloc + K_draft,alloc)" if draft else "K_alloc"
    worked = f"{known.gb(setup.machine.capacity_bytes)} - {known.gb(setup.model.resident_bytes)}"
    if draft:
        worked += f" - {known.gb(known.step.draft.resident_bytes)}"
    worked += f" - {known.gb(setup.workload.overhead_bytes)}"
    worked += f" = {known.gb(decode.resident_margin_bytes)}"
    count = decode.best_batch or 1
    each = known.gb(known.gate.session_bytes)
    room = f"C - W_resident{minus_draft} - O"
    formulas = (room, f"floor(({room}) / {per_session})", f"{room} - b {per_session}")
    spare = f"{known.gb(decode.resident_margin_bytes)} - {known.count(count)} x {each}"
    spare += f" = {known.gb(decode.spare_bytes)}"
    if not known.one_gate:
        left = tr("what is left of the tightest memory under the policy in use")
        most = tr("the most sessions for which every memory has room under the policy in use")
        formulas, worked, spare = (left, most, left), "", ""
    rows = (
        known.row(
            "resident_margin_gb",
            tr("Left for sessions"),
            split(known.size(decode.resident_margin_bytes)),
            decode.resident_margin_bytes / 1e9,
            kinds={},
            formula=formulas[0],
            worked=worked,
            symbols=held,
        ),
        known.row(
            "memory_batch",
            tr("Sessions that fit, b_mem"),
            known.sessions(decode.memory_batch),
            decode.memory_batch,
            kinds=decode.kind,
            formula=formulas[1],
            worked=""
            if decode.memory_batch != known.gate.memory_batch or not known.one_gate
            else f"floor({known.gb(decode.resident_margin_bytes)} / {each}) = "
            f"{known.count(decode.memory_batch or 0)}",
            symbols=f"{held} {session}",
            note=tr("the model does not fit"),
        ),
        known.row(
            "spare_gb",
            tr("Spare beside the best batch")
            if decode.best_batch
            else tr("Spare beside one session"),
            split(known.size(decode.spare_bytes)),
            decode.spare_bytes / 1e9,
            kinds={},
            formula=formulas[2],
            worked=spare,
            symbols=f"{held} {session}",
        ),
        known.row(
            "memory_power_gb2_per_s",
            tr("Memory power, D"),
            (known.digits(decode.memory_power_bytes2_per_s / 1e18), "GB²/s"),
            decode.memory_power_bytes2_per_s / 1e18,
            kinds={},
            formula="D = C R",
            worked=f"{known.gb(setup.machine.capacity_bytes)} x "
            f"{known.given('R').text} = {known.memory_power()}",
            symbols="C R",
        ),
    )
    return Group(tr("Memory"), rows, "memory")
