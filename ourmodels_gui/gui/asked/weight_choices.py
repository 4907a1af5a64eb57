"""The formats that a model's weights can be had in, with the size of their files."""

from ... import units
from ...language import tr
from ...library.formats import WEIGHT_FORMATS
from ...library.models import ModelRecord
from ...library.profile import FormatSize, default_weights, weight_formats
from ...spoken import spoken
from .. import typed
from ..choice_list import HEADING, PARTED

COMMON = (
    "bf16",
    "fp8",
    "q8_0",
    "mlx-8bit",
    "q6_k",
    "q5_k_m",
    "q4_k_m",
    "awq-g128",
    "nvfp4",
    "gguf-mxfp4",
    "mlx-4bit",
    "q3_k_m",
)
"""What people mostly run instead of a release's own files, from many bits to few."""


def weight_choices(record: ModelRecord) -> tuple[tuple[object, str], ...]:
    """Every format the weights can be had in, with its files' size, under three headings.

    What the maker has released comes first, its own format before other files; then what is common
    and smaller; then the rest. The largest stand first, so that formats of one size are together.
    """
    forms = sorted(weight_formats(record), key=lambda form: -form.file_bytes)
    own = default_weights(record)
    released = {own, *record.published}
    size = next(form.file_bytes for form in forms if form.id == own)
    common = {
        form.id
        for form in forms
        if form.id in COMMON
        and form.file_bytes < size
        and (form.id != "gguf-mxfp4" or record.experts)  # it stores experts alone in few bits
    }
    made = [form for form in forms if form.id in released]
    groups = (
        (tr("Released by the maker"), sorted(made, key=lambda one: one.id != own)),
        (tr("Common, smaller than the release"), [one for one in forms if one.id in common]),
        (tr("All others, the largest first"), forms),
    )
    choices: list[tuple[object, str]] = []
    listed: set[str] = set()
    for title, members in groups:
        fresh = [form for form in members if form.id not in listed]
        if fresh:
            choices.append((HEADING, title))
            choices += [(form.id, _words(form)) for form in fresh]
            listed.update(form.id for form in fresh)
    return tuple(choices)


def format_choices() -> list[tuple[object, str]]:
    """Every format, where no one model says its size: what is common first."""
    others = [id_ for id_ in WEIGHT_FORMATS if id_ not in COMMON]
    choices: list[tuple[object, str]] = []
    for title, ids in ((tr("Common"), COMMON), (tr("All others"), others)):
        choices.append((HEADING, title))
        choices += [(id_, spoken(WEIGHT_FORMATS[id_].name)) for id_ in ids]
    return choices


def _words(form: FormatSize) -> str:
    return f"{spoken(form.name)}{PARTED}{units.size(form.file_bytes, typed.separators())}"
