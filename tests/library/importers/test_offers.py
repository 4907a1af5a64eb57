"""Questions on the screen: an answered one stays among the open ones, with its choices."""

import pytest
from gguf_files import llama_keys, llama_tensors, write_gguf
from safetensors_files import llama_config, write_config

from ourmodels_gui.library.importers.found import ImportCancelled
from ourmodels_gui.library.importers.importing import review_files
from ourmodels_gui.library.importers.offers import offers
from ourmodels_gui.library.importers.opening import pasted_path, read_files
from ourmodels_gui.problem import BadInput
from ourmodels_gui.units import Separators


@pytest.fixture
def windowed(tmp_path):
    keys = llama_keys() | {".attention.sliding_window": 512}
    del keys[".context_length"]
    return read_files(write_gguf(tmp_path / "w.gguf", keys, llama_tensors()))


def test_an_answered_question_keeps_its_place_and_its_choices(windowed):
    _, unanswered = offers(windowed, None, {})
    order = [offer.question.key for offer in unanswered]
    assert order == ["window", "context_tokens"]
    for answers in ({"window": "all"}, {"context_tokens": "4096"}, {"window": "none"}):
        imported, now = offers(windowed, None, answers)
        assert [offer.question.key for offer in now] == order
        assert {o.question.key: o.answer for o in now if o.answer} == answers
        assert imported.record == review_files(windowed, None, answers).record


def test_figures_have_the_separators_of_whoever_reads_them(windowed):
    imported, _ = offers(windowed, None, {}, separators=Separators(".", ","))
    read = {fact.name: fact.value for fact in imported.review.read}
    assert "." in read["files"] and "," not in read["files"].replace(", ", "")


def test_what_a_choice_would_give_is_what_answering_gives(windowed):
    answers = {"context_tokens": "4096", "window": "none"}
    for asked in offers(windowed, None, answers)[1]:
        for choice, record in asked.tried.items():
            given = {**answers, asked.question.key: choice}
            assert record.layers == review_files(windowed, None, given).record.layers


def test_the_choice_to_leave_it_open_is_the_record_without_an_answer(windowed):
    (window, _) = offers(windowed, None, {"window": "all"})[1]
    assert window.open.layers is None and window.tried["all"].layers


def test_a_cancelled_look_stops(windowed):
    with pytest.raises(ImportCancelled):
        offers(windowed, None, {"window": "all"}, lambda: True)


def test_a_question_without_a_number_for_an_answer_is_marked(tmp_path):
    config = llama_config(layer_types=["linear_attention", "full_attention"])
    write_config(tmp_path, **config)
    asked = {offer.question.key: offer for offer in offers(read_files(tmp_path), None, {})[1]}
    assert not asked["state"].question.answerable


def test_a_web_address_is_no_path():
    with pytest.raises(BadInput, match="works offline"):
        pasted_path(" https://example.org/model.gguf ")


def test_the_home_of_somebody_unknown_is_a_name_like_any_other():
    assert pasted_path("~nobody-of-this-name/m.gguf").name == "m.gguf"
