"""How the parts of a composition work together: link, split, groups, pools, and what lies where."""

from PySide6.QtWidgets import QWidget

from ...language import tr
from ...library.load import Library
from ...units import bandwidth
from .. import typed
from ..form import Group
from .assembly import Assembly
from .link_field import LinkField

LINK, SPLIT, GROUPS, POOLS = (f"hardware.{key}" for key in ("link", "split", "groups", "pools"))
PLACEMENT = "hardware.placement"


class TogetherGroup(Group):
    """Only what applies to the parts is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(foldable=False, has_defaults=False, parent=parent)
        self._head.heading.hide()
        tip = tr(
            "What joins the devices: choose it, or write its speed in GB/s of one direction. "
            "It starts with what the maker of the card states; a board may give less."
        )
        link = LinkField(self._body)
        link.refused.connect(lambda text: self._refuse_text(LINK, text))
        self._add(LINK, tr("Link"), tip, link, None)
        self._split = self.choice(
            SPLIT,
            tr("Split"),
            tr(
                "How the model is divided. By layers, devices work one after another; every "
                "matrix divided, they work together and send each other sums; by experts, each "
                "holds its share of them. The last two need devices of one kind."
            ),
        )
        self.number(
            GROUPS,
            tr("Groups"),
            tr(
                "Groups of sessions that take turns on the devices of a split by layers. Empty is "
                "the best number; 1 is one device at a time."
            ),
            parse=typed.whole,
            empty=tr("the best"),
        )
        self.choice(
            POOLS,
            tr("Memories"),
            tr(
                "Whether the cards and the system work at the same time, which is the ceiling, one "
                "after another, or the system's part is sent to the cards in every step."
            ),
        ).offer(
            (
                ("both", tr("all at once")),
                ("sequential", tr("one at a time")),
                ("streamed", tr("streamed to the devices")),
            )
        )

    def offer(self, library: Library) -> None:
        """Take the links of the library."""
        link = self.field(LINK)
        assert isinstance(link, LinkField)
        write = typed.separators()
        link.offer(
            [
                (one.id, f"{one.name}, {bandwidth(one.bytes_per_s, write)}")
                for one in library.links.values()
            ]
        )

    def present_parts(self, parts: Assembly) -> None:
        """Show how these parts work together."""
        written = parts.written
        several, kinds = written.count > 1, len(written.devices)
        splits = [("layers", tr("by layers"))]
        if kinds == 1:
            splits += [
                ("tensor", tr("every matrix (tensor)")),
                ("experts", tr("by experts")),
            ]
        self._split.offer(splits)
        host = written.host_memory is not None
        self.show_row(LINK, several or host)
        self.show_row(SPLIT, several and len(splits) > 1)
        self.show_row(GROUPS, several and not host and (written.split or "layers") == "layers")
        self.show_row(POOLS, host)
        self.present(
            {
                LINK: written.link,
                SPLIT: written.split,
                GROUPS: written.groups,
                POOLS: written.pools,
            },
            {SPLIT: "layers", POOLS: "both"},
        )


class PlacementGroup(Group):
    """The share of each class of bytes that lies on the devices; empty is where it is best."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(tr("Where bytes lie"))
        tip = tr("Share that lies on the devices, from 0 to 1. Empty: where it is best.")
        for key, label in (
            ("weights", tr("Weights")),
            ("routed_experts", tr("Routed experts")),
            ("embedding", tr("Embedding")),
            ("cache", tr("Cache")),
            ("draft", tr("Draft")),
        ):
            self.number(
                f"{PLACEMENT}.{key}", label, tip, parse=_share, empty=tr("where it is best")
            )

    def present_parts(self, parts: Assembly) -> None:
        """Show the shares, where they can be chosen."""
        placement = parts.written.placement
        self.setVisible(parts.host is not None and len(parts.devices) == 1)
        self.present(
            {key: getattr(placement, key.rpartition(".")[2], None) for key in self.keys},
            {},
        )


def _share(text: str) -> float:
    share = typed.number(text)
    if not 0 <= share <= 1:
        raise ValueError(tr("write a share from 0 to 1"))
    return share
