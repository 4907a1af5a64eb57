from datetime import date

import msgspec
import pytest

from ourmodels_gui import paths
from ourmodels_gui.library import check, check_machine
from ourmodels_gui.library.check import (
    CHECK_NAMES,
    check_hardware,
    check_sources,
    evidence_of,
    records_of,
    used_sources,
)
from ourmodels_gui.library.hardware import Configuration, HardwareRecord, Memory, Price
from ourmodels_gui.library.load import load
from ourmodels_gui.library.records import RECOLLECTION, Fact, Figure, Source

SOURCES = {
    "sheet": Source("Data sheet", "https://example.org/sheet", "2026-11-29"),
    RECOLLECTION: Source("From memory", "not read again", ""),
}
ASKED_ABOUT = [
    "geforce-rtx-3060-12gb geforce-rtx-3060-ti geforce-rtx-3070 geforce-rtx-3070-ti",
    "geforce-rtx-3080-10gb geforce-rtx-3080-12gb geforce-rtx-3080-ti geforce-rtx-3090",
    "geforce-rtx-3090-ti geforce-rtx-4060 geforce-rtx-4060-ti-8gb geforce-rtx-4060-ti-16gb",
    "geforce-rtx-4070 geforce-rtx-4070-super geforce-rtx-4070-ti geforce-rtx-4070-ti-super",
    "geforce-rtx-4080 geforce-rtx-4080-super geforce-rtx-4090 geforce-rtx-5060",
    "geforce-rtx-5060-ti-8gb geforce-rtx-5060-ti-16gb geforce-rtx-5070 geforce-rtx-5070-ti",
    "geforce-rtx-5080 geforce-rtx-5090 rtx-pro-4000-blackwell rtx-pro-4500-blackwell",
    "rtx-pro-5000-blackwell-48gb rtx-pro-6000-blackwell-workstation",
    "rtx-pro-6000-blackwell-max-q rtx-pro-6000-blackwell-server nvidia-dgx-spark-gb10",
    "amd-ryzen-ai-max-395-strix-halo apple-m1-pro-16-core-gpu apple-m1-max-32-core-gpu",
    "apple-m1-ultra-64-core-gpu apple-m2-pro-19-core-gpu apple-m2-max-38-core-gpu",
    "apple-m2-ultra-76-core-gpu apple-m3-pro-18-core-gpu apple-m3-max-40-core-gpu",
    "apple-m3-ultra-80-core-gpu apple-m4-pro-20-core-gpu apple-m4-max-32-core-gpu",
    "apple-m4-max-40-core-gpu apple-m5-pro-20-core-gpu apple-m5-max-40-core-gpu",
    "nvidia-a100-sxm4-40gb nvidia-a100-sxm4-80gb nvidia-h100-sxm5-80gb nvidia-h100-pcie-80gb",
    "nvidia-h200-sxm-141gb nvidia-b200-sxm-hgx amd-instinct-mi300x radeon-rx-7900-xtx",
    "radeon-ai-pro-r9700 intel-arc-b580 intel-arc-pro-b60-24gb",
]


def figure(value, unit, **evidence):
    return Figure(value, unit, **{"source": "sheet"} | evidence)


def record(**changes):
    fields = {
        "name": "Card 4090",
        "vendor": "V",
        "kind": "discrete",
        "forms": ("desktop",),
        "architecture": "Ada Lovelace",
        "memory": Memory(
            "GDDR6X",
            bandwidth=figure(1008, "GB/s"),
            bus_width=figure(384, "bit"),
            data_rate=figure(21, "Gbit/s"),
        ),
        "configurations": (Configuration("card", figure(24, "GiB"), marketed=figure(24, "GB")),),
        "compute": {
            "fp16_fp16acc": figure(330.3, "TFLOP/s"),
            "fp16_fp32acc": figure(165.2, "TFLOP/s"),
            "bf16_fp32acc": figure(165.2, "TFLOP/s"),
            "fp8_fp32acc": figure(330.3, "TFLOP/s"),
            "int8_int32acc": figure(660.6, "TOP/s"),
        },
        "units": figure(128, "SM"),
        "clock": figure(2520, "MHz"),
        "power": figure(450, "W"),
        "price": Price(1599, "USD", source="sheet", date="2022-10"),
        "released": Fact("2022-10-12", source="sheet"),
    }
    return HardwareRecord(**fields | changes)


def memory(**changes):
    return msgspec.structs.replace(record().memory, **changes)


def size(**changes):
    return (msgspec.structs.replace(record().configurations[0], **changes),)


def rates(**changes):
    return record().compute | changes


def faults(subject, stem="card", sources=SOURCES):
    return [(p.key, p.message) for p in check_hardware({f"hardware/{stem}.json": subject}, sources)]


def test_a_sound_record_has_no_fault():
    assert faults(record()) == []


PLANTED = {
    "bandwidth_off_by_5_percent": (
        {"memory": memory(bandwidth=figure(960, "GB/s"))},
        "memory.bandwidth",
        "1008 GB/s",
    ),
    "half_the_bus": (
        {"memory": memory(bus_width=figure(192, "bit"))},
        "memory.bandwidth",
        "504 GB/s",
    ),
    "bandwidth_of_one_size": (
        {"configurations": size(memory=memory(data_rate=figure(18, "Gbit/s")))},
        "configurations[0].memory.bandwidth",
        "864 GB/s",
    ),
    "bits_for_bytes": (
        {"memory": memory(bandwidth=figure(1008, "Gbit/s"))},
        "memory.bandwidth.unit",
        "GB/s",
    ),
    "clock_in_seconds": ({"clock": figure(2520, "s")}, "clock.unit", "MHz"),
    "bus_in_bytes": ({"memory": memory(bus_width=figure(384, "byte"))}, "memory.bus_width", "bit"),
    "power_in_megawatts": ({"power": figure(450e6, "W")}, "power.value", "range"),
    "int8_in_flop": (
        {"compute": rates(int8_int32acc=figure(660.6, "TFLOP/s"))},
        "compute.int8_int32acc.unit",
        "TOP/s",
    ),
    "channels_of_another_width": (
        {
            "kind": "cpu",
            "memory": Memory(
                "DDR5", figure(89.6, "GB/s"), figure(128, "bit"), figure(5.6, "Gbit/s"), channels=4
            ),
        },
        "memory.bus_width",
        "256 bit",
    ),
    "decimal_dram": (
        {"configurations": size(capacity=figure(24, "GB"))},
        "configurations[0].capacity.unit",
        "GiB",
    ),
    "capacity_of_another_size": (
        {"configurations": size(capacity=figure(48, "GiB"))},
        "configurations[0].capacity",
        "cannot be sold as 24 GB",
    ),
    "capacity_short": (
        {"configurations": size(capacity=figure(20, "GiB"))},
        "configurations[0].capacity",
        "cannot be sold as 24 GB",
    ),
    "sizes_out_of_order": (
        {
            "configurations": (
                Configuration("card-24gb", figure(24, "GiB")),
                Configuration("card-16gb", figure(16, "GiB")),
            )
        },
        "configurations[1].capacity",
        "ascending",
    ),
    "share_above_capacity": (
        {"kind": "unified", "configurations": size(default_share=figure(32, "GiB"))},
        "configurations[0].default_share",
        "133%",
    ),
    "share_in_the_wrong_unit": (
        {"kind": "unified", "configurations": size(default_share=figure(16, "MiB"))},
        "configurations[0].default_share",
        "",
    ),
    "share_on_a_card": (
        {"configurations": size(default_share=figure(12, "GiB"))},
        "configurations[0].default_share",
        "does not share",
    ),
    "sparse_fp8": (
        {"compute": rates(fp8_fp32acc=figure(660.6, "TFLOP/s"))},
        "compute.fp8_fp32acc",
        "sparse",
    ),
    "sparse_int8": (
        {"compute": rates(int8_int32acc=figure(1321.2, "TOP/s"))},
        "compute.int8_int32acc",
        "sparse",
    ),
    "fp16_accumulate_taken_for_fp32": (
        {
            "compute": {
                "bf16_fp32acc": figure(330.3, "TFLOP/s"),
                "fp16_fp32acc": figure(165.2, "TFLOP/s"),
            }
        },
        "compute.bf16_fp32acc",
        "2 times",
    ),
    "every_rate_sparse": (
        {
            "compute": {
                "fp16_fp16acc": figure(660.6, "TFLOP/s"),
                "fp16_fp32acc": figure(660.6, "TFLOP/s"),
                "bf16_fp32acc": figure(660.6, "TFLOP/s"),
            }
        },
        "compute.bf16_fp32acc",
        "128 SM can do densely",
    ),
    "derivation_gives_another_value": (
        {
            "compute": {
                "bf16_fp32acc": figure(
                    175, "TFLOP/s", basis="derived", where="128 SM x 512 FLOP per clock x 2520 MHz"
                )
            }
        },
        "compute.bf16_fp32acc",
        "165.2",
    ),
    "derivation_from_another_clock": (
        {
            "compute": {
                "bf16_fp32acc": figure(
                    150.7,
                    "TFLOP/s",
                    basis="derived",
                    where="128 SM x 512 FLOP per clock x 2300 MHz",
                )
            }
        },
        "compute.bf16_fp32acc.where",
        "2520 MHz",
    ),
    "measured_above_the_limit": (
        {"measured": {"bandwidth": figure(1100, "GB/s", basis="measured")}},
        "measured.bandwidth",
        "exceeds the limit of 1008",
    ),
    "measured_rate_above_the_limit": (
        {"measured": {"bf16_fp32acc": figure(330, "TFLOP/s", basis="measured")}},
        "measured.bf16_fp32acc",
        "exceeds",
    ),
    "released_in_1922": (
        {"released": Fact("1922-10-12", source="sheet")},
        "released.text",
        "plausible",
    ),
    "released_in_the_future": (
        {"released": Fact("2922-10-12", source="sheet")},
        "released.text",
        "announced",
    ),
    "not_a_date": ({"released": Fact("autumn", source="sheet")}, "released.text", "2024-10-30"),
    "announced_with_a_date": ({"announced": True}, "released", "only announced"),
    "price_without_currency": ({"price": Price(1599, "$", source="sheet")}, "price.unit", "USD"),
    "price_of_a_sandwich": ({"price": Price(5, "USD", source="sheet")}, "price.value", "5 USD"),
    "power_of_a_rack": ({"power": figure(45, "kW")}, "power", "45000 W"),
    "laptop_like_a_heater": (
        {"forms": ("laptop",), "power": figure(1500, "W")},
        "power",
        "one such device",
    ),
    "price_date": (
        {"price": Price(1599, "USD", source="sheet", date="2022-13")},
        "price.date",
        "date",
    ),
    "no_source": ({"power": Figure(450, "W")}, "power.source", "not in sources.json"),
    "unknown_source": ({"power": figure(450, "W", source="sheeet")}, "power.source", "sheeet"),
    "unknown_second_source": ({"power": figure(450, "W", also=("x",))}, "power.source", "“x”"),
    "recollection_as_published": (
        {"power": figure(450, "W", source=RECOLLECTION)},
        "power.basis",
        "unverified",
    ),
    "derived_from_nothing": ({"power": figure(450, "W", basis="derived")}, "power.where", "how"),
    "measured_among_limits": (
        {"compute": rates(bf16_fp32acc=figure(165.2, "TFLOP/s", basis="measured"))},
        "compute.bf16_fp32acc.basis",
        "measured",
    ),
    "limit_among_measured": (
        {"measured": {"bandwidth": figure(1000, "GB/s")}},
        "measured.bandwidth.basis",
        "measured",
    ),
    "id_of_another_file": (
        {"configurations": size(id="other")},
        "configurations[0].id",
        "write card",
    ),
    "exception_without_reason": (
        {"exceptions": {"price_plausible": " "}, "price": Price(5, "USD", source="sheet")},
        "exceptions.price_plausible",
        "say why",
    ),
    "exception_of_no_check": ({"exceptions": {"luck": "x"}}, "exceptions.luck", "no such check"),
    "exception_no_longer_needed": (
        {"exceptions": {"price_plausible": "x"}},
        "exceptions.price_plausible",
        "remove the exception",
    ),
    "stale_laptop_exception": (
        {"exceptions": {"laptops_below_desktops": "x"}},
        "exceptions.laptops_below_desktops",
        "remove the exception",
    ),
}


@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_fault_is_found_with_its_key(case):
    changes, key, said = PLANTED[case]
    found = faults(record(**changes))
    assert any(k.startswith(key) and said in message for k, message in found), found


def test_every_check_catches_a_planted_fault():
    """Take one check away at a time: some planted fault must then go unseen."""
    for name in CHECK_NAMES - {"laptops_below_desktops"}:
        lost = [
            case
            for case, (changes, _, _) in PLANTED.items()
            if faults(record(**changes))
            and not [f for f in faults(record(**changes)) if f not in _found_by(name, changes)]
        ]
        assert lost, name


def _found_by(name, changes):
    (one,) = [c for c in check.RECORD_CHECKS if c.__name__ == name]
    return list(one(record(**changes)))


def test_an_exception_sets_one_check_aside_and_no_other():
    changes = {"price": Price(5, "$", source="sheet"), "clock": figure(1, "s")}
    kept = faults(record(**changes, exceptions={"price_plausible": "A gift."}))
    assert {key for key, _ in kept} == {"clock.unit"}


def test_a_laptop_is_no_faster_than_its_desktop():
    desktop = record()
    slower = record(
        name="Card 4090 Laptop",
        forms=("laptop",),
        configurations=size(id="laptop"),
        power=figure(175, "W"),
    )
    both = {"hardware/card.json": desktop, "hardware/laptop.json": slower}
    assert check_hardware(both, SOURCES) == []
    faster = msgspec.structs.replace(
        slower,
        memory=Memory("GDDR7", figure(1344, "GB/s")),
        compute=rates(bf16_fp32acc=figure(175.0, "TFLOP/s"), fp16_fp32acc=figure(175, "TFLOP/s")),
        clock=None,
    )
    found = check_hardware(both | {"hardware/laptop.json": faster}, SOURCES)
    assert {p.key for p in found} >= {"memory.bandwidth", "compute.bf16_fp32acc"}
    assert {p.place for p in found} == {"hardware/laptop.json"}


def test_a_laptop_is_compared_with_every_size_of_its_desktop():
    desktop = record(name="Card 4090 16GB")
    laptop = record(
        name="Card 4090 Laptop (GDDR7)",
        forms=("laptop",),
        memory=Memory("GDDR7", figure(1344, "GB/s")),
        configurations=size(id="laptop"),
        power=figure(175, "W"),
    )
    both = {"hardware/card.json": desktop, "hardware/laptop.json": laptop}
    assert [p.key for p in check_hardware(both, SOURCES)] == ["memory.bandwidth"]


@pytest.mark.parametrize(
    ("changes", "key"), [({}, "configurations[0].id"), ({"configurations": size(id="b")}, "name")]
)
def test_ids_and_names_stand_once(changes, key):
    both = {"hardware/card.json": record(), "hardware/b.json": record(**changes)}
    assert key in {p.key for p in check_hardware(both, SOURCES) if p.place == "hardware/b.json"}


def test_a_users_own_machine_needs_no_source():
    own = record(power=Figure(450, "W"), configurations=size(id="anything"))
    assert faults(own, sources=None) == []
    assert faults(record(memory=memory(bandwidth=Figure(960, "GB/s"))), sources=None)


@pytest.mark.parametrize(
    ("sources", "used", "key"),
    [
        ({"s": Source("", "p", "2026-11-29")}, {"s"}, "s"),
        ({"s": Source("t", " ", "2026-11-29")}, {"s"}, "s"),
        ({"s": Source("t", "p", "lately")}, {"s"}, "s.read"),
        ({"s": Source("t", "p", "")}, {"s"}, "s.read"),
        ({"s": Source("t", "p", "2026-11-29")}, set(), "s"),
    ],
)
def test_sources_are_complete_and_used(sources, used, key):
    (problem,) = check_sources(sources, used)
    assert (problem.place, problem.key) == ("sources.json", key)


def test_recollection_needs_no_date():
    assert check_sources({RECOLLECTION: Source("t", "p", "")}, {RECOLLECTION}) == []


def test_evidence_is_found_wherever_it_stands():
    keys = {key for key, _ in evidence_of(record())}
    assert {"memory.bandwidth", "configurations[0].capacity", "compute.fp8_fp32acc"} <= keys
    assert {"price", "released", "power"} <= keys
    assert used_sources({"x": record(power=figure(1, "W", also=("second",)))}) == {
        "sheet",
        "second",
    }


@pytest.fixture(scope="module")
def library():
    return load(paths.catalog())


def test_the_shipped_catalog_passes_every_check(library):
    assert check_hardware(records_of(library), library.sources) == []


def test_every_hardware_source_is_known(library):
    assert used_sources(records_of(library)) <= set(library.sources)


@pytest.mark.parametrize("stem", " ".join(ASKED_ABOUT).split())
def test_memory_of_machines_people_ask_about_does_not_rest_on_recollection(library, stem):
    entries = [e for e in library.machines.values() if e.place.endswith(f"/{stem}.json")]
    assert entries
    for entry in entries:
        assert entry.record.memory.bandwidth.basis != "unverified"
        assert entry.memory.basis != "unverified"


def test_conflicts_and_notes_are_sentences(library):
    for record in records_of(library).values():
        for text in (*record.notes, *record.conflicts, *record.exceptions.values()):
            assert text.endswith("."), text


@pytest.mark.parametrize("today", [date(1970, 1, 1), date(2100, 1, 1)])
def test_a_wrong_clock_makes_no_finding(monkeypatch, today):
    class Clock(date):
        @classmethod
        def today(cls):
            return today

    monkeypatch.setattr(check_machine, "date", Clock)
    assert faults(record(released=Fact("2024-10-30", source="sheet"))) == []
