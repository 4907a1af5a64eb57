"""The scenario of a first run: a machine and a model that many people have."""

from collections.abc import Iterable

from ..library.formats import file_bytes
from ..library.load import Library
from ..library.profile import default_weights
from ..scenario import ModelRef, PrefillChoice, Scenario

MACHINES = ("geforce rtx 5090", "geforce rtx 4090", "rtx 5090", "rtx 4090", "rtx 3090")
MODELS = (
    "qwen3.6-35b-a3b",
    "qwen3.5-35b-a3b",
    "qwen3-30b-a3b",
    "gpt-oss-20b",
    "qwen3-8b",
    "llama 3.1 8b",
)

WEIGHTS = ("nvfp4", "awq-g128")
ROOM_FOR_WEIGHTS = 0.8


def first_scenario(library: Library) -> Scenario:
    """The first of the popular ones that the library has, else the first it has at all."""
    machines = {entry.name: entry.id for entry in library.machines.values()}
    models = {entry.name: entry.id for entry in library.models.values()}
    machine, model = _popular(MACHINES, machines), _popular(MODELS, models)
    return Scenario(
        hardware=machine,
        model=ModelRef(model, _fitting_weights(library, machine, model)),
        prefill=PrefillChoice(),
    )


def _fitting_weights(library: Library, machine: str, model: str) -> str | None:
    """None where the release itself leaves room in memory, else a usual 4-bit format."""
    if machine not in library.machines or model not in library.models:
        return None
    record = library.models[model].record
    room = ROOM_FOR_WEIGHTS * library.machines[machine].machine.capacity_bytes
    if file_bytes(record, default_weights(record)) < room:
        return None
    return next((name for name in WEIGHTS if file_bytes(record, name) < room), None)


def _popular(wanted: Iterable[str], ids: dict[str, str]) -> str:
    for words in wanted:
        # The shortest name is the plain product; variants carry more words.
        found = sorted((name for name in ids if words in name.casefold()), key=len)
        if found:
            return ids[found[0]]
    return next(iter(ids.values()), "none")
