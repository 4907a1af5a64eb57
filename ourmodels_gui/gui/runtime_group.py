"""How the runtime works: rarely touched, each choice moves the ceilings."""

from PySide6.QtWidgets import QWidget

from ..library.encodings import CACHE_FORMATS
from . import typed
from .form import Group


class RuntimeGroup(Group):
    """Cache policy, expert routing, which rates, decode ceiling, forced concurrency."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(self.tr("Runtime"))
        self.choice(
            "workload.cache_policy",
            self.tr("Window layers"),
            self.tr(
                "What layers that attend to a sliding window reserve: their window only, or, as "
                "paged allocators do, the full length."
            ),
        ).offer(
            (
                ("windowed", self.tr("reserve their window")),
                ("full", self.tr("reserve the full length")),
            )
        )
        self.choice(
            "workload.cache_read_format",
            self.tr("Cache is read"),
            self.tr(
                "Format in which the cache is read, where a runtime unpacks it before it attends: "
                "the cache format decides the memory, this one the traffic."
            ),
        ).offer([(None, self.tr("as it is stored")), *((name, name) for name in CACHE_FORMATS)])
        self.choice(
            "workload.routing",
            self.tr("Experts read"),
            self.tr(
                "How many distinct experts a batch touches. Expected is an estimate for even "
                "routing; floor counts one token's experts only, which no runtime can beat."
            ),
        ).offer(
            (
                ("expected", self.tr("expected (estimate)")),
                ("floor", self.tr("floor (guaranteed)")),
            )
        )
        self.choice(
            "workload.rates",
            self.tr("Rates"),
            self.tr(
                "Compute with the machine's limits for a ceiling, or with measured sustained "
                "rates, where there are any, for an estimate."
            ),
        ).offer((("limit", self.tr("limits")), ("measured", self.tr("measured where known"))))
        self.choice(
            "workload.decode_ceiling",
            self.tr("Decode ceiling"),
            self.tr(
                "Memory traffic alone, as the formulation has it, or the longer of memory and "
                "compute time."
            ),
        ).offer((("memory", self.tr("memory side")), ("combined", self.tr("memory and compute"))))
        self.number(
            "workload.batch",
            self.tr("Sessions"),
            self.tr(
                "Forces the number of sessions decoded together. It adds figures for that batch "
                "and changes no other."
            ),
            parse=typed.whole,
            empty=self.tr("best batch"),
        )
