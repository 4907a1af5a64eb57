import msgspec
import pytest

from ourmodels_gui import paths
from ourmodels_gui.engine.setup import Machine
from ourmodels_gui.inline import ARITHMETIC_MODES
from ourmodels_gui.library.hardware import (
    MODES,
    Configuration,
    HardwareRecord,
    Memory,
    machine_entries,
    size_label,
)
from ourmodels_gui.library.load import load
from ourmodels_gui.library.records import Figure, si
from ourmodels_gui.problem import BadInput

GIB = 2**30


@pytest.fixture(scope="module")
def machines():
    return load(paths.catalog()).machines


def record(**changes):
    fields = {
        "name": "Box",
        "vendor": "Me",
        "kind": "unified",
        "memory": Memory("LPDDR5X", Figure(256, "GB/s")),
        "configurations": (Configuration("box", Figure(128, "GiB")),),
    }
    return HardwareRecord(**fields | changes)


def test_entry_holds_si_numbers():
    (entry,) = machine_entries(record(compute={"bf16_fp32acc": Figure(59.4, "TFLOP/s")}))
    assert entry.machine == Machine(128 * GIB, 256e9, {"bf16_fp32acc": 59.4e12})
    assert entry.memory == Figure(128, "GiB")
    assert (entry.id, entry.name, entry.kind, entry.yours) == ("box", "Box", "unified", False)


def test_each_size_is_a_machine_of_its_own():
    sizes = (
        Configuration("box-64gb", Figure(64, "GiB"), marketed=Figure(64, "GB")),
        Configuration("box-128gb", Figure(128, "GiB"), default_share=Figure(96, "GiB")),
    )
    small, large = machine_entries(record(configurations=sizes))
    assert (small.name, large.name) == ("Box, 64 GB", "Box, 128 GB")
    assert small.default_share_bytes is None
    assert large.default_share_bytes == 96 * GIB


def test_a_size_may_have_other_memory():
    fast = Memory("LPDDR5X", Figure(0.546, "TB/s"))
    sizes = (
        Configuration("box-36gb", Figure(36, "GiB")),
        Configuration("box-48gb", Figure(48, "GiB"), memory=fast),
    )
    narrow, wide = machine_entries(record(configurations=sizes))
    assert narrow.machine.bandwidth_bytes_per_s == 256e9
    assert wide.machine.bandwidth_bytes_per_s == pytest.approx(546e9)


def test_measured_figures_stand_apart_from_limits():
    measured = {"bandwidth": Figure(215, "GB/s"), "bf16_fp32acc": Figure(50, "TFLOP/s")}
    (entry,) = machine_entries(record(measured=measured))
    assert entry.measured == {"bandwidth": 215e9, "bf16_fp32acc": 50e12}
    assert entry.machine.compute_flop_per_s == {}
    assert entry.machine.measured == frozenset()


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"memory": Memory("x", Figure(256, "GB"))}, "memory.bandwidth.unit"),
        ({"memory": Memory("x", Figure(256e9, "GB/s"))}, "memory.bandwidth.value"),
        (
            {"configurations": (Configuration("box", Figure(128, "GB/s")),)},
            "configurations[0].capacity.unit",
        ),
        (
            {"configurations": (Configuration("box", Figure(1e9, "GiB")),)},
            "configurations[0].capacity.value",
        ),
        (
            {"configurations": (Configuration("box", Figure(1, "GiB")),) * 2},
            "configurations[1].id",
        ),
        ({"compute": {"fp32": Figure(1, "W")}}, "compute.fp32.unit"),
        ({"measured": {"bandwidth": Figure(1, "TFLOP/s")}}, "measured.bandwidth.unit"),
    ],
)
def test_a_wrong_unit_or_absurd_value_names_its_key(changes, key):
    with pytest.raises(BadInput) as caught:
        machine_entries(record(**changes))
    assert caught.value.problem.key == key


def test_units_are_converted_once_and_exactly():
    assert si(Figure(24, "GiB"), "bytes", "k") == 24 * GIB
    assert si(Figure(24, "GB"), "bytes", "k") == 24e9
    assert si(Figure(97887, "MiB"), "bytes", "k") == 97887 * 2**20
    assert si(Figure(1.5, "PFLOP/s"), "FLOP/s", "k") == 1.5e15


def test_every_mode_says_what_it_multiplies_and_adds_up():
    assert set(MODES) == set(ARITHMETIC_MODES)
    assert len(MODES) == 14
    assert MODES["fp8_fp16acc"][:2] == ("FP8", "FP16")


def test_size_label_is_the_size_as_sold():
    assert size_label(Configuration("x", Figure(97887, "MiB"), Figure(96, "GB"))) == "96 GB"


def test_writing_and_reading_gives_the_same_record():
    before = record(notes=("n",), compute={"fp32": Figure(1.5, "TFLOP/s", source="s")})
    assert msgspec.json.decode(msgspec.json.encode(before), type=HardwareRecord) == before


@pytest.mark.parametrize(
    ("name", "gib", "gb_per_s", "kind"),
    [
        ("nvidia-dgx-spark-gb10", 128, 273, "unified"),
        ("geforce-rtx-3090", 24, 936.2, "discrete"),
        ("geforce-rtx-4090", 24, 1008, "discrete"),
        ("geforce-rtx-5090", 32, 1792, "discrete"),
        ("amd-ryzen-ai-max-395-strix-halo-128gb", 128, 256, "unified"),
        ("apple-m4-max-32-core-gpu", 36, 410, "unified"),
        ("apple-m4-max-40-core-gpu-128gb", 128, 546, "unified"),
        ("apple-m3-ultra-80-core-gpu-512gb", 512, 819, "unified"),
        ("amd-instinct-mi300a", 128, 5300, "unified"),
        ("radeon-rx-7900-xtx", 24, 960, "discrete"),
        ("amd-ryzen-9000-am5-2ch-ddr5-5600-64gb", 64, 89.6, "cpu"),
    ],
)
def test_well_known_machines_have_their_known_figures(machines, name, gib, gb_per_s, kind):
    entry = machines[name]
    assert entry.machine.capacity_bytes == gib * GIB
    assert entry.machine.bandwidth_bytes_per_s == pytest.approx(gb_per_s * 1e9)
    assert entry.kind == kind


def test_data_centre_parts_have_the_capacity_they_report(machines):
    server = machines["rtx-pro-6000-blackwell-server"]
    assert server.machine.capacity_bytes == 97887 * 2**20
    assert server.record.configurations[0].marketed.value == 96
    assert machines["nvidia-h100-sxm5-80gb"].machine.capacity_bytes == 81559 * 2**20
    assert machines["nvidia-b300-sxm-hgx"].machine.capacity_bytes < 288e9 * 1.01
    assert machines["amd-instinct-mi300x"].machine.capacity_bytes == 206141652992


def test_the_systems_default_share_follows_the_memory(machines):
    assert machines["apple-m4-max-40-core-gpu-128gb"].default_share_bytes == 107.52 * GIB
    assert machines["amd-ryzen-ai-max-395-strix-halo-128gb"].default_share_bytes == 64 * GIB
    assert machines["geforce-rtx-4090"].default_share_bytes is None
    assert machines["nvidia-dgx-spark-gb10"].default_share_bytes is None


def test_bf16_on_a_geforce_is_half_of_fp16_accumulated_in_fp16(machines):
    rates = machines["geforce-rtx-5090"].machine.compute_flop_per_s
    assert rates["bf16_fp32acc"] == pytest.approx(rates["fp16_fp16acc"] / 2, rel=1e-3)
