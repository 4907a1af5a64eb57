"""Edits of the machine in use as parts: what joins them, what goes with a part, what stays."""

import msgspec
import pytest

from ourmodels_gui.composed import ComposedHardware, HardwareRef
from ourmodels_gui.gui.asked.assembly import HOST, Assembly
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.library.usual_link import usual_link
from ourmodels_gui.problem import BadInput
from ourmodels_gui.scenario import ModelRef, Scenario, edited

CARD, OTHER = "geforce-rtx-3090", "geforce-rtx-4090"
TYPED = InlineHardware(name="Toy", kind="unified", memory_gb=128, bandwidth_gb_per_s=800)


@pytest.fixture
def made(library):
    """The parts after an edit of other parts."""

    def after(edit):
        scenario = edited(Scenario(CARD, ModelRef("qwen3-32b")), edit)
        return Assembly(scenario.hardware, library)

    return after


def test_two_cards_are_joined_by_the_slot_that_their_maker_states(library, made):
    pair = made(Assembly(CARD, library).count(0, 2))
    assert pair.is_composed
    assert pair.written == ComposedHardware(devices=pair.devices, link="pcie-4-x16")
    assert pair.devices[0].count == 2


@pytest.mark.parametrize(
    ("machine", "link"),
    [
        ("geforce-rtx-5090", "pcie-5-x16"),
        ("nvidia-h100-sxm5-80gb", "nvlink-4"),
        ("nvidia-h100-pcie-80gb", "pcie-5-x16"),
        ("nvidia-a40", "pcie-4-x16"),
        ("nvidia-dgx-spark-gb10", "ethernet-200g"),
        ("apple-m4-max-40-core-gpu-128gb", "ethernet-10g"),
    ],
)
def test_the_usual_link_of_a_machine(library, machine, link):
    assert usual_link([library.machines[machine]], library.links) == link


def test_unlike_machines_are_joined_by_the_slower_link(library):
    cards = [library.machines[name] for name in ("geforce-rtx-5090", CARD)]
    assert usual_link(cards, library.links) == "pcie-4-x16"
    assert usual_link([*cards, "unified"], library.links) == "ethernet-10g"


def test_without_any_link_none_is_made_up(library):
    assert usual_link([library.machines[CARD]], {}) is None


@pytest.mark.parametrize(
    "one",
    [CARD, TYPED, HardwareRef("mine", {"name": "Mine"})],
    ids=["of the library", "written out", "travelling"],
)
def test_back_to_one_is_the_ordinary_machine_again(library, one):
    twice = edited(Scenario(one, ModelRef("m")), Assembly(one, library).count(0, 2)).hardware
    assert isinstance(twice, ComposedHardware)
    again = Assembly(twice, library).count(0, 1)
    assert edited(Scenario(CARD, ModelRef("m")), again).hardware == one


def test_another_kind_of_card_ends_a_split_that_needs_equal_ones(library, made):
    pair = made(Assembly(CARD, library).count(0, 2))
    tensor = made(pair.whole({"hardware.split": "tensor"}))
    assert tensor.written.split == "tensor"
    both = made(tensor.put(1, OTHER))
    assert [device.id for device in both.devices] == [CARD, OTHER]
    assert both.written.split is None


def test_groups_go_with_the_split_and_with_the_devices_they_need(library, made):
    four = made(Assembly(CARD, library).count(0, 4))
    grouped = made(four.whole({"hardware.groups": 4}))
    assert grouped.written.groups == 4
    assert made(grouped.whole({"hardware.split": "tensor"})).written.groups is None
    assert made(grouped.count(0, 2)).written.groups is None
    assert made(grouped.add_host()).written.groups is None
    with pytest.raises(BadInput, match="at most the number of devices"):
        made(grouped.whole({"hardware.groups": 5}))


def test_what_belongs_to_the_system_goes_with_it(library, made):
    hybrid = made(Assembly(CARD, library).add_host())
    assert hybrid.host is not None
    pinned = made(
        hybrid.whole(
            {
                "hardware.pools": "sequential",
                "hardware.placement.weights": 1.0,
                "hardware.placement.cache": None,
            }
        )
    )
    assert pinned.shares()["weights"] == 1.0
    assert made(pinned.whole({"hardware.placement.weights": None})).written.placement is None
    assert pinned.remove(HOST) == {"hardware": CARD}


def test_the_system_memory_that_is_added_first_is_of_the_catalog(library):
    host = Assembly(CARD, library).usual_host()
    assert library.machines[host].kind == "cpu"
    without = {name: one for name, one in library.machines.items() if one.kind != "cpu"}
    bare = msgspec.structs.replace(library, machines=without)
    assert Assembly(CARD, bare).usual_host() is None


def test_a_typed_figure_writes_the_memory_out_with_the_other_as_it_was(library, made):
    hybrid = made(Assembly(CARD, library).add_host())
    entry = library.machines[hybrid.host]
    typed = made(hybrid.type_host("bandwidth_gb_per_s", 50.0)).host
    assert typed.bandwidth_gb_per_s == 50.0
    assert typed.memory_gb * 1e9 == entry.machine.capacity_bytes
    assert typed.kind == "cpu"


def test_a_link_chosen_on_purpose_stays_and_the_usual_one_follows_the_cards(library, made):
    pair = made(Assembly(CARD, library).count(0, 2))
    assert made(pair.put(0, "geforce-rtx-5090")).written.link == "pcie-5-x16"
    chosen = made(pair.whole({"hardware.link": "pcie-3-x8"}))
    assert made(chosen.put(0, "geforce-rtx-5090")).written.link == "pcie-3-x8"
    assert made(chosen.whole({"hardware.link": None})).written.link == "pcie-4-x16"


def test_an_edited_part_makes_a_ready_composition_ones_own(library, made):
    ready = Assembly("geforce-rtx-3090-x2", library)
    assert ready.is_composed
    assert ready.whole({"hardware.split": ready.written.split}) == {}
    four = made(ready.count(0, 4))
    assert four.written.name == ""
    assert four.written.split == ready.written.split
    assert four.id == ""


def test_a_title_is_its_own_or_its_parts(library, made):
    hybrid = made(made(Assembly(CARD, library).count(0, 2)).add_host())
    assert hybrid.title == "2 x GeForce RTX 3090 + 128 GiB system memory"
    ready = Assembly("geforce-rtx-3090-x2", library)
    assert ready.title == library.compositions["geforce-rtx-3090-x2"].name


def test_memory_together_is_unknown_with_an_unknown_machine(library, made):
    pair = made(Assembly(CARD, library).count(0, 2))
    assert pair.capacity_bytes == 2 * library.machines[CARD].machine.capacity_bytes
    assert made(pair.put(1, "gone-by-now")).capacity_bytes is None
