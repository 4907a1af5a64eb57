"""Programs that print a few lines after each answer: ollama --verbose and mlx_lm."""

import re

from ...language import tr
from ..runs import MeasuredRun, Said
from .context import Context
from .figures import Figure, count, positive

OLLAMA = re.compile(r"^\s*((?:prompt )?eval (?:count|rate)):\s+(.+?)\s*$")
MLX = re.compile(r"^\s*(Prompt|Generation): ([\d.,]+) tokens, ([\d.,]+) tokens-per-sec")
MLX_TIMING = re.compile(r"Timing with (prompt_tokens=.+)")
MLX_AVERAGES = re.compile(r"^\s*Averages:\s+(.+)$")
PAIR = re.compile(r"(\w+)=([\d.,]+\d)")


class Timings:
    """Collects the lines of one answer until its last one."""

    def __init__(self) -> None:
        self._ollama: dict[str, str] = {}
        self._prompt: tuple[int, Figure] | None = None
        self._lengths: dict[str, int] = {}

    def hear(self, line: str, context: Context) -> list[MeasuredRun] | str | None:
        """The runs that a line completes, why it completes none, or None for another's line."""
        if found := OLLAMA.match(line):
            return self._hear_ollama(found.group(1), found.group(2), context)
        if found := MLX.match(line):
            return self._hear_mlx(found, context)
        if found := MLX_TIMING.search(line):
            pairs = {name: count(value) for name, value in PAIR.findall(found.group(1))}
            self._lengths = {name: value for name, value in pairs.items() if value}
            return []
        if found := MLX_AVERAGES.match(line):
            return self._averages(dict(PAIR.findall(found.group(1))), context)
        return None

    def _hear_ollama(self, key: str, value: str, context: Context) -> list[MeasuredRun] | str:
        if key == "prompt eval count":
            self._ollama = {}
        self._ollama[key] = value
        if key != "eval rate":
            return []
        said, self._ollama = self._ollama, {}
        rate = positive(value)
        if rate is None:
            return tr("the eval rate is not a figure")
        prompt = count(said.get("prompt eval count", ""))
        generated = count(said.get("eval count", ""))
        found = []
        speed = positive(said.get("prompt eval rate", ""))
        if speed is not None and prompt:
            found.append(_prefill("ollama", prompt, speed, 1, context))
        found.append(_decode("ollama", (prompt, generated), rate, 1, context))
        return found

    def _hear_mlx(self, found: re.Match[str], context: Context) -> list[MeasuredRun] | str:
        what, number, rate = found.group(1), count(found.group(2)), positive(found.group(3))
        if number is None or rate is None:
            return tr("tokens or their rate are not figures")
        if what == "Prompt":
            self._prompt = (number, rate)
            return [_prefill("mlx-lm", number, rate, 1, context)]
        prompt, self._prompt = self._prompt, None
        return [_decode("mlx-lm", (prompt and prompt[0], number), rate, 1, context)]

    def _averages(self, said: dict[str, str], context: Context) -> list[MeasuredRun] | str:
        prompt, generated = (self._lengths.get(f"{n}_tokens") for n in ("prompt", "generation"))
        batch = self._lengths.get("batch_size", 1)
        pp, tg = (positive(said.get(key, "")) for key in ("prompt_tps", "generation_tps"))
        if pp is None or tg is None:
            return tr("prompt_tps or generation_tps is missing")
        if not prompt or not generated:
            return tr(
                "averages without the line “Timing with prompt_tokens=...” that says the lengths"
            )
        return [
            _prefill("mlx-lm", prompt, pp, batch, context),
            _decode("mlx-lm", (prompt, generated), tg, batch, context),
        ]


def _prefill(engine: str, tokens: int, rate: Figure, batch: int, context: Context) -> MeasuredRun:
    return MeasuredRun(
        id="",
        said=Said(context.machine, context.model, ""),
        engine=engine,
        phase="prefill",
        prompt_tokens=tokens,
        batch=batch,
        tokens_per_s=rate.value,
        decimals=rate.decimals,
        source="pasted",
    )


def _decode(
    engine: str, lengths: tuple[int | None, int | None], rate: Figure, batch: int, context: Context
) -> MeasuredRun:
    """Parameters: lengths, of the prompt and of what was generated, where they are known."""
    prompt, generated = lengths
    return MeasuredRun(
        id="",
        said=Said(context.machine, context.model, ""),
        engine=engine,
        phase="decode" if batch == 1 else "serving",
        prompt_tokens=prompt,
        generated_tokens=None if generated is None else float(generated),
        depth_tokens=prompt or 0,
        batch=batch,
        tokens_per_s=rate.value,
        decimals=rate.decimals,
        source="pasted",
    )
