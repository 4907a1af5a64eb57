"""The lighter format of the weights to try where a model does not fit."""

from ...engine.kept import Kept
from ...evaluation import Evaluation
from ...language import tr
from ...library.formats import WEIGHT_FORMATS
from ...library.load import Library
from ...library.profile import default_weights, resident_bytes
from ...scenario import ModelRef
from ...spoken import spoken
from .cards import Offer

MLX = "mlx"
_sizes: Kept[dict[str, float]] = Kept()


def lighter_offer(evaluation: Evaluation, library: Library) -> Offer | None:
    """The largest format that leaves room for one session; None where none does, or none is needed.

    It counts on the memory as a whole: several devices that divide unevenly may still lack room.
    Formats of MLX are offered only in place of one of them: other programs cannot read them.
    """
    scenario, result = evaluation.scenario, evaluation.result
    if result is None or not isinstance(scenario.model, ModelRef):
        return None
    entry = library.models.get(scenario.model.id)
    if entry is None or result.decode.verdict not in ("model does not fit", "no session fits"):
        return None
    record = entry.record
    now = scenario.model.weights or default_weights(record)
    towers = bool(scenario.model.include_towers)
    most_bytes = resident_bytes(record, now, include_towers=towers) + result.decode.spare_bytes
    sizes = _sizes.of(
        (record, towers),
        lambda: {
            name: resident_bytes(record, name, include_towers=towers) for name in WEIGHT_FORMATS
        },
    )
    fitting = [
        name
        for name, size in sizes.items()
        if size <= most_bytes and (now.startswith(MLX) or not name.startswith(MLX))
    ]
    if not fitting:
        return None
    best = max(fitting, key=sizes.__getitem__)
    name, _, _ = spoken(WEIGHT_FORMATS[best].name).partition(",")
    return Offer(tr("Try {format}").format(format=name), {"model.weights": best})
