"""The shipped model files as the tests read them, and a small model to change at will."""

from functools import cache
from pathlib import Path

import msgspec

from ourmodels_gui.library.models import Audit, ExpertSet, LayerGroup, ModelRecord, Tensors

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "catalog" / "models"
DATA = ROOT / "tests" / "data"


@cache
def model(name: str) -> ModelRecord:
    return msgspec.json.decode((MODELS / f"{name}.json").read_bytes(), type=ModelRecord)


def model_ids() -> list[str]:
    return sorted(path.stem for path in MODELS.glob("*.json"))


def stated_sizes() -> list[dict]:
    return msgspec.json.decode((DATA / "model_sizes.json").read_bytes())


def small(**changes) -> ModelRecord:
    """Two layers of width 8, one dense and one with 4 experts of which a token uses 1.

    Every count below can be redone in the head: attention 2 (4 x 8 + 2 x 8 + 2 x 8 + 8 x 4) = 192,
    dense MLP 3 x 16 x 8 = 384, an expert 3 x 4 x 8 = 96, tables 100 x 8 = 800.
    """
    record = ModelRecord(
        name="Small",
        vendor="Nobody",
        family="Test",
        tied=False,
        hidden_width=8,
        layer_count=2,
        context_tokens=1000,
        published_parameters=2632,
        audit=Audit("audited"),
        experts=(ExpertSet(routed=4, per_token=1, layers=1, width=4),),
        layers=(
            LayerGroup("full", 1, query_heads=2, key_heads=1, key_width=2, value_width=2),
            LayerGroup(
                "window", 1, query_heads=2, key_heads=1, key_width=2, value_width=2,
                window_tokens=10,
            ),
        ),
        tensors=(
            Tensors("input_embedding", 1, (100, 8), "token"),
            Tensors("output_head", 1, (100, 8)),
            Tensors("attention", 2, (4, 8), "query"),
            Tensors("attention", 2, (2, 8), "key"),
            Tensors("attention", 2, (2, 8), "value"),
            Tensors("attention", 2, (8, 4), "output"),
            Tensors("dense_mlp", 1, (16, 8), "gate"),
            Tensors("dense_mlp", 1, (16, 8), "up"),
            Tensors("dense_mlp", 1, (8, 16), "down"),
            Tensors("routed_experts", 1, (4, 4, 8), "gate"),
            Tensors("routed_experts", 1, (4, 4, 8), "up"),
            Tensors("routed_experts", 1, (4, 8, 4), "down"),
            Tensors("router", 1, (4, 8)),
            Tensors("norms", 5, (8,)),
        ),
    )  # fmt: skip
    return msgspec.structs.replace(record, **changes)
