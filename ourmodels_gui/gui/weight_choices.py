"""The formats that a model's weights can be had in, with the size of their files."""

from .. import units
from ..library.models import ModelRecord
from ..library.profile import weight_formats
from ..spoken import spoken
from . import typed


def weight_choices(record: ModelRecord) -> tuple[tuple[str, str], ...]:
    """Every format the weights can be had in, the release's own first, with its files' size."""
    return tuple(
        (form.id, f"{spoken(form.name)}  {units.size(form.file_bytes, typed.separators())}")
        for form in weight_formats(record)
    )
