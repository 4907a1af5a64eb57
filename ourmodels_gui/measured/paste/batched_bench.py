"""llama-batched-bench and the sweep of ik_llama.cpp: a table row -> a prefill and a decode run."""

from collections.abc import Mapping

from ...language import tr
from ..runs import MeasuredRun, Said
from .context import Context
from .figures import count, positive

Row = Mapping[str, str]


def is_row(row: Row) -> bool:
    """Whether the columns are those of llama-batched-bench or of a sweep over the context."""
    return {"PP", "TG", "S_TG t/s"} <= set(row)


def runs(row: Row, context: Context, shared_prompt: bool) -> list[MeasuredRun] | str:
    """Both runs of a row, or why there are none.

    A row without B is a step of a sweep: one session, N_KV tokens already cached.
    """
    prompt, generated = count(row["PP"]), count(row["TG"])
    sweep = "B" not in row
    batch = 1 if sweep else count(row["B"])
    depth = count(row.get("N_KV", "")) if sweep else 0
    if not batch or prompt is None or generated is None or depth is None:
        return tr("PP, TG, B or N_KV is missing")
    found = []
    pp, tg = positive(row.get("S_PP t/s", "")), positive(row["S_TG t/s"])
    about = {
        "id": "",
        "said": Said(context.machine, context.model, ""),
        "devices": context.count,
        "memory_gb": context.memory_gb,
        "engine": "llama.cpp",
        "batch": batch,
        "source": "pasted",
        "note": context.noted(
            "the prompt is shared by all sessions" if shared_prompt and batch > 1 else ""
        ),
    }
    if pp is not None and prompt:
        found.append(
            MeasuredRun(
                **about,  # type: ignore[arg-type]
                phase="prefill",
                prompt_tokens=prompt,
                depth_tokens=depth,
                tokens_per_s=pp.value,
                decimals=pp.decimals,
            )
        )
    if tg is not None and generated:
        found.append(
            MeasuredRun(
                **about,  # type: ignore[arg-type]
                phase="decode" if batch == 1 else "serving",
                prompt_tokens=None if sweep else prompt,
                generated_tokens=float(generated),
                depth_tokens=depth if sweep else prompt,
                tokens_per_s=tg.value,
                decimals=tg.decimals,
            )
        )
    return found or "neither S_PP t/s nor S_TG t/s is a rate"
