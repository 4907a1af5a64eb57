"""Several devices and pools of a run: the hardware of its scenario, and the class of its policy."""

from typing import Any, Literal

import msgspec

from ..composed import ComposedHardware, DeviceChoice, Hardware, PlacementChoice
from ..engine.setup import Split
from ..inline import InlineHardware
from ..language import tr
from ..problem import BadInput
from .runs import MeasuredRun

UNLIMITED_GB_PER_S = 1e6
"""The fastest link that a scenario can hold: it stands for one that a source does not state."""

Policy = Literal[
    "one device",
    "layer split",
    "tensor split",
    "experts divided",
    "split not stated",
    "experts in host memory",
    "host memory",
]
"""Ways of using the pools that are held against their own ceilings."""

POLICY_OF: dict[Split | None, Policy] = {
    "layers": "layer split",
    "tensor": "tensor split",
    "experts": "experts divided",
    None: "split not stated",
}


def hardware_of(run: MeasuredRun) -> str | ComposedHardware:
    """The hardware that a run states, as a scenario holds it.

    A link that is not stated is unlimited. A split that is not stated is the loosest: equal devices
    as one pool without a link, which no other way exceeds. Pools that are not said to take turns
    work at once. Errors: BadInput for unlike devices whose split is not stated.

    >>> from .runs import Said
    >>> run = MeasuredRun(id="", said=Said("", "", ""), machine="card", devices=2, phase="decode",
    ...                   tokens_per_s=9, source="")
    >>> hardware_of(run).title, hardware_of(run).split
    ('2 x card', 'tensor')
    """
    if not run.is_composed:
        return run.machine
    if run.others and run.split is None:
        raise BadInput(
            "split", tr("is not stated, and the devices are of several kinds; choose it")
        )
    several = run.devices > 1 or bool(run.others)
    link = run.link
    if link is None and (several or run.pools == "streamed"):
        link = UNLIMITED_GB_PER_S
    return ComposedHardware(
        devices=(DeviceChoice(run.machine, run.devices), *run.others),
        split=(run.split or "tensor") if several else None,
        link=link,
        host_memory=run.host_memory,
        pools=run.pools if run.host_memory is not None else None,
        placement=run.placement if run.host_memory is not None else None,
    )


def policy_of_run(run: MeasuredRun) -> Policy:
    """The class of the way in which a run used its pools."""
    if run.uses_host:
        return _with_host(run.placement)
    return POLICY_OF[run.split] if run.is_composed else "one device"


def policy_of(hardware: Hardware) -> Policy:
    """The same of what a scenario chose.

    >>> policy_of(ComposedHardware(devices=(DeviceChoice("card", 2),), link=31.5))
    'layer split'
    """
    if not isinstance(hardware, ComposedHardware):
        return "one device"
    if hardware.host_memory is not None:
        return _with_host(hardware.placement)
    return POLICY_OF[hardware.split or "layers"] if hardware.count > 1 else "one device"


def named(hardware: ComposedHardware, policy: Policy) -> str:
    """What a composition is made of and how it is used, whatever it is called.

    >>> named(ComposedHardware(devices=(DeviceChoice("card", 2),), link=31.5), "layer split")
    '2 x card, layer split'
    """
    return f"{msgspec.structs.replace(hardware, name='').title}, {policy}"


def name_of_run(run: MeasuredRun) -> str:
    """The same of a run on several devices or pools; a split that it does not state is not one."""
    hardware = hardware_of(msgspec.structs.replace(run, split=run.split or "layers"))
    if not isinstance(hardware, ComposedHardware):
        return f"{hardware}, {policy_of_run(run)}"
    return named(hardware, policy_of_run(run))


def taken_over(run: MeasuredRun, hardware: Hardware) -> dict[str, Any]:
    """What a run leaves open of its devices and pools, as the hardware of a scenario has it.

    Nothing where the run names another device, or another number of them; the host's memory only
    where the run says that it was used, or names no device at all.
    """
    if not isinstance(hardware, ComposedHardware) or hardware.devices[0].id is None:
        return {}
    first, others = hardware.devices[0], hardware.devices[1:]
    count = first.count or 1
    if run.machine and run.machine != first.id:
        return {}
    wanted: dict[str, Any] = {"machine": first.id}
    if not run.said.machine:
        wanted |= {"devices": count, "others": others}
    elif (run.devices, len(run.others)) != (count, len(others)):
        return {}
    if hardware.count > 1:
        wanted |= {"split": hardware.split or "layers", "link": hardware.link}
    host = hardware.host_memory
    told = run.left_out == "host memory not stated" or not run.said.machine
    if told and isinstance(host, str | InlineHardware):
        wanted |= {"host_memory": host, "pools": hardware.pools}
        if isinstance(hardware.placement, PlacementChoice):
            wanted["placement"] = hardware.placement
    return {
        key: value
        for key, value in wanted.items()
        if value and (key == "devices" or not getattr(run, key))
    }


def _with_host(placement: object) -> Policy:
    placed = placement.routed_experts if isinstance(placement, PlacementChoice) else None
    return "host memory" if placed is None or placed == 1.0 else "experts in host memory"
