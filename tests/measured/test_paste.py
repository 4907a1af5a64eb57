"""What benchmark programs print is read whole, and what is not understood is named."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.measured.ceiling import ceiling
from ourmodels_gui.measured.identify import identified, missing
from ourmodels_gui.measured.paste import read
from ourmodels_gui.measured.paste.figures import figure, size_gb

TEXTS = Path(__file__).parents[1] / "data" / "pasted"
ALL = sorted(path for path in TEXTS.iterdir() if path.suffix != ".md")


def text(name: str) -> str:
    return (TEXTS / name).read_text(encoding="utf-8")


def rates(reading):
    return [(run.phase, run.tokens_per_s) for run in reading.runs]


def test_every_text_is_cited():
    page = text("README.md")
    assert all(path.name in page for path in ALL)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_a_whole_output_leaves_nothing_unread(path):
    reading = read(path.read_bytes())
    assert reading.runs
    assert reading.unread == ()


def test_a_table_says_phase_depth_and_format():
    runs = read(text("llama-bench-depth.txt")).runs
    told = [(run.phase, run.prompt_tokens, run.generated_tokens, run.depth_tokens) for run in runs]
    assert told == [
        ("prefill", 512, None, 0),
        ("decode", None, 128, 0),
        ("prefill", 512, None, 512),
        ("decode", None, 128, 512),
    ]
    assert [run.tokens_per_s for run in runs] == [7340.20, 120.60, 6425.91, 116.71]
    assert {run.decimals for run in runs} == {2}
    assert {(run.said.model, run.said.weights) for run in runs} == {("qwen2 7B", "Q4_K - Medium")}
    assert runs[0].file_gb == pytest.approx(4.36 * 2**30 / 1e9)


def test_lines_before_a_table_name_the_device():
    one = read(text("llama-bench-2070.txt")).runs[0]
    assert one.said.machine == "NVIDIA GeForce RTX 2070"
    assert one.memory_gb == pytest.approx(7777 / 1024)
    assert one.cache == "q8_0"
    eight = read(text("llama-bench-8-devices.txt")).runs[0]
    assert (eight.said.machine, eight.devices) == ("NVIDIA A100 80GB PCIe", 8)


def test_csv_json_jsonl_and_sql_say_the_same():
    rows = json.loads(text("llama-bench.json"))
    as_json = read(text("llama-bench.json")).runs
    lines = "\n".join(json.dumps(row) for row in rows)
    columns = [key for key in rows[0] if not key.startswith("samples")]
    inserts = "\n".join(
        f"INSERT INTO llama_bench ({', '.join(columns)}) VALUES "
        f"({', '.join(repr(str(row[key])) for key in columns)});"
        for row in rows
    )
    table = ";".join(columns) + "\n"
    table += "\n".join(";".join(f'"{row[key]}"' for key in columns) for row in rows)
    assert read(lines).runs == as_json
    assert read(inserts).runs == as_json
    assert read(json.dumps(rows)).runs == as_json
    assert read(json.dumps(rows, separators=(",", ":"))[:-1]).runs == as_json
    assert read(table).runs == as_json
    assert rates(read(text("llama-bench.csv"))) == [
        ("prefill", 7285.676949),
        ("decode", 119.915244),
    ]


def test_a_complete_text_is_held_against_its_ceiling(library):
    for pasted in read(text("llama-bench.json")).runs:
        run = identified(pasted, library)
        assert missing(run) == ()
        assert (run.machine, run.model) == ("geforce-rtx-4080", "qwen2.5-7b-instruct")
        assert 0 < ceiling(run, library).ratio < 1


def test_what_a_text_does_not_name_is_asked_for(library):
    runs = [identified(run, library) for run in read(text("mlx-generate.txt")).runs]
    assert {run.weights for run in runs} == {"mlx-4bit"}
    assert {missing(run) for run in runs} == {("machine",)}
    table = identified(read(text("llama-bench-depth.txt")).runs[0], library)
    assert missing(table) == ("machine", "model", "weights")
    assert table.left_out == "model unknown"  # a size and a family are not a model


def test_batches_are_served_and_sweeps_are_deep():
    batched = read(text("batched-bench.txt")).runs
    assert [run.batch for run in batched] == [1, 1, 2, 2, 4, 4]
    assert rates(read(text("batched-bench.txt")))[-1] == ("serving", 195.49)
    assert batched[-1].depth_tokens == 4096
    sweep = read(text("sweep-bench.txt")).runs
    assert [run.depth_tokens for run in sweep] == [0, 0, 4096, 4096]


def test_a_serving_summary_gives_lengths_per_request():
    run = read(text("vllm-serve.txt")).runs[0]
    assert run.prompt_tokens == 229
    assert run.generated_tokens == pytest.approx(203.068)
    assert run.batch is None
    assert run.ttft_s == pytest.approx(9.62613)
    assert run.said.model == "meta-llama/Llama-3.1-8B-Instruct"


def test_a_summary_that_is_cut_off_still_counts_what_it_says():
    run = read(text("sglang.txt")).runs[0]  # ends before its closing line
    assert (run.engine, run.batch, run.tokens_per_s) == ("SGLang", 4, 62.86)


def test_one_session_alone_gives_a_decode_rate_too():
    row = {
        "model_id": "m",
        "completed": 10,
        "max_concurrency": 1,
        "total_input_tokens": 1000,
        "total_output_tokens": 1280,
        "output_throughput": 45.5,
        "mean_tpot_ms": 20.0,
        "itls": [[0.02] * 5],
    }
    whole, alone = read(json.dumps(row)).runs
    assert (whole.phase, whole.tokens_per_s) == ("serving", 45.5)
    assert (alone.phase, alone.tokens_per_s, alone.depth_tokens) == ("decode", 50.0, 100)


def test_a_latency_needs_its_lengths():
    command = "vllm bench latency --model a/b --input-len 32 --output-len 128 --batch-size 8\n"
    run = read(command + "Avg latency: 2.0 seconds\n").runs[0]
    assert (run.tokens_per_s, run.batch, run.prompt_tokens) == (512.0, 8, 32)
    reading = read("Avg latency: 2.0 seconds\n")
    assert reading.runs == ()
    assert "--output-len" in reading.unread[0].why


def test_ollama_and_mlx_print_both_phases():
    assert rates(read(text("ollama.txt"))) == [("prefill", 53.77), ("decode", 24.61)]
    assert read(text("ollama.txt")).runs[1].said.model == "mistral"
    assert rates(read(text("mlx-benchmark.txt"))) == [("prefill", 2902.166), ("decode", 205.099)]


def test_several_outputs_in_one_paste_are_all_read():
    paste = "\n".join(path.read_text(encoding="utf-8") for path in ALL)
    alone = sum(len(read(path.read_bytes()).runs) for path in ALL)
    reading = read(paste)
    assert len(reading.runs) == alone
    assert [run.id for run in reading.runs] == [f"pasted-{n}" for n in range(1, alone + 1)]


@pytest.mark.parametrize(
    "disguise",
    [
        lambda plain: plain.replace("tg128", "\x1b[32mtg128\x1b[0m"),
        lambda plain: plain.replace("\n", "\r\n"),
        lambda plain: "\n".join("> " + line for line in plain.splitlines()),
        lambda plain: plain.replace("±", "Â±"),
        lambda plain: plain.replace("±", "+-"),
        lambda plain: plain.replace("\n", "\n 12%\r 99%\r"),
        lambda plain: plain.encode("utf-16"),
        lambda plain: b"\xef\xbb\xbf" + plain.encode(),
        lambda plain: plain.replace(".", ","),
        lambda plain: plain.replace("7340.20", "7.340,20").replace("6425.91", "6,425.91"),
    ],
    ids=[
        "colours",
        "crlf",
        "quoted",
        "mojibake",
        "ascii",
        "progress",
        "utf16",
        "bom",
        "comma",
        "grouped",
    ],
)
def test_a_table_survives_what_happens_to_text(disguise):
    plain = text("llama-bench-depth.txt")
    assert rates(read(disguise(plain))) == rates(read(plain))


def test_a_table_without_its_head_is_still_a_table():
    body = "\n".join(text("llama-bench-depth.txt").splitlines()[4:])
    assert rates(read(body)) == rates(read(text("llama-bench-depth.txt")))


def test_a_row_that_is_cut_off_is_named_with_its_line():
    cut = text("llama-bench-depth.txt")[:-30]
    reading = read(cut)
    assert len(reading.runs) == 3
    assert reading.unread[0].line == 8
    assert "cut off" in reading.unread[0].why


def test_json_that_is_cut_off_keeps_its_whole_objects():
    reading = read(text("llama-bench.json")[:-300])
    assert rates(reading) == [("prefill", 7100.002165)]
    assert "cut off" in reading.unread[0].why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("I got 42 tok/s on my laptop", "form that is not known"),
        ("| model | size | tokens/s |", "columns that are not known"),
        ("| llama 8B Q8_0 | 7.95 GiB | pp512+tg128 | 99.1 |", "share one figure"),
        ("eval rate: n/a", "not a figure"),
        ('{"speed": 12}', "without the keys"),
        ("Averages: prompt_tps=1.5, generation_tps=2.5", "Timing with"),
    ],
)
def test_what_is_not_understood_is_named(line, why):
    reading = read(line)
    assert reading.runs == ()
    assert why in reading.unread[0].why


def test_ordinary_prose_is_neither_read_nor_named():
    reading = read("Dear all,\n\nit works now | thanks | again | bye\n[1, 2, 3]\n")
    assert reading.runs == reading.unread == ()


def test_binary_is_refused_by_name():
    reading = read(bytes(range(256)) * 40)
    assert reading.runs == ()
    assert "binary" in reading.unread[0].why


def test_a_million_lines_are_cut_and_said_to_be():
    reading = read("x\n" * 1_000_000)
    assert "further lines were not read" in reading.unread[-1].why
    noisy = read("12 tok/s of something\n" * 200)
    assert len(noisy.unread) + noisy.more_unread == 200
    assert len(noisy.unread) == 50


def test_nothing_is_taken_for_a_rate_that_is_none():
    for bad in ("nan", "-5.0", "0.00", "1e400", "∞"):
        assert read(f"| llama 8B Q8_0 | 7.95 GiB | tg128 | {bad} |").runs == ()


@pytest.mark.parametrize(
    ("printed", "value", "decimals"),
    [
        ("2,368.80 ± 93.24", 2368.80, 2),
        ("2.368,80", 2368.80, 2),
        ("1 008,4 tok/s", 1008.4, 1),
        ("1'008.4", 1008.4, 1),
        ("1,234,567", 1234567, 0),
        ("131,420", 131420, 0),
        ("0,131", 0.131, 3),
        ("7.2e3", 7200, 1),
        (".5", 0.5, 1),
        ("1.234 ± 0,5", 1234, 0),
        ("12.345.678 ± 9,1", 12345678, 0),
        ("1.234 ± 0.005", 1.234, 3),
        ("1.23 ± 0,5", 1.23, 2),
    ],
)
def test_figures_in_any_locale(printed, value, decimals):
    found = figure(printed)
    assert (found.value, found.decimals) == (value, decimals)


def test_sizes_need_a_unit():
    assert size_gb("7.54 GiB") == pytest.approx(7.54 * 1.073741824)
    assert size_gb("614,40 MB") == pytest.approx(0.6144)
    assert size_gb("7.54") is None


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400) | st.binary(max_size=400))
def test_no_text_breaks_the_reader(anything):
    for run in read(anything).runs:
        assert run.tokens_per_s > 0


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ALL), st.data())
def test_no_damage_to_a_real_text_breaks_the_reader(path, data):
    plain = path.read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(plain)))
    length = data.draw(st.integers(0, 60))
    hole = data.draw(st.text(max_size=20))
    whole = len(read(plain).runs)
    assert len(read(plain[:start] + hole + plain[start + length :]).runs) <= whole + 2
