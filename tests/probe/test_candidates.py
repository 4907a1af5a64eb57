"""What was found is matched to the catalog by name, or left to the user; nothing is guessed."""

import pytest
from computers import FOUR_MODULES, linux, pci

from ourmodels_gui.library.check import check_hardware
from ourmodels_gui.library.load import Library
from ourmodels_gui.library.records import Figure
from ourmodels_gui.probe.bandwidth import Bandwidth, Passes
from ourmodels_gui.probe.candidates import Candidate, candidates
from ourmodels_gui.probe.found import Computer, Gpu, Module
from ourmodels_gui.probe.linux import computer
from ourmodels_gui.probe.own import with_bandwidth
from ourmodels_gui.probe.words import as_text, refusals
from ourmodels_gui.problem import BadInput

GIB = 2.0**30


def with_gpu(name, memory_gib=None, **changes):
    gpu = Gpu(name, memory_gib and memory_gib * GIB)
    return Computer("Linux", cpu="Intel(R) Core(TM) i9-13900K", gpus=(gpu,), **changes)


def card(name, library, memory_gib=None, **changes):
    return candidates(with_gpu(name, memory_gib, **changes), library)[0]


@pytest.mark.parametrize(
    "name, memory, id_",
    [
        ("NVIDIA GeForce RTX 4090", 23.99, "geforce-rtx-4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", 15.99, "geforce-rtx-4090-laptop"),
        ("AD102 [GeForce RTX 4090]", None, "geforce-rtx-4090"),
        ("AMD Radeon RX 7900 XTX", 23.98, "radeon-rx-7900-xtx"),
        ("NVIDIA H200", None, ""),
    ],
)
def test_a_card_is_the_one_of_its_name(name, memory, id_, library):
    assert card(name, library, memory).id == id_


def test_a_laptops_device_is_never_a_desktops(library):
    found = card("NVIDIA GeForce RTX 4090", library, 15.99, portable=True)
    assert found.id == "" and found.why_not
    found = card("AMD Radeon RX 7900 XTX", library, 23.98, portable=True)
    assert found.id == "" and "laptop" in found.why_not


@pytest.mark.parametrize(
    "name",
    [
        "Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M]",
        "GA104M [GeForce RTX 3070 Mobile / Max-Q]",
    ],
)
def test_a_name_for_several_devices_is_none_of_them(name, library):
    found = card(name, library, 24)
    assert found.id == "" and "several devices" in found.why_not


def test_a_memory_size_that_is_not_the_cards_is_no_match(library):
    assert card("NVIDIA GeForce RTX 4090", library, 48).id == ""


def test_unified_memory_is_recognised_with_what_is_set_aside(library, tmp_path):
    """A Strix Halo whose firmware gives 96 of its 128 GB to the graphics unit."""
    own = pci("0000:c5:00.0", "0x1002", "0x1586", mem_info_vram_total=str(96 * 2**30))
    files = own | {"proc/meminfo": f"MemTotal: {31 * 2**20} kB\n"}
    cpu = "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S"
    found = candidates(computer(linux(tmp_path, cpu, files)), library)
    assert [one.id for one in found] == ["amd-ryzen-ai-max-395-strix-halo-128gb"]
    assert found[0].kind == "unified" and not found[0].reads_main_memory


def test_a_dgx_spark_is_known_by_its_device(library, tmp_path):
    files = {"proc/meminfo": f"MemTotal: {int(119.6 * 2**20)} kB\n"}
    found = candidates(computer(linux(tmp_path, "", files, "NVIDIA GB10, [N/A]\n")), library)
    assert found[-1].id == "nvidia-dgx-spark-gb10"


def test_an_apple_chip_is_known_with_its_cores(library):
    mac = Computer(
        "macOS", cpu="Apple M1 Max", memory_bytes=64 * GIB,
        gpus=(Gpu("Apple M1 Max (32-core GPU)", shares=True),),
    )  # fmt: skip
    assert [one.id for one in candidates(mac, library)] == ["apple-m1-max-32-core-gpu-64gb"]


def test_a_raspberry_pi_is_known_by_its_board(library, tmp_path):
    files = {
        "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
        "proc/meminfo": f"MemTotal: {int(7.9 * 2**20)} kB\n",
    }
    found = candidates(computer(linux(tmp_path, "", files)), library)
    assert found[-1].id == "raspberry-pi-5-32-bit-lpddr4x-4267-8gb"


def test_a_processor_with_slots_becomes_an_own_machine_of_its_modules(library, tmp_path):
    files = {"run/udev/data/+dmi:id": FOUR_MODULES}
    found = candidates(
        computer(linux(tmp_path, "AMD Ryzen 9 7950X 16-Core Processor", files)), library
    )
    own = found[-1]
    record = own.record()
    assert (own.id, own.kind, own.reads_main_memory) == ("", "cpu", True)
    assert record.memory.bandwidth.value == pytest.approx(83.2)
    assert record.memory.bandwidth.basis == "derived"
    assert "2 channels" in record.memory.bandwidth.where
    assert record.memory.type == "DDR5" and record.configurations[0].capacity.value == 32
    faults = [str(found) for found in check_hardware({"own.json": record}, None)]
    assert [fault for fault in faults if "source" not in fault and "forms" not in fault] == []


def test_an_unknown_bandwidth_is_left_to_be_typed(library):
    found = candidates(Computer("Linux", cpu="AMD EPYC", memory_bytes=24 * GIB), library)
    assert found[0].record() is None
    assert "bandwidth unknown" in " ".join(found[0].notes)


def test_an_absurd_machine_is_refused():
    odd = Candidate("processor", "x" * 500, "cpu", capacity=None)
    assert odd.record() is None
    full = Candidate("processor", "x" * 500, "cpu", capacity=Figure(24, "GiB"),
                     bandwidth_gb_per_s=50.0)  # fmt: skip
    with pytest.raises(BadInput):
        full.record()


def own_record(limit):
    modules = tuple(
        Module(2**34, "DDR5", limit * 1e3 / 16, bank=f"CHANNEL {letter}", bits=64)
        for letter in "AB"
    )
    found = Computer("Linux", cpu="AMD Ryzen 9", memory_bytes=2.0**35, modules=modules)
    return candidates(found, Library({}, {}, {}))[-1].record()


def test_a_measured_bandwidth_stands_beside_the_limit_and_says_how_it_was_measured():
    measured = Bandwidth(8, (Passes(2**29, (60e9, 66e9, 70e9)), Passes(2**30, (61e9, 68e9))))
    record = with_bandwidth(own_record(83.2), measured)
    figure = record.measured["bandwidth"]
    assert (figure.value, figure.unit, figure.basis) == (68.0, "GB/s", "measured")
    assert "8 threads" in figure.where and "60.0 to 70.0" in figure.where
    assert record.memory.bandwidth.value == pytest.approx(83.2)


def test_a_measurement_above_the_limit_is_refused_since_the_limit_is_wrong():
    measured = Bandwidth(8, (Passes(2**30, (95e9,)),))
    with pytest.raises(BadInput, match="exceeds the limit"):
        with_bandwidth(own_record(83.2), measured)


def test_everything_refused_is_said(library):
    found = with_gpu("Navi 31 [Radeon RX 7900 XT/7900 XTX]", 24, unread=("the speed",))
    said = refusals(found, candidates(found, library))
    assert said[0] == "the speed"
    assert len(said) == 3
    text = as_text(found, candidates(found, library))
    assert all(sentence in text for sentence in said)
