"""What options and words say of how several devices and host memory were used.

Options of llama.cpp (`-sm`, `-ot`, `--n-cpu-moe`), vLLM and SGLang (`--tensor-parallel-size`), and
the short forms that people and programs print ("TP=2", "layers split over RPC"). Nothing is
inferred from sizes or rates.
"""

import re

import msgspec

from ..composed import PlacementChoice
from ..engine.setup import Pools, Split

COUNTS: dict[Split, re.Pattern[str]] = {
    "tensor": re.compile(r"(?:tensor[-_]parallel[-_]size|--tp(?:-size)?|-tp|\bTP)[ =]*(\d{1,3})\b"),
    "layers": re.compile(r"(?:pipeline[-_]parallel[-_]size|--pp-size|\bPP)[ =]*(\d{1,2})\b"),
    "experts": re.compile(r"(?:--ep(?:-size)?|expert[-_]parallel[-_]size|\bEP)[ =]*(\d{1,3})\b"),
}
"""Over how many devices a model is divided in each way."""
WORDS: tuple[tuple[Split, re.Pattern[str]], ...] = (
    ("experts", re.compile(r"--enable-expert-parallel|enable_expert_parallel=True", re.I)),
    (
        "tensor",
        re.compile(r"(?:-sm|split[-_]mode)[ =]+(?:row|tensor)\b|tensor parallel|rows split"),
    ),
    ("layers", re.compile(r"(?:-sm|split[-_]mode)[ =]+layer\b|layers? split|--rpc\b")),
)
ON_HOST = re.compile(r"([^\s,;]+)=CPU\b")
"""An override of llama.cpp (`-ot`): the tensors that a pattern names lie in host memory."""
EXPERT_TENSORS = re.compile(r"[\"']?(?:\\?\.)?(?:ffn_\.\*_)?(?:exps|experts)(?:\\?\.)?")
"""A pattern that names the experts of every layer and nothing else."""
ALL_EXPERTS = re.compile(r"--cpu-moe\b|-cmoe\b|\bexperts on CPU\b")
SOME_EXPERTS = re.compile(r"experts of (\d+) of (\d+) layers on CPU")
EXPERT_LAYERS = re.compile(r"(?:--?n-cpu-moe|n_cpu_moe|-ncmoe)[ =]+(\d+)")
DEVICE_LAYERS = re.compile(
    r"(?:-ngl|--n-gpu-layers|--gpu-layers)[ =]+(?P<option>\d+)|(?P<said>\d+) layers on the GPU"
)
OFFLOADED = re.compile(r"CPU offload|layers in host memory|cpu[-_]offload[-_]gb[ =]+[1-9]")
EXPERTS_IN_HOST = PlacementChoice(weights=1.0, routed_experts=0.0, cache=1.0)


class Stated(msgspec.Struct, frozen=True):
    """What a text says; the defaults are "not said".

    devices: over how many the model is divided. expert_layers: first layers whose experts lie in
    host memory. device_layers: layers on the devices, the rest in host memory. placement: where it
    says it whole. in_host: whether it says that some of the weights lie in host memory.
    """

    split: Split | None = None
    devices: int = 0
    expert_layers: int = 0
    device_layers: int | None = None
    placement: PlacementChoice | None = None
    in_host: bool = False


def stated(text: str) -> Stated:
    """What a text says of devices and host memory.

    >>> stated("vllm serve x --tensor-parallel-size 4").split, stated("-ot exps=CPU").in_host
    ('tensor', True)
    >>> stated("trtllm-bench PP8").split, stated("llama-bench -ngl 99").device_layers
    ('layers', 99)
    """
    split, devices = _division(text)
    layers = DEVICE_LAYERS.search(text)
    experts = EXPERT_LAYERS.search(text)
    expert_layers = int(experts.group(1)) if experts else 0
    placement, overridden = _placement(text)
    return Stated(
        split=split,
        devices=devices,
        expert_layers=expert_layers,
        device_layers=int(layers["option"] or layers["said"]) if layers else None,
        placement=placement,
        in_host=overridden or expert_layers > 0 or bool(OFFLOADED.search(text)),
    )


def usual_split(engine: str) -> Split | None:
    """What an engine does with several devices unless told otherwise; None where that is open.

    llama.cpp and what is built on it give each device some of the layers.
    """
    return "layers" if "llama" in engine.lower() else None


def usual_pools(engine: str) -> Pools | None:
    """How an engine works with host memory; None where that is open.

    llama.cpp computes each tensor where it lies, one after another.
    """
    return "sequential" if "llama" in engine.lower() else None


def experts_placed(stated_: Stated, layers: int, expert_layers: int) -> PlacementChoice | None:
    """Where `--n-cpu-moe` puts the experts of a model, where that is exact.

    Parameters: layers and layers with experts of the model. None where the layers without experts
    are not known to be among those named.

    >>> experts_placed(Stated(expert_layers=12), 48, 48).routed_experts
    0.75
    """
    if not stated_.expert_layers:
        return stated_.placement
    if stated_.expert_layers >= layers:
        return EXPERTS_IN_HOST
    if expert_layers != layers:
        return None
    share = 1.0 - stated_.expert_layers / layers
    return msgspec.structs.replace(EXPERTS_IN_HOST, routed_experts=share)


def _division(text: str) -> tuple[Split | None, int]:
    """How a model is divided and over how many devices; both ways at once are left open."""
    counts = {
        split: int(found.group(1))
        for split, pattern in COUNTS.items()
        if (found := pattern.search(text))
    }
    words = next((split for split, pattern in WORDS if pattern.search(text)), None)
    several = [split for split, count in counts.items() if count > 1]
    devices = counts.get("tensor", 1) * counts.get("layers", 1) if counts else 0
    devices = max(devices, counts.get("experts", 0))
    if "experts" in several or (words == "experts" and several):
        return "experts", devices
    if len(several) > 1:
        return None, devices
    return (several[0] if several else words), devices


def _placement(text: str) -> tuple[PlacementChoice | None, bool]:
    """Where the text puts the experts, and whether it puts anything into host memory."""
    if found := SOME_EXPERTS.search(text):
        share = 1.0 - int(found.group(1)) / int(found.group(2))
        return msgspec.structs.replace(EXPERTS_IN_HOST, routed_experts=share), True
    if ALL_EXPERTS.search(text):
        return EXPERTS_IN_HOST, True
    overrides = [found.group(1) for found in ON_HOST.finditer(text)]
    if len(overrides) == 1 and EXPERT_TENSORS.fullmatch(overrides[0]):
        return EXPERTS_IN_HOST, True
    return None, bool(overrides)
