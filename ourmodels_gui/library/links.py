"""Links between devices: the shape of `catalog/links.json`, and what one of them carries."""

from typing import Literal

import msgspec

from .records import CatalogStruct, Fact, Figure, si


class LinkRecord(CatalogStruct, frozen=True, kw_only=True):
    """One kind of link of one device.

    bandwidth: as its source prints it; directions says whether it is the sum of both.
    reduces: that it adds up on its way, so that an all-reduce is sent once.
    """

    name: str
    bandwidth: Figure
    directions: Literal["one", "both"] = "one"
    reduces: Fact | None = None


class LinkEntry(msgspec.Struct, frozen=True):
    """A link that can be chosen. bytes_per_s: B_link, of one direction."""

    id: str
    name: str
    bytes_per_s: float
    record: LinkRecord

    @property
    def reduces(self) -> bool:
        """Whether it adds up on its way."""
        return self.record.reduces is not None


def link_entry(id_: str, record: LinkRecord) -> LinkEntry:
    """The link in SI units; a figure of both directions together is halved.

    Raises BadInput with the key's path for a unit that does not belong or an absurd value.

    >>> both = LinkRecord(name="x", bandwidth=Figure(900, "GB/s"), directions="both")
    >>> link_entry("x", both).bytes_per_s / 1e9
    450.0
    """
    figure, key = record.bandwidth, f"{id_}.bandwidth"
    if figure.unit in ("Gbit/s", "Mbit/s"):
        rate = si(figure, "bit/s", key) / 8.0
    else:
        rate = si(figure, "bytes/s", key)
    return LinkEntry(id_, record.name, rate / (2.0 if record.directions == "both" else 1.0), record)
