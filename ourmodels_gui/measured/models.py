"""From the names of a model and its weights, as printed, to catalog ids, without guessing.

A model: the repository's owner, the file's suffix and the words that name a weight format are
dropped; what is left is an id of the catalog, or one with "-instruct", "-it", "-chat" or the like
behind it (tuning changes no shape). A few printed names stand for one model under another name.

Weights: a printed format is matched when it says how every tensor is stored: the GGUF mixes of
llama.cpp's own quantiser, BF16, FP16, FP8, NVFP4, MXFP4, MLX's bits and group. Where only a detail
of scales is open (FP8 by tensor or by block, AWQ without its group), the smallest is taken, so that
the ceiling stays one. Mixes that a publisher chooses tensor by tensor ("UD-", "_XL") have no rule;
with the file's size they can be held against an estimate.
"""

import re

import msgspec

from ..library.formats import WEIGHT_FORMATS
from ..library.load import Library
from ..library.models import ModelRecord
from ..library.profile import default_weights
from .runs import Reason

OWNER = re.compile(r"^(?:hf\.co/)?[\w.-]+/(?=[\w.-]+)")
FORMAT_WORDS = re.compile(
    r"[-_. ](?:ud[-_])?(?:i?q\d\w*|mxfp4|nvfp4(?:-fast)?|fp4(?: ?/ ?-?fp8)?|fp8(?:-dynamic)?|"
    r"f16|bf16|fp16|int4|\d-?bit(?:-g\d+)?|awq(?:-\dbit)?|gguf|qat|mlx|autoround|mtp)\b",
    re.I,
)
SUFFIXES = ("", "-instruct", "-it", "-chat", "-chat-v1.0", "-instruct-2507")
SAME: dict[str, str] = {
    "meta-llama-3-8b": "llama-3-8b",
    "meta-llama-3-70b": "llama-3-70b",
    "meta-llama-3-8b-instruct": "llama-3-8b-instruct",
    "meta-llama-3.1-8b-instruct": "llama-3.1-8b-instruct",
    "llama-2-70b-chat-hf": "llama-2-70b-chat",
    "deepseek-v3/r1": "deepseek-r1",
    "deepseek-r1 671b": "deepseek-r1",
    "gemma3-1b": "gemma-3-1b-it",
    "gemma3-1b-it": "gemma-3-1b-it",
    "gemma3n-e2b": "gemma-3n-e2b-it",
    "gemma3n-e4b": "gemma-3n-e4b-it",
    "gemma2-2b": "gemma-2-2b-it",
    "gemma4-e2b": "gemma-4-e2b-it",
    "gemma4-e4b": "gemma-4-e4b-it",
    "tinyllama-1.1b": "tinyllama-1.1b-chat-v1.0",
    "nvidia-nemotron-3-super-120b-a12b": "nemotron-3-super-120b-a12b",
}
"""Printed names, cleaned, that mean one model of the catalog."""


class ModelMatch(msgspec.Struct, frozen=True):
    """id: of the catalog, "" when there is none. left_out: why not."""

    id: str
    left_out: Reason = ""


class WeightsMatch(msgspec.Struct, frozen=True):
    """id: format id, "" when there is none. sized: it is the nearest rule, to be held to the size
    of the file. left_out: why there is none."""

    id: str
    sized: bool = False
    left_out: Reason = ""


def clean_model(name: str) -> str:
    """The model in a printed name.

    >>> clean_model("unsloth/Qwen3.6-27B-UD-Q4_K_XL.gguf")
    'qwen3.6-27b'
    >>> clean_model("qwen3:8b")
    'qwen3-8b'
    """
    text = name if name.lower().startswith("deepseek-ai/deepseek-v3/") else OWNER.sub("", name)
    text = text.removeprefix("deepseek-ai/").split(" [")[0].split(" (")[0]
    text = text.lower().removesuffix(".gguf").replace(":", "-").split(":")[0]
    while (shorter := FORMAT_WORDS.sub("", text)) != text:
        text = shorter
    return text.strip(" -_.")


def match_model(name: str, library: Library) -> ModelMatch:
    """The catalog model that a printed name means, or why there is none."""
    if "diffusion" in name.lower():
        return ModelMatch("", "decoding not modelled")
    text = clean_model(name)
    text = SAME.get(text, text)
    for suffix in SUFFIXES:
        if (id_ := text + suffix) in library.models:
            return ModelMatch(id_)
    return ModelMatch("", "model unknown")


PRINTED: dict[str, str] = {
    "bf16": "bf16",
    "fp16": "fp16",
    "fp8": "fp8",
    "fp8 dynamic": "fp8",
    "fp8 (qwix e4m3), kv fp8": "fp8",
    "fp4": "nvfp4",
    "nvfp4": "nvfp4",
    "int8": "int8",
    "awq": "awq-g128",
    "gptq 4-bit g128": "gptq-g128",
    "f16": "gguf-f16",
    "gguf f16": "gguf-f16",
    "gguf bf16": "gguf-bf16",
    "gguf nvfp4": "gguf-nvfp4",
    "gguf mxfp4": "gguf-mxfp4",
    "gguf mxfp4+q8_0": "gguf-mxfp4",
}
"""Printed formats that are no GGUF mix, each with the format it means."""


def match_weights(name: str, model: str, engine: str, record: ModelRecord) -> WeightsMatch:
    """The weight format that a printed one means, or why there is none.

    Parameters: name of the format; model, the printed model, whose name may say more; engine;
    record of the catalog model.
    """
    text = name.lower().strip()
    if "assumed" in text or "n/s" in text:
        return WeightsMatch("", left_out="format not stated")
    if re.search(r"\bud[-_]|_xl\b|labelled|ds4|q2_k_p|w1\.58|_r8|experts", text):
        return _sized(text)
    if text.startswith("mxfp4") and "lm_head" in text:
        return WeightsMatch("mlx-mxfp4")  # the same blocks, in every matrix
    if _keeps_experts(record) and re.search(r"\bi?q\d", text) and "mxfp4" not in text:
        if "q8_0" in text:
            return WeightsMatch("gguf-mxfp4")
        return WeightsMatch("", left_out="format not stated")
    if "awq" in model.lower() and text in ("int4", "awq"):
        return WeightsMatch("awq-g128")
    if match := re.match(r"mlx[ -]q?(\d)(?:-?bit)?(?: g(\d+))?$", text):
        group = f"-g{match.group(2)}" if match.group(2) else ""
        return _known(f"mlx-{match.group(1)}bit{group}")
    mixed = re.sub(r"^gguf ", "", text)
    mixed = re.sub(r" - (s|m|l)(?:mall|edium|arge)$", r"_\1", mixed).split(" ")[0]
    if mixed in WEIGHT_FORMATS and mixed.startswith(("q", "iq")):
        return WeightsMatch(mixed)
    if text.startswith("mxfp4"):
        files = "llama" in engine or "ollama" in engine
        return WeightsMatch("gguf-mxfp4" if files else default_weights(record))
    return _known(PRINTED.get(text, ""))


def _keeps_experts(record: ModelRecord) -> bool:
    """Whether its experts were released in MXFP4, which GGUF files keep whatever their label."""
    return any(
        group.tensor_class == "routed_experts" and group.encoding == "mxfp4"
        for group in record.tensors
    )


def _sized(text: str) -> WeightsMatch:
    """The mix whose base block the printed name carries, for a publisher's own mix."""
    bits = re.search(r"(iq\d_xxs|iq\d_m|iq4_xs|q2_k|q3_k_s|q3_k|q4_k|q5_k|q6_k|q8)", text)
    nearest = {
        "q3_k": "q3_k_m",
        "q4_k": "q4_k_m",
        "q5_k": "q5_k_m",
        "q8": "q8_0",
    }
    if "mxfp4" in text or "labelled f16" in text:
        return WeightsMatch("gguf-mxfp4", sized=True)
    if bits is None:
        return WeightsMatch("", left_out="format unknown")
    id_ = nearest.get(bits.group(1), bits.group(1))
    return WeightsMatch(id_, sized=True)


def _known(id_: str) -> WeightsMatch:
    if id_ in WEIGHT_FORMATS:
        return WeightsMatch(id_)
    return WeightsMatch("", left_out="format unknown")
