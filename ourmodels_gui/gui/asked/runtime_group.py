"""How the runtime works: rarely touched, each choice moves the ceilings."""

from PySide6.QtWidgets import QWidget

from ...language import tr
from ...library.encodings import CACHE_FORMATS
from .. import typed
from ..form import Group


class RuntimeGroup(Group):
    """Cache policy, expert routing, which rates, decode ceiling, forced concurrency."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(tr("Runtime"))
        self.choice(
            "workload.cache_policy",
            tr("Window layers"),
            tr(
                "What layers that attend to a sliding window reserve: their window only, or, as "
                "paged allocators do, the full length."
            ),
        ).offer(
            (
                ("windowed", tr("reserve their window")),
                ("full", tr("reserve the full length")),
            )
        )
        self.choice(
            "workload.cache_read_format",
            tr("Cache is read"),
            tr(
                "Format in which the cache is read, where a runtime unpacks it before it attends: "
                "the cache format decides the memory, this one the traffic."
            ),
        ).offer([(None, tr("as it is stored")), *((name, name) for name in CACHE_FORMATS)])
        self.choice(
            "workload.routing",
            tr("Experts read"),
            tr(
                "How many distinct experts a batch touches. Expected is an estimate for even "
                "routing; floor counts one token's experts only, which no runtime can beat."
            ),
        ).offer(
            (
                ("expected", tr("expected (estimate)")),
                ("floor", tr("floor (guaranteed)")),
            )
        )
        self.choice(
            "workload.rates",
            tr("Rates"),
            tr(
                "Compute with the machine's limits for a ceiling, or with measured sustained "
                "rates, where there are any, for an estimate."
            ),
        ).offer((("limit", tr("limits")), ("measured", tr("measured where known"))))
        self.choice(
            "workload.decode_ceiling",
            tr("Decode ceiling"),
            tr(
                "Memory traffic alone, as the formulation has it, or the longer of memory and "
                "compute time."
            ),
        ).offer((("memory", tr("memory side")), ("combined", tr("memory and compute"))))
        self.number(
            "workload.batch",
            tr("Sessions"),
            tr(
                "Forces the number of sessions decoded together. It adds figures for that batch "
                "and changes no other."
            ),
            parse=typed.whole,
            empty=tr("best batch"),
        )
