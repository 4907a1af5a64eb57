"""The probe of Linux reads what any user may, and says what it could not read."""

import os
import time

import pytest
from computers import FOUR_MODULES, linux, pci

from ourmodels_gui.probe.asking import Asking
from ourmodels_gui.probe.found import Module, bandwidth_bytes_per_s, channels
from ourmodels_gui.probe.linux import computer

DESKTOP = {
    "run/udev/data/+dmi:id": FOUR_MODULES,
    "sys/class/dmi/id/chassis_type": "3\n",
    "sys/devices/system/cpu/online": "0-15\n",
    "proc/meminfo": "MemTotal:       32000000 kB\n",
}


def test_modules_are_read_from_udevs_copy_without_root(tmp_path):
    found = computer(linux(tmp_path, "AMD Ryzen 9 7950X", DESKTOP))
    assert [(m.type, m.speed_mt_per_s) for m in found.modules] == [("DDR5", 5200.0)] * 2
    assert found.memory_bytes == 2 * 2**34
    assert found.portable is False
    assert found.cores == 16
    assert found.unread == ()


def test_the_speed_that_is_configured_makes_the_bandwidth(tmp_path):
    found = computer(linux(tmp_path, "AMD Ryzen 9 7950X", DESKTOP))
    assert channels(found.modules) == 2
    assert bandwidth_bytes_per_s(found.modules) == 2 * 8 * 5200e6


def test_places_without_channels_make_no_bandwidth():
    modules = (Module(2**34, "DDR4", 3200, "DIMM 0"), Module(2**34, "DDR4", 3200, "DIMM 1"))
    assert bandwidth_bytes_per_s(modules) is None


def test_modules_of_two_speeds_or_no_speed_make_no_bandwidth():
    one, other = (
        Module(2**34, "DDR4", speed, bank=f"CHANNEL {letter}")
        for speed, letter in ((3200, "A"), (2666, "B"))
    )
    assert bandwidth_bytes_per_s((one, other)) is None
    assert bandwidth_bytes_per_s((Module(2**34, "DDR4", None, bank="CHANNEL A"),)) is None


def test_two_controllers_with_the_same_letters_are_more_channels():
    modules = tuple(
        Module(2**34, "DDR5", 5600, f"Controller{number}-Channel{letter}-DIMM0", "BANK 0", 64)
        for number in (0, 1)
        for letter in "AB"
    )
    assert channels(modules) == 4


def test_without_modules_the_blocks_of_memory_count(tmp_path):
    files = {"sys/devices/system/memory/block_size_bytes": "8000000\n"}
    files |= {f"sys/devices/system/memory/memory{number}/state": "online" for number in range(16)}
    found = computer(linux(tmp_path, "AMD Ryzen 9 7950X", files))
    assert found.memory_bytes == 16 * 2**27
    assert "DDR" not in "".join(m.type for m in found.modules)
    assert "for root alone" in found.unread[0]


def test_a_virtual_machine_says_so(tmp_path):
    found = computer(linux(tmp_path, "AMD EPYC", {}, more=" hypervisor"))
    assert found.virtual
    assert "virtual machine" in found.unread[0]


def test_what_only_root_may_read_is_not_read_even_by_root(tmp_path):
    ask = linux(tmp_path, "cpu", {"sys/class/dmi/id/product_serial": "secret"})
    assert ask.text("/sys/class/dmi/id/product_serial") == "secret"
    os.chmod(tmp_path / "sys/class/dmi/id/product_serial", 0o400)
    assert ask.text("/sys/class/dmi/id/product_serial") == ""


def test_cards_come_from_their_own_program_with_their_memory(tmp_path):
    files = pci("0000:01:00.0", "0x10de", "0x2684")
    found = computer(linux(tmp_path, "cpu", files, "NVIDIA GeForce RTX 4090, 24564\n"))
    assert [(gpu.name, gpu.memory_bytes) for gpu in found.gpus] == [
        ("NVIDIA GeForce RTX 4090", 24564 * 2**20)
    ]


def test_without_the_program_the_driver_gives_the_name(tmp_path):
    files = pci("0000:01:00.0", "0x10de", "0x2684") | {
        "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t NVIDIA GeForce RTX 4090\n"
    }
    found = computer(linux(tmp_path, "cpu", files))
    assert found.gpus[0].name == "NVIDIA GeForce RTX 4090"
    assert found.gpus[0].memory_bytes is None
    assert any("nvidia-smi" in sentence for sentence in found.unread)


def test_a_card_without_any_name_is_told_by_its_numbers(tmp_path):
    found = computer(linux(tmp_path, "cpu", pci("0000:03:00.0", "0x1002", "0x744c")))
    assert found.gpus[0].name == ""
    assert any("1002:744c" in sentence for sentence in found.unread)


def test_a_processors_own_unit_shares_main_memory(tmp_path):
    card = pci("0000:03:00.0", "0x1002", "0x744c", product_name="AMD Radeon RX 7900 XTX",
               mem_info_vram_total=str(24 * 2**30), mem_info_vram_vendor="samsung")  # fmt: skip
    own = pci("0000:0c:00.0", "0x1002", "0x164e", mem_info_vram_total=str(2**29),
              mem_info_vram_vendor="unknown")  # fmt: skip
    found = computer(linux(tmp_path, "cpu", card | own))
    assert [gpu.shares for gpu in found.gpus] == [False, True]


def test_other_devices_on_the_bus_are_no_graphics(tmp_path):
    found = computer(linux(tmp_path, "cpu", pci("0000:00:03.0", "0x1af4", "0x1041", "0x020000")))
    assert found.gpus == ()


@pytest.mark.parametrize("text", ["", "garbage \x00\xff", "E:MEMORY_DEVICE_0_SIZE=many\n"])
def test_damaged_files_give_less_and_never_a_fault(tmp_path, text):
    files = dict.fromkeys(
        (
            "run/udev/data/+dmi:id",
            "proc/meminfo",
            "sys/devices/system/memory/block_size_bytes",
            "sys/devices/system/cpu/online",
            "sys/devices/system/cpu/cpu0/cache/index3/size",
        ),
        text,
    )
    found = computer(linux(tmp_path, "cpu", files))
    assert found.memory_bytes is None and found.modules == ()


def test_a_program_that_hangs_is_left_behind_in_time():
    ask = Asking(seconds=0.2)
    began = time.monotonic()
    assert ask.run("sleep", "5") is None
    assert ask.run("sleep", "5") is None
    assert time.monotonic() - began < 4


def test_programs_never_run_as_root():
    if os.name == "posix":
        said = Asking().run("id", "-u")
        assert said is None or int(said) != 0


def test_the_cache_of_the_last_level_is_counted_once_for_those_that_share_it(tmp_path):
    files = {}
    for cpu, shared in ((0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")):
        for index, level, size, by in (("index0", 1, 32, str(cpu)), ("index3", 3, 32768, shared)):
            place = f"sys/devices/system/cpu/cpu{cpu}/cache/{index}"
            files |= {
                f"{place}/level": str(level),
                f"{place}/size": f"{size}K",
                f"{place}/shared_cpu_list": by,
            }
    assert computer(linux(tmp_path, "cpu", files)).cache_bytes == 2 * 32 * 2**20
