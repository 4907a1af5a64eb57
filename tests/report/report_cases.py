"""The reports that the tests look at, and what they share."""

from functools import cache

import msgspec

from ourmodels_gui import paths
from ourmodels_gui.evaluation import Evaluation, run
from ourmodels_gui.inline import InlineAdapter, InlineCache, InlineHardware, InlineLayer
from ourmodels_gui.library.load import Library, load
from ourmodels_gui.ranking.requirements import Requirements
from ourmodels_gui.report.known import Known, gather
from ourmodels_gui.scenario import (
    InlineModel,
    ModelRef,
    PrefillChoice,
    Scenario,
    WorkloadChoice,
    read_file,
)

SIX = (
    "nvidia-dgx-spark-gb10",
    "geforce-rtx-5090",
    "apple-m4-max-40-core-gpu-128gb",
    "amd-ryzen-ai-max-395-strix-halo-128gb",
    "rtx-pro-6000-blackwell-workstation",
    "nvidia-h100-sxm5-80gb",
)
ODD = "שלום مرحبا 中文机器 😀👩\u200d🚀 | <b>*_`{}\\ " + "W" * 40 + " " + "very long name " * 8
"""Right to left, CJK, emoji, marks of markup, a word that no column holds; 200 characters."""


LONG = WorkloadChoice(
    reserved_context_tokens=16_000, read_context_tokens=8000, floor_tokens_per_s=10
)


@cache
def library() -> Library:
    return load(paths.catalog())


@cache
def known() -> Known:
    return gather(library(), paths.catalog(), paths.catalog() / "nobody")


def six() -> list[Scenario]:
    """Six machines for one mixture of experts."""
    return [
        Scenario(
            hardware=machine,
            model=ModelRef("qwen3-30b-a3b-instruct-2507", weights="q4_k_m"),
            workload=WorkloadChoice(reserved_context_tokens=65_536, read_context_tokens=16_000),
            prefill=PrefillChoice(prompt_tokens=8192),
        )
        for machine in SIX
    ]


@cache
def cases() -> dict[str, tuple[Scenario, ...]]:
    """The scenarios of each report by its name."""
    prompt = PrefillChoice(prompt_tokens=8192)
    gpt = ModelRef("gpt-oss-120b")
    example = paths.resources() / "examples" / "dgx-spark-qwen3.6-35b-a3b.ourmodels.json"
    return {
        "one": (Scenario("nvidia-dgx-spark-gb10", ModelRef("gpt-oss-120b"), prefill=prompt),),
        "six": tuple(six()),
        "unfit": (Scenario("geforce-rtx-4090", ModelRef("qwen3.5-397b-a17b"), prefill=prompt),),
        "no rates": (
            Scenario(
                "amd-epyc-9004-genoa-bergamo-12ch-ddr5-4800-192gb",
                ModelRef("llama-3.3-70b-instruct"),
                workload=WorkloadChoice(floor_tokens_per_s=5),
                prefill=prompt,
            ),
        ),
        "typed": (read_file(example),),
        "composed": (Scenario("geforce-rtx-5090-ddr5-128gb", gpt, workload=LONG),),
        "falling": (
            Scenario(
                "geforce-rtx-3090-ddr4-64gb",
                ModelRef("qwen3-30b-a3b", weights="q8_0"),
                workload=WorkloadChoice(32_000, 16_000, floor_tokens_per_s=5),
            ),
        ),
        "beside": tuple(
            Scenario(machine, gpt, workload=LONG)
            for machine in ("geforce-rtx-3090-x4", "nvidia-dgx-spark-gb10", "geforce-rtx-5080-3090")
        ),
    }


def evaluated(name: str) -> list[Evaluation]:
    return [run(scenario, library()) for scenario in cases()[name]]


def needs(**changed: object) -> Requirements:
    """Four users of a mixture of experts on a budget."""
    asked = Requirements(
        ModelRef("qwen3-30b-a3b-instruct-2507"),
        65_536,
        users=4,
        tokens_per_s_each=30.0,
        first_token_s=5.0,
        prompt_tokens=8192,
        budget=4500.0,
    )
    return msgspec.structs.replace(asked, **changed)


def oddly_named(name: str = ODD) -> Scenario:
    """A machine and a model with names that try everything."""
    return Scenario(
        hardware=InlineHardware(name=name, memory_gb=128, bandwidth_gb_per_s=800),
        model=InlineModel(
            InlineAdapter(
                name=name,
                total_parameters_b=32,
                bytes_per_parameter=0.5,
                cache=InlineCache(layers=(InlineLayer(64, "full", bytes_per_token=4000.0),)),
            )
        ),
        name=name,
    )
