"""vLLM's `bench serve` and `bench latency`, SGLang's bench_serving: text or JSON -> runs."""

from collections.abc import Mapping

from ...language import tr
from ..runs import MeasuredRun, Said
from .context import Context
from .figures import Figure, count, positive

KEYS: dict[str, str] = {
    "successful requests": "completed",
    "maximum request concurrency": "max_concurrency",
    "max request concurrency": "max_concurrency",
    "max reqeuest concurrency": "max_concurrency",
    "total input tokens": "total_input_tokens",
    "total generated tokens": "total_output_tokens",
    "output token throughput (tok/s)": "output_throughput",
    "mean ttft (ms)": "mean_ttft_ms",
    "mean tpot (ms)": "mean_tpot_ms",
    "backend": "backend",
    "acceptance length": "acceptance_length",
}
"""Labels of the printed summary, each with its key in the saved JSON."""


def is_result(row: Mapping[str, object]) -> bool:
    """Whether a JSON object is a saved serving result."""
    return "output_throughput" in row and ("completed" in row or "total_output_tokens" in row)


def is_latency(row: Mapping[str, object]) -> bool:
    """Whether a JSON object is a saved latency result."""
    return "avg_latency" in row


def runs(row: Mapping[str, object], context: Context) -> list[MeasuredRun] | str:
    """The runs of a serving result: the whole, and the decode rate where one session ran alone.

    The whole is what all sessions together were given while prompts took their share of the time.
    """
    said = {key: str(value).strip() for key, value in row.items() if _plain(value)}
    rate = positive(said.get("output_throughput", ""))
    completed = positive(said.get("completed", ""))
    if rate is None or completed is None:
        return tr("the output token throughput or the number of requests is missing")
    prompt = _each(said.get("total_input_tokens", ""), completed)
    generated = _each(said.get("total_output_tokens", ""), completed)
    batch = count(said.get("max_concurrency", "")) or None
    wait = positive(said.get("mean_ttft_ms", ""))
    whole = MeasuredRun(
        id="",
        said=Said(context.machine, said.get("model_id") or context.model, ""),
        devices=context.count,
        engine=_engine(said),
        phase="serving",
        prompt_tokens=None if prompt is None else int(prompt),
        generated_tokens=generated,
        batch=batch,
        tokens_per_s=rate.value,
        decimals=min(rate.decimals, 6),
        ttft_s=wait.value / 1000 if wait else None,
        source="pasted",
        note=context.noted(_note(said)),
    )
    pace = positive(said.get("mean_tpot_ms", ""))
    if batch != 1 or pace is None:
        return [whole]
    alone = MeasuredRun(
        id="",
        said=whole.said,
        devices=whole.devices,
        engine=whole.engine,
        phase="decode",
        prompt_tokens=whole.prompt_tokens,
        generated_tokens=generated,
        depth_tokens=whole.prompt_tokens or 0,
        batch=1,
        tokens_per_s=1000 / pace.value,
        decimals=_of_inverse(pace),
        source="pasted",
        note=context.noted("from the mean time per token after the first"),
    )
    return [whole, alone]


def latency_run(seconds: Figure, context: Context) -> MeasuredRun | str:
    """The run of a latency result, whose lengths only the command line says."""
    lengths = context.lengths
    generated, batch = lengths.get("output-len"), lengths.get("batch-size")
    if not generated or not batch:
        return tr(
            "a latency without its lengths; add the command line with --input-len, "
            "--output-len and --batch-size"
        )
    rate = batch * generated / seconds.value
    return MeasuredRun(
        id="",
        said=Said(context.machine, context.model, ""),
        devices=context.count,
        engine="vLLM",
        phase="serving",
        prompt_tokens=lengths.get("input-len"),
        generated_tokens=float(generated),
        batch=batch,
        tokens_per_s=rate,
        decimals=2,
        source="pasted",
        note=context.noted("from the mean latency of a whole batch, the prompt included"),
    )


def _plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _each(total: str, completed: Figure) -> float | None:
    found = positive(total)
    return None if found is None else found.value / completed.value


def _engine(said: Mapping[str, str]) -> str:
    backend = said.get("backend", "")
    return "SGLang" if "sglang" in backend.lower() else f"vLLM ({backend})" if backend else "vLLM"


def _note(said: Mapping[str, str]) -> str:
    length = positive(said.get("acceptance_length", ""))
    return f"{length.value:g} tokens accepted by each iteration" if length else ""


def _of_inverse(pace: Figure) -> int:
    """Decimals of 1000 / x that the printed decimals of x bear out."""
    slack = 1000 / pace.value**2 * 0.5 * 10.0**-pace.decimals
    decimals = 0
    while decimals < 6 and slack < 0.05 * 10.0**-decimals:
        decimals += 1
    return decimals
