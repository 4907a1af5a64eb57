"""Several devices, or a device with its host's memory, written out as the hardware of a scenario.

References: the page `docs/compositions.md`.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta

from .engine.setup import Pools, Split
from .inline import InlineHardware, Part
from .language import tr
from .problem import BadInput

MOST_DEVICES = 1024
MOST_KINDS = 6
"""Of unlike devices, each with a pool of its own to place bytes in."""

DeviceCount = Annotated[int, Meta(ge=1, le=MOST_DEVICES)]
Share = Annotated[float, Meta(ge=0, le=1)]
LinkSpeed = Annotated[float, Meta(gt=0, le=1e6)]


class HardwareRef(Part, frozen=True):
    """A machine of the user's own that travels with the scenario, in the catalog's file format."""

    id: str
    record: dict[str, Any]


class DeviceChoice(Part, frozen=True):
    """`count` machines of one kind: of the library, or written out."""

    id: str | None = None
    count: DeviceCount | None = None
    machine: InlineHardware | None = None
    record: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if (self.id is None) == (self.machine is None):
            key = "id" if self.id is None else "machine"
            raise BadInput(key, tr("write either the id of a machine, or machine: {...}"))
        if self.record is not None and self.id is None:
            raise BadInput("record", tr("needs the id of one of its memory sizes"))

    @property
    def chosen(self) -> str | InlineHardware | HardwareRef:
        """What the hardware of an ordinary scenario would say."""
        if self.machine is not None:
            return self.machine
        assert self.id is not None
        return self.id if self.record is None else HardwareRef(self.id, self.record)


class PlacementChoice(Part, frozen=True):
    """Fraction of each class of bytes that lies on the devices; the rest lies in the host's memory.

    A class that is absent lies where it is best.
    """

    weights: Share | None = None
    routed_experts: Share | None = None
    embedding: Share | None = None
    cache: Share | None = None
    draft: Share | None = None


class ComposedHardware(Part, frozen=True, kw_only=True):
    """link: an id of the library's links, or GB/s of one direction."""

    name: str = ""
    devices: tuple[DeviceChoice, ...]
    split: Split | None = None
    groups: DeviceCount | None = None
    link: LinkSpeed | str | None = None
    host_memory: str | InlineHardware | HardwareRef | None = None
    pools: Pools | None = None
    placement: Literal["best"] | PlacementChoice | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.devices) <= MOST_KINDS:
            raise BadInput(
                "devices", tr("write one to {most} kinds of devices").format(most=MOST_KINDS)
            )
        if self.count > MOST_DEVICES:
            said = tr("{count:,} devices together; at most {most:,} are modelled")
            raise BadInput("devices", said.format(count=self.count, most=MOST_DEVICES))
        if self.count > 1 and self.link is None:
            raise BadInput(
                "link", tr("is missing; a split across devices needs one: an id, or GB/s one way")
            )
        split = self.split or "layers"
        if split != "layers" and len(self.devices) > 1:
            raise BadInput(
                "split",
                tr(
                    '"{split}" needs devices of one kind: write one with its count, or "layers"'
                ).format(split=split),
            )
        self._check_groups(split)
        self._check_host()

    def _check_groups(self, split: str) -> None:
        if self.groups is None:
            return
        if split != "layers":
            said = tr('belongs to a split by "layers", not by "{split}"')
            raise BadInput("groups", said.format(split=split))
        if self.host_memory is not None:
            raise BadInput(
                "groups", tr("excludes host_memory, for which pools says who works when")
            )
        if self.groups > self.count:
            said = tr("must be at most the number of devices, {count}")
            raise BadInput("groups", said.format(count=self.count))

    def _check_host(self) -> None:
        placed = isinstance(self.placement, PlacementChoice)
        if self.host_memory is None:
            for key, given in (("pools", self.pools is not None), ("placement", placed)):
                if given:
                    raise BadInput(key, tr("needs host_memory; write it, or leave this out"))
            return
        if self.pools == "streamed" and self.link is None:
            raise BadInput("link", tr("is missing; what is streamed to the device crosses it"))
        if placed and len(self.devices) > 1:
            raise BadInput(
                "placement", tr('needs devices of one kind; write "best" for unlike ones')
            )

    @property
    def count(self) -> int:
        """How many devices there are together.

        >>> ComposedHardware(devices=(DeviceChoice("a", 2), DeviceChoice("b")), link=16.0).count
        3
        """
        return sum(device.count or 1 for device in self.devices)

    @property
    def title(self) -> str:
        """Its name, or what it is made of.

        >>> ComposedHardware(devices=(DeviceChoice("card", 2),), link=16.0, host_memory="ram").title
        '2 x card + ram'
        """
        if self.name:
            return self.name
        names = [(device.count or 1, name_of(device.chosen)) for device in self.devices]
        parts = [f"{count} x {name}" if count > 1 else name for count, name in names]
        if self.host_memory is not None:
            parts.append(name_of(self.host_memory))
        return " + ".join(parts)


Hardware = str | InlineHardware | HardwareRef | ComposedHardware


def name_of(hardware: Hardware) -> str:
    """What a scenario itself calls its hardware: an id, a name, or what it is made of."""
    if isinstance(hardware, str):
        return hardware
    if isinstance(hardware, HardwareRef):
        return hardware.id
    if isinstance(hardware, ComposedHardware):
        return hardware.title
    return hardware.name or tr("machine as typed")
