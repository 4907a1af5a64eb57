"""Names of machines, models and weights, as printed, mean what they say or nothing."""

import pytest

from ourmodels_gui.measured.machines import match_machine
from ourmodels_gui.measured.models import clean_model, match_model, match_weights


def test_the_rules_give_the_ids_that_the_measured_set_carries(measured, library):
    for run in measured.runs.values():
        memory = run.memory_gb
        machine = match_machine(run.said.machine, memory, library, run.phase != "decode")
        model = match_model(run.said.model, library)
        assert (machine.id, model.id) == (run.machine, run.model), run.id
        if model.id and run.weights:
            record = library.models[model.id].record
            weights = match_weights(run.said.weights, run.said.model, run.engine, record)
            assert (weights.id, weights.sized) == (run.weights, run.sized), run.id


@pytest.mark.parametrize(
    ("name", "memory_gb", "id_"),
    [
        ("NVIDIA GeForce RTX 5060 Laptop GPU", 8, "geforce-rtx-5060-laptop"),
        ("NVIDIA GeForce RTX 4070", 12, "geforce-rtx-4070"),
        ("NVIDIA GeForce RTX 3060", 11.63, "geforce-rtx-3060-12gb"),
        ("Intel 265K Custom PC (Nvidia RTX 4090)", None, "geforce-rtx-4090"),
        ("AMD Radeon RX 580 on HiFive Premier P550", 8, "radeon-rx-580-8gb"),
        ("Apple M4 Max", 64, "apple-m4-max-40-core-gpu-64gb"),
        ("NVIDIA GB10", 121.63, "nvidia-dgx-spark-gb10"),
        ("NVIDIA GeForce RTX 4090 + CPU offload", 24, "geforce-rtx-4090"),
        ("2x Intel Xeon Gold 6454S + 1x RTX 4090D 24GB", 24, "geforce-rtx-4090-d"),
        ("Tesla T4", 15, "tesla-t4"),
    ],
)
def test_a_name_that_says_enough_is_one_machine(library, name, memory_gb, id_):
    assert match_machine(name, memory_gb, library).id == id_


@pytest.mark.parametrize(
    ("name", "memory_gb", "reason"),
    [
        ("NVIDIA GeForce RTX 4090 + NVIDIA GeForce RTX 3090", 24, "machine not fully stated"),
        ("NVIDIA GeForce RTX 3060", None, "machine not fully stated"),
        ("NVIDIA H100", 80, "machine not fully stated"),
        ("AMD Ryzen 9 7950X CPU", None, "machine not fully stated"),
        ("Apple M4 Max", None, "machine not fully stated"),
        ("NVIDIA GeForce RTX 4090", 16, "machine not fully stated"),
        ("Rockchip RK3588 NPU", None, "machine unknown"),
    ],
)
def test_a_name_that_leaves_something_open_is_no_machine(library, name, memory_gb, reason):
    found = match_machine(name, memory_gb, library)
    assert (found.id, found.left_out) == ("", reason)


def test_variants_that_differ_only_in_rates_serve_decode_but_not_prefill(library):
    assert match_machine("Apple M1 Max", 64, library).id
    assert match_machine("Apple M1 Max", 64, library, needs_rates=True).id == ""


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("meta-llama/Meta-Llama-3-8B", "meta-llama-3-8b"),
        ("llama-2-7b.Q4_0", "llama-2-7b"),
        ("hf.co/unsloth/Qwen3.6-27B-MTP-GGUF:UD-Q4_K_XL", "qwen3.6-27b"),
        ("mlx-community/Qwen3-4B-Instruct-2507-4bit-g32", "qwen3-4b-instruct-2507"),
    ],
)
def test_a_models_name_is_what_is_left_without_its_format(name, cleaned):
    assert clean_model(name) == cleaned


def test_tuning_changes_no_shape_but_another_release_is_another_model(library):
    assert match_model("Qwen2.5-14B-Instruct-Q4_K_M.gguf", library).id == "qwen2.5-14b-instruct"
    assert match_model("qwen2-1.5B", library).id == "qwen2-1.5b-instruct"
    assert match_model("Llama-7B", library).left_out == "model unknown"
    assert match_model("some-diffusiongemma-26B", library).left_out == "decoding not modelled"


def test_what_a_format_leaves_open_is_not_filled_in(library):
    record = library.models["llama-3.1-8b-instruct"].record
    oss = library.models["gpt-oss-20b"].record

    def weights(name, of=record, engine="llama.cpp"):
        return match_weights(name, "", engine, of)

    assert weights("GGUF Q4_K - Small").id == "q4_k_s"
    assert weights("MLX q4 g32").id == "mlx-4bit-g32"
    assert weights("GGUF Q4_K_M (assumed)").left_out == "format not stated"
    assert weights("EXL2 4.0 bpw").left_out == "format unknown"
    assert (weights("GGUF UD-Q4_K_XL").id, weights("GGUF UD-Q4_K_XL").sized) == ("q4_k_m", True)
    # GGUF files of gpt-oss keep its experts in MXFP4, whatever the label
    assert weights("Q8_0", oss).id == "gguf-mxfp4"
    assert weights("Q4_K_M", oss).left_out == "format not stated"
    assert weights("MXFP4", oss, "vllm").id == "native"
