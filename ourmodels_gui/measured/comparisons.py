"""The two comparisons with real runs that the formulation makes, from the example scenarios."""

from pathlib import Path

import msgspec

from .. import evaluation, scenario
from ..library.load import Library


class Comparison(msgspec.Struct, frozen=True):
    """A reported rate (lowest and highest) beside an estimate in tokens/s, and what it is of."""

    what: str
    lowest_tokens_per_s: float
    highest_tokens_per_s: float
    estimate_tokens_per_s: float

    @property
    def ratios(self) -> tuple[float, float]:
        """Lowest and highest reported rate over the estimate."""
        estimate = self.estimate_tokens_per_s
        return self.lowest_tokens_per_s / estimate, self.highest_tokens_per_s / estimate


def comparisons(examples: Path, library: Library) -> tuple[Comparison, ...]:
    """Gemma at concurrency 16, and a Laguna prompt in the chunks that its scheduler allowed.

    Parameters: examples, the folder of example scenarios; library.
    References: formulation, "A sanity check against a real run" and "Prefill on real hardware":
    a budget of 2048 tokens less 32 (15 - 1) draft slots leaves chunks of 1600.
    """
    gemma = scenario.edited(_example(examples, "dgx-spark-gemma-4-26b-a4b"), {"workload.batch": 16})
    answer = evaluation.run(gemma, library).result
    assert answer is not None and answer.decode.forced is not None
    decode = Comparison(
        "Gemma 4 26B-A4B-it, 16 sessions of 16 to 18 tok/s, on a DGX Spark",
        16.0 * 16,
        16.0 * 18,
        answer.decode.forced.aggregate_tokens_per_s,
    )
    found = [decode]
    for mode, name in (("bf16", "BF16"), ("fp4", "FP4")):
        laguna = _example(examples, f"laguna-s-2.1-8k-chunk-2048-{mode}")
        chunks = scenario.edited(laguna, {"prefill.chunk_tokens": 2048 - 32 * (15 - 1)})
        answer = evaluation.run(chunks, library).result
        assert answer is not None and answer.prefill is not None
        assert answer.prefill.tokens_per_s is not None
        what = f"Laguna S 2.1, 8,192 tokens in chunks of 1,600, linear layers in {name}"
        found.append(Comparison(what, 2348.0, 2348.0, answer.prefill.tokens_per_s))
    return tuple(found)


def _example(examples: Path, name: str) -> scenario.Scenario:
    return scenario.read_file(examples / f"{name}{scenario.SUFFIX}")
