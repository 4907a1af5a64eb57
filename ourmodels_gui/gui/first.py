"""The scenario of a first run: a machine and a model that many people have."""

from collections.abc import Iterable

from ..library.load import Library
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


def first_scenario(library: Library) -> Scenario:
    """The first of the popular ones that the library has, else the first it has at all."""
    machines = {entry.name: entry.id for entry in library.machines.values()}
    models = {entry.name: entry.id for entry in library.models.values()}
    return Scenario(
        hardware=_popular(MACHINES, machines),
        model=ModelRef(_popular(MODELS, models)),
        prefill=PrefillChoice(),
    )


def _popular(wanted: Iterable[str], ids: dict[str, str]) -> str:
    for words in wanted:
        # The shortest name is the plain product; variants carry more words.
        found = sorted((name for name in ids if words in name.casefold()), key=len)
        if found:
            return ids[found[0]]
    return next(iter(ids.values()), "none")
