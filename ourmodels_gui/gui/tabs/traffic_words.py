"""What is told beside the boards of memory traffic."""

from msgspec import structs

from ...engine.capacity import capacity
from ...engine.setup import Setup
from ...engine.traffic import Accounting
from ...evaluation import Evaluation
from ...language import tr, trn
from ...units import duration, number, plain, rate, size
from .. import typed
from .cells import Contents


def several_words() -> str:
    """Why there are no boards of several memories."""
    return tr(
        "The boards charge one memory. Here each byte moves at the speed of the memory that it "
        "lies in: the bars above show what lies where, and the Decode tab what follows from it."
    )


def left_lines(evaluation: Evaluation, left: Accounting) -> tuple[str, str]:
    """What an iteration of the left board moves, and the bound with the memory full of sessions."""
    write = typed.separators()
    assert evaluation.result is not None
    moves = tr("{size} of weights in {time}").format(
        size=size(left.shared_bytes, write), time=duration(left.iteration_s, write)
    )
    power = evaluation.result.decode.memory_power_tokens_per_s
    full = (
        ""
        if power is None
        else tr("memory-power bound, memory full: {rate} tok/s").format(rate=rate(power, write))
    )
    return moves, full


def right_lines(evaluation: Evaluation, right: Accounting) -> tuple[str, str]:
    """What an iteration of the right board moves, and what each session gets of it."""
    write = typed.separators()
    assert evaluation.setup is not None
    floor = evaluation.setup.workload.floor_tokens_per_s
    reads = f"{number(right.batch, 0, write)} × {size(right.private_bytes, write)}"  # noqa: RUF001
    moves = tr("{size} of weights + {reads} of reads in {time}").format(
        size=size(right.shared_bytes, write), reads=reads, time=duration(right.iteration_s, write)
    )
    each = right.tokens_per_s / right.batch
    per_session = tr("{rate} tok/s for each session").format(rate=rate(each, write))
    if floor > 0:
        words = tr("{rate} tok/s for each session, above the floor of {floor}")
        if each < floor:
            words = tr("{rate} tok/s for each session, below the floor of {floor}")
        per_session = words.format(rate=rate(each, write), floor=plain(floor, write))
    return moves, per_session


def refusal(setup: Setup, sessions: int) -> str:
    """What is missing for the sessions to run."""
    write = typed.separators()
    gate = capacity(structs.replace(setup, speculation=None))
    if gate.margin_bytes < 0:
        return tr("the model does not fit: {size} are missing").format(
            size=size(-gate.margin_bytes, write)
        )
    missing = size(-gate.spare_bytes(sessions), write)
    words = trn(
        "{count} session does not fit: {missing} are missing",
        "{count} sessions do not fit: {missing} are missing",
        sessions,
    )
    return words.format(count=number(sessions, 0, write), missing=missing)


def key(inside: Contents, *, speculates: bool) -> str:
    """What a cell and a container stand for."""
    write = typed.separators()
    words = tr("a cell is {size}")
    if inside.grouped > 1:
        words = tr("a cell is {size}, a blue container {count} sessions")
    words = words.format(
        size=size(inside.cell_bytes, write), count=number(inside.grouped, 0, write)
    )
    return tr("{key}; without speculation").format(key=words) if speculates else words
