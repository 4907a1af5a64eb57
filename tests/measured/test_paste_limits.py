"""Whatever is pasted or opened: read as far as it is understood, bounded, stoppable, named."""

import json
import os

import pytest

from ourmodels_gui.measured.paste import json_values, plain, read, read_file, reading

ROW = "| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | tg128 | 111.74 ± 0.31 |\n"
HEAD = "| model | size | params | backend | ngl | test | t/s |\n|---|---|---|---|---|---|---|\n"


def test_a_million_lines_are_read_in_part_and_the_rest_is_named():
    text = HEAD + ROW * 5 + "loading\n" * 1_000_000
    found = read(text)
    assert len(found.runs) == 5
    assert found.unread[-1].line == reading.MOST_LINES + 1
    assert "further lines were not read" in found.unread[-1].why


def test_a_million_lines_that_are_not_understood_name_a_few_and_count_the_rest(monkeypatch):
    monkeypatch.setattr(reading, "MOST_LINES", 2000)
    found = read("about 12 tok/s\n" * 5000)
    assert len(found.unread) == reading.MOST_UNREAD + 1
    assert found.more_unread == 2000 - reading.MOST_UNREAD


def test_objects_on_one_line_are_read_where_they_stand(monkeypatch):
    decoded = []

    class Decoder(json.JSONDecoder):
        def raw_decode(self, text, at=0):
            decoded.append(text)
            return super().raw_decode(text, at)

    monkeypatch.setattr(json_values, "_DECODER", Decoder())
    line = '[{"a": 1}, {"a": 2},\t{"a": 3}]'
    found, after = json_values.objects_at([line], 0)
    assert [row["a"] for row in found] == [1, 2, 3]
    assert after == 1
    assert all(text is line for text in decoded), "a copy for each takes the square of the length"


def test_reading_stops_when_nobody_waits():
    asked = []

    def stop():
        asked.append(True)
        return len(asked) == 3

    found = read(HEAD + ROW * 50_000, stop)
    assert len(asked) == 3
    assert 2 * reading.STOP_LINES < len(found.runs) < 4 * reading.STOP_LINES


def test_what_lies_beyond_the_most_bytes_is_named(monkeypatch, tmp_path):
    for module in (plain, reading):
        monkeypatch.setattr(module, "MOST_BYTES", 2000)
    file = tmp_path / "long.txt"
    file.write_text(HEAD + ROW * 100, encoding="utf-8")
    found = read_file(file)
    assert 5 < len(found.runs) < 30
    assert "was not read" in found.unread[0].why


def test_a_binary_file_is_said_to_be_one(tmp_path):
    file = tmp_path / "model.bin"
    file.write_bytes(os.urandom(50_000))
    assert read_file(file).runs == ()
    assert "binary" in read_file(file).unread[0].why


def test_a_pipe_or_folder_is_not_waited_for(tmp_path):
    assert "ordinary file" in read_file(tmp_path).unread[0].why
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "ordinary file" in read_file(tmp_path / "pipe").unread[0].why


def test_a_missing_file_is_the_callers_to_tell(tmp_path):
    with pytest.raises(OSError):
        read_file(tmp_path / "gone")


def test_a_row_that_is_cut_off_is_named_and_the_others_stand():
    found = read(HEAD + ROW + ROW[:60])
    assert len(found.runs) == 1
    assert found.unread[0].line == 4 and "cut off" in found.unread[0].why
