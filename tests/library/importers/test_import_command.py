"""`ourmodels import`: what it prints, saves and refuses."""

import json

import pytest
from gguf_files import llama_keys, llama_tensors, write_gguf
from safetensors_files import llama_config, write_config

from ourmodels_gui.cli import main
from ourmodels_gui.commands.terminal import BAD_INPUT, DONE, NO_FILE
from ourmodels_gui.library.load import load
from ourmodels_gui.library.profile import model_costs
from ourmodels_gui.paths import HOME_VARIABLE, catalog


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(folder))
    return folder


@pytest.fixture
def plain(tmp_path):
    return write_gguf(tmp_path / "m.gguf", llama_keys(), llama_tensors())


@pytest.fixture
def windowed(tmp_path):
    keys = llama_keys() | {".attention.sliding_window": 512}
    return write_gguf(tmp_path / "w.gguf", keys, llama_tensors())


def saved(home):
    return [entry for entry in load(catalog(), home).models.values() if entry.yours]


def test_the_profile_is_printed_and_nothing_is_saved(plain, home, capfd):
    assert main(["import", str(plain)]) == DONE
    out, err = capfd.readouterr()
    assert "Tested 1B" in out and "2 full (2 x (32 + 32))" in out and err == ""
    assert not home.exists()


def test_json_holds_the_record_that_is_saved(plain, home, capfd):
    assert main(["import", str(plain), "--json", "--save", "--name", "Mine"]) == DONE
    printed = json.loads(capfd.readouterr().out)
    (entry,) = saved(home)
    assert entry.name == printed["record"]["name"] == "Mine" and entry.id == "mine"
    assert printed["sizes"]["resident_bytes"] == model_costs(entry.record, "native").resident_bytes
    assert printed["sizes"]["session_bytes"] == 2 * 2 * 64 * 2 * 4096


def test_a_saved_model_is_read_again_without_a_problem(plain, home, capfd):
    assert main(["import", str(plain), "--save"]) == DONE
    assert "saved as" in capfd.readouterr().err
    library = load(catalog(), home)
    assert library.problems == () and "tested-1b" in library.models


def test_saving_twice_keeps_both(plain, home, capfd):
    for _ in range(2):
        assert main(["import", str(plain), "--save"]) == DONE
    assert sorted(entry.id for entry in saved(home)) == ["tested-1b", "tested-1b-2"]


def test_a_question_is_printed_with_its_choices_and_taken_as_an_answer(windowed, home, capfd):
    assert main(["import", str(windowed)]) == DONE
    out = capfd.readouterr().out
    assert "--answer window=" in out and "every_2: all but every 2nd layer -> " in out
    assert "cache layout unknown" in out
    assert main(["import", str(windowed), "--answer", "window=all", "--save"]) == DONE
    assert "2 window (2 x (32 + 32), last 512 tokens)" in capfd.readouterr().out
    assert saved(home)[0].record.layers[0].kind == "window"


def test_a_model_of_unknown_layout_can_be_kept_for_its_bytes(windowed, home, capfd):
    assert main(["import", str(windowed), "--save"]) == DONE
    (entry,) = saved(home)
    assert entry.record.layers is None and entry.record.audit.missing


@pytest.mark.parametrize("answer", ["window", "window=", "colour=red", "per_token=x"])
def test_a_bad_answer_is_one_line_and_status_2(answer, windowed, home, capfd):
    assert main(["import", str(windowed), "--answer", answer, "--save"]) == BAD_INPUT
    err = capfd.readouterr().err
    assert err.startswith("ourmodels: answer.") and err.count("\n") == 1
    assert not home.exists()


def test_an_encoder_is_shown_refused_and_not_saved(tmp_path, home, capfd):
    keys = llama_keys() | {".attention.causal": False}
    path = write_gguf(tmp_path / "m.gguf", keys, llama_tensors())
    assert main(["import", str(path), "--save"]) == BAD_INPUT
    out, err = capfd.readouterr()
    assert "resident: " in out and "is not a decoder" in err and err.count("\n") == 1
    assert not home.exists()


def test_damage_is_one_line_and_status_2(plain, home, capfd):
    plain.write_bytes(plain.read_bytes()[:100])
    assert main(["import", str(plain), "--save"]) == BAD_INPUT
    out, err = capfd.readouterr()
    assert out == "" and err.count("\n") == 1 and str(plain) in err
    assert not home.exists()


def test_a_path_that_is_not_there_is_status_3(tmp_path, home, capfd):
    assert main(["import", str(tmp_path / "no.gguf")]) == NO_FILE
    assert "cannot be read" in capfd.readouterr().err


def test_unanswered_experts_are_refused(tmp_path, home, capfd):
    write_config(tmp_path, **llama_config(num_experts=4, moe_intermediate_size=64))
    assert main(["import", str(tmp_path), "--save"]) == BAD_INPUT
    out, err = capfd.readouterr()
    assert "--answer per_token=NUMBER" in out and "answer first" in err
    assert main(["import", str(tmp_path), "--save", "--answer", "per_token=2"]) == DONE
    assert saved(home)[0].record.experts[0].per_token == 2
