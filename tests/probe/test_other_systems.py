"""What macOS and Windows print, as their documentation shows it, becomes the same facts."""

import json

from ourmodels_gui.probe.asking import Asking
from ourmodels_gui.probe.found import bandwidth_bytes_per_s
from ourmodels_gui.probe.macos import computer as mac
from ourmodels_gui.probe.windows import computer as pc
from ourmodels_gui.probe.windows import described

SYSCTL = "machdep.cpu.brand_string: Apple M3 Pro\nhw.memsize: 38654705664\nhw.ncpu: 12\n"
DISPLAYS = json.dumps(
    {"SPDisplaysDataType": [{"sppci_model": "Apple M3 Pro", "sppci_cores": "18"}]}
)
CIM = {
    "Win32_Processor": [{"Name": "AMD Ryzen 7 7800X3D  8-Core Processor",
                         "NumberOfLogicalProcessors": 16, "L3CacheSize": 98304}],
    "Win32_PhysicalMemory": [
        {"Capacity": 17179869184, "SMBIOSMemoryType": 34, "ConfiguredClockSpeed": 6000,
         "DeviceLocator": "DIMM 1", "BankLabel": f"P0 CHANNEL {letter}", "DataWidth": 64}
        for letter in "AB"
    ],
    "Win32_VideoController": [{"Name": "NVIDIA GeForce RTX 4080"},
                              {"Name": "Microsoft Basic Display Adapter"}],
    "Win32_SystemEnclosure": [{"ChassisTypes": [3]}],
    "Win32_ComputerSystem": [{"TotalPhysicalMemory": 33_400_000_000}],
}  # fmt: skip


def answers(**by_program):
    def run(command):
        said = by_program.get(command[0])
        return said(command) if callable(said) else said

    return Asking(run=run)


def test_a_mac_gives_its_chip_memory_and_cores():
    ask = answers(
        sysctl=lambda command: "MacBookPro18,2\n" if "-n" in command else SYSCTL,
        system_profiler=DISPLAYS,
    )
    found = mac(ask)
    assert (found.cpu, found.cores, found.memory_bytes) == ("Apple M3 Pro", 12, 36 * 2**30)
    assert found.gpus[0].name == "Apple M3 Pro (18-core GPU)" and found.gpus[0].shares
    assert found.portable is True


def test_a_mac_that_gives_no_answer_says_so():
    found = mac(answers())
    assert found.gpus == () and "system_profiler" in found.unread[0]


def test_windows_gives_modules_cards_and_form():
    found = pc(answers(**{"powershell": json.dumps(CIM), "nvidia-smi": "NVIDIA RTX, 16376\n"}))
    assert bandwidth_bytes_per_s(found.modules) == 96e9
    assert found.memory_bytes == 2**35
    assert [gpu.name for gpu in found.gpus] == ["NVIDIA RTX"]
    assert (found.portable, found.cores, found.cache_bytes) == (False, 16, 96 * 2**20)


def test_without_nvidias_program_windows_names_the_card_and_no_memory():
    found = pc(answers(powershell=json.dumps(CIM)))
    assert [(gpu.name, gpu.memory_bytes) for gpu in found.gpus] == [
        ("NVIDIA GeForce RTX 4080", None)
    ]


def test_garbage_from_windows_is_nothing_and_no_fault():
    for text in ("", "{", "[]", '{"Win32_Processor": 4}', '{"Win32_PhysicalMemory": [{}, 3]}'):
        found = described(text)
        assert (found.cpu, found.modules, found.memory_bytes) == ("", (), None)
    assert "PowerShell" in pc(answers()).unread[0]
