"""One pass over a text: which lines belong to which program, and what none of them understood."""

import csv
import re
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec

from ...language import tr
from ..runs import MeasuredRun
from . import batched_bench, llama_bench, serving
from .context import Context
from .figures import positive
from .json_values import objects_at
from .plain import MOST_BYTES, plain_lines
from .timings import Timings

MOST_LINES = 100_000
MOST_UNREAD = 50
MOST_JSON_FAILURES = 20
"""Limits that keep any input quick; what lies beyond is named."""
STOP_LINES = 500
"""How many lines are read before it is asked whether anybody still waits."""

RATE_WORDS = re.compile(r"\b(?:t/s|tok/s|tokens?/s(?:ec)?|tokens[- ]per[- ]sec\w*)", re.I)
RULE = re.compile(r"^[\s|:+=-]+$")
INSERT = re.compile(r"^INSERT INTO \w+ \(([^)]+)\)\s*VALUES\s*\((.*)\)\s*;?\s*$", re.I)
LABEL = re.compile(r"^\s*([A-Za-z][A-Za-z0-9 ()/.-]*?):\s{2,}(\S.*?)\s*$")
LATENCY = re.compile(r"^\s*Avg latency: ([\d.,eE+-]+) seconds")


def never() -> bool:
    """Nobody stops."""
    return False


class Unread(msgspec.Struct, frozen=True):
    """Something that looked like a measurement: its line (from 1, 0 for the whole), a part of it,
    and why it was not understood."""

    line: int
    text: str
    why: str


class Reading(msgspec.Struct, frozen=True):
    """What a text held: runs with ids "pasted-1", ..., and what was not understood.

    more_unread: how many further lines were not understood beyond those named.
    """

    runs: tuple[MeasuredRun, ...]
    unread: tuple[Unread, ...] = ()
    more_unread: int = 0


def read(text: str | bytes, stop: Callable[[], bool] = never) -> Reading:
    """Every measurement in the output of benchmark programs.

    Understands llama-bench (Markdown, CSV, JSON, JSONL, SQL), llama-batched-bench, vLLM's bench
    serve and bench latency, SGLang's bench_serving (text and JSON), mlx_lm and ollama --verbose; in
    one paste as many of them as there are, with colours, quotes and prompts around them.

    A run carries the names as printed and no catalog ids: `identified` fills those in.

    Parameters: text; stop, asked now and then, whether nobody wants the answer any more: what was
    read until then is returned.
    """
    lines = plain_lines(text)
    if lines is None:
        return Reading((), (Unread(0, "", tr("this is binary; paste or open a text")),))
    found = _Reader(lines, stop).reading()
    if len(text) > MOST_BYTES:
        why = tr("what lies beyond {most} MB was not read; open a shorter text").format(
            most=MOST_BYTES // 1000000
        )
        found = msgspec.structs.replace(found, unread=(Unread(0, "", why), *found.unread))
    return found


def read_file(path: Path, stop: Callable[[], bool] = never) -> Reading:
    """`read` of a file; only as much of it is opened as is read. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        return Reading((), (Unread(0, "", tr("this is not an ordinary file; open a text")),))
    with path.open("rb") as file:
        return read(file.read(MOST_BYTES + 1), stop)


class _Reader:
    def __init__(self, lines: list[str], stop: Callable[[], bool]) -> None:
        self._lines = lines
        self._stop = stop
        self._context = Context()
        self._timings = Timings()
        self._runs: list[MeasuredRun] = []
        self._unread: list[Unread] = []
        self._more = 0
        self._header: list[str] = []
        self._csv: list[str] = []
        self._block: dict[str, object] | None = None
        self._block_line = 0
        self._shared = False
        self._failures = 0

    def reading(self) -> Reading:
        lines = self._lines
        at = 0
        asked = 0
        while at < min(len(lines), MOST_LINES):
            if at - asked >= STOP_LINES:
                asked = at
                if self._stop():
                    break
            at = self._take(at)
        self._close_block()
        if len(lines) > MOST_LINES:
            left = len(lines) - MOST_LINES
            why = tr("{left:,} further lines were not read; paste fewer at once").format(left=left)
            self._unread.append(Unread(MOST_LINES + 1, "", why))
        runs = tuple(
            msgspec.structs.replace(run, id=f"pasted-{number}")
            for number, run in enumerate(self._runs, 1)
        )
        return Reading(runs, tuple(self._unread), self._more)

    def _take(self, at: int) -> int:
        """Take the line at an index, and those that belong to it; the index after them."""
        line = self._lines[at].lstrip("> \t").rstrip()
        if not line:
            self._csv = []
            return at + 1
        first = line[0]
        if first in "{[" and (after := self._json(at)) > at:
            return after
        if (self._csv or "avg_ts" in line) and self._hear_csv(at, line):
            return at + 1
        if line.count("|") > 2 and "ggml_vulkan" not in line:
            self._hear_table(at, line)
            return at + 1
        self._header = []
        if first in "Ii" and (found := INSERT.match(line)):
            self._hear_sql(at, *found.groups())
            return at + 1
        if self._hear_block(at, line):
            return at + 1
        heard = self._timings.hear(line, self._context)
        if heard is not None:
            self._add(at, heard, line)
            return at + 1
        if found := LATENCY.match(line):
            seconds = positive(found.group(1))
            made = serving.latency_run(seconds, self._context) if seconds else tr("not a figure")
            self._add(at, made, line)
        elif "is_pp_shared" in line:
            self._shared = "is_pp_shared = 1" in line
        elif not self._context.hear(line) and RATE_WORDS.search(line):
            self._miss(at, line, tr("a rate in a form that is not known here"))
        return at + 1

    def _add(self, at: int, made: MeasuredRun | list[MeasuredRun] | str, line: str) -> None:
        if isinstance(made, str):
            self._miss(at, line, made)
        elif isinstance(made, list):
            self._runs += made
        else:
            self._runs.append(made)

    def _miss(self, at: int, line: str, why: str) -> None:
        if len(self._unread) < MOST_UNREAD:
            self._unread.append(Unread(at + 1, " ".join(line.split())[:100], why))
        else:
            self._more += 1

    def _hear_table(self, at: int, line: str) -> None:
        if RULE.match(line):
            return
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        names = set(cells)
        if ("t/s" in names and "test" in names) or {"PP", "TG"} <= names:
            self._header = cells
            return
        header = self._header
        if not header:
            header = _headless(cells)
            if not header:
                if RATE_WORDS.search(line):
                    self._header = ["?"]
                    self._miss(at, line, tr("a table with columns that are not known here"))
                return
        if header == ["?"]:
            return
        if len(cells) != len(header):
            why = tr("the row has {cells} cells, the table {columns}: it is cut off").format(
                cells=len(cells), columns=len(header)
            )
            self._miss(at, line, why)
            return
        row = dict(zip(header, cells, strict=True))
        if batched_bench.is_row(row):
            self._add(at, batched_bench.runs(row, self._context, self._shared), line)
        else:
            self._add(at, llama_bench.run(row, self._context), line)

    def _hear_csv(self, at: int, line: str) -> bool:
        separator = ";" if line.count(";") > line.count(",") else ","
        cells = next(csv.reader([line], delimiter=separator), [])
        if "avg_ts" in cells:
            self._csv = cells
            return True
        if not self._csv:
            return False
        if len(cells) < len(self._csv) // 2:
            self._csv = []
            return False
        if len(cells) != len(self._csv):
            why = tr("the row has {cells} fields, the header {columns}: it is cut off").format(
                cells=len(cells), columns=len(self._csv)
            )
            self._miss(at, line, why)
            return True
        row = dict(zip(self._csv, cells, strict=True))
        self._add(at, llama_bench.run(row, self._context), line)
        return True

    def _hear_sql(self, at: int, columns: str, values: str) -> None:
        names = [name.strip() for name in columns.split(",")]
        cells = next(csv.reader([values], quotechar="'", skipinitialspace=True), [])
        if len(names) != len(cells):
            self._miss(
                at,
                values,
                tr("{columns} columns, {values} values: it is cut off").format(
                    columns=len(names), values=len(cells)
                ),
            )
            return
        row = dict(zip(names, cells, strict=True))
        if llama_bench.is_row(row):
            self._add(at, llama_bench.run(row, self._context), values)

    def _hear_block(self, at: int, line: str) -> bool:
        """Lines of a printed serving summary, between its title and the closing rule."""
        if "Serving Benchmark Result" in line:
            self._close_block()
            self._block, self._block_line = {}, at
            return True
        if self._block is None:
            return False
        if RULE.match(line) and self._block:
            self._close_block()
            return True
        if found := LABEL.match(line):
            key = serving.KEYS.get(found.group(1).lower())
            if key is not None:
                self._block.setdefault(key, found.group(2))
            return True
        return line.startswith("---")

    def _close_block(self) -> None:
        if self._block is not None:
            made = serving.runs(self._block, self._context)
            self._add(self._block_line, made, "Serving Benchmark Result")
        self._block = None

    def _json(self, at: int) -> int:
        """Objects of the JSON that starts at a line; the index of the line after them."""
        if self._failures >= MOST_JSON_FAILURES:
            return at
        found = objects_at(self._lines, at)
        if found is None:
            self._failures += 1
            near = "".join(self._lines[at : at + 60])
            if '"avg_ts"' in near or '"output_throughput"' in near or '"model_type"' in near:
                self._miss(at, self._lines[at], tr("a JSON object that is cut off or broken"))
                return at + 1
            return at
        for row in found[0]:
            self._hear_object(at, row)
        return found[1]

    def _hear_object(self, at: int, row: dict[str, object]) -> None:
        said = tr("a JSON object")
        if llama_bench.is_row(row):
            self._add(at, llama_bench.run(row, self._context), said)
        elif serving.is_result(row):
            self._add(at, serving.runs(row, self._context), said)
        elif serving.is_latency(row):
            seconds = positive(str(row["avg_latency"]))
            made = serving.latency_run(seconds, self._context) if seconds else tr("not a figure")
            self._add(at, made, said)
        else:
            keys = ", ".join(list(row)[:4])
            self._miss(at, keys, tr("a JSON object without the keys of a known benchmark"))


def _headless(cells: list[str]) -> list[str]:
    """Columns of a llama-bench row whose table lost its head: the model first, test and rate last.

    Empty when the row is not of that kind.
    """
    if len(cells) < 3 or not llama_bench.TEST.match(cells[-2]):
        return []
    middle = [f"column {number}" for number in range(2, len(cells) - 1)]
    if len(cells) > 3:
        middle[0] = "size"
    return ["model", *middle, "test", "t/s"]
