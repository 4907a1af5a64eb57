"""The four cards: what they say, what they offer, and that they stay where they are."""

import pytest
from gui_cases import dense, evaluated, mixture
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from ourmodels_gui.engine.setup import Machine, Prompt
from ourmodels_gui.evaluation import Evaluation
from ourmodels_gui.gui.answered.answers import AnswerPanel
from ourmodels_gui.gui.answered.cards import SIGNS, Card, CardText, Figure
from ourmodels_gui.gui.elided import in_lines
from ourmodels_gui.gui.qt_theme import qt_palette
from ourmodels_gui.gui.tabs.derivation import WorkingWindow, working_of
from ourmodels_gui.gui.theme import DARK
from ourmodels_gui.problem import Problem
from ourmodels_gui.scenario import ModelRef, Scenario

SMALL = Machine(16e9, 400e9)


@pytest.fixture
def panel(qtbot):
    made = AnswerPanel()
    qtbot.addWidget(made)
    made.resize(900, made.sizeHint().height())
    with qtbot.waitExposed(made):
        made.show()
    return made


def texts(panel, evaluation):
    panel.present(evaluation)
    return [card.text for card in panel.cards]


def test_the_toy_machine_serves(panel):
    fits, single, serving, wait = texts(panel, evaluated(dense()))
    assert (fits.tone, fits.verdict, fits.figure) == ("serves", "fits", "104.0")
    assert (single.tone, single.unit, single.badge) == ("serves", "tok/s", "bound")
    assert serving.verdict == "serves 2 sessions"
    assert float(serving.figure) > float(single.figure)
    assert wait.tone == "muted"


def test_what_does_not_fit_says_how_much_is_missing(panel):
    fits, single, serving, _ = texts(panel, evaluated(dense(), machine=SMALL))
    assert (fits.tone, fits.verdict) == ("unfit", "model does not fit")
    assert (fits.figure, fits.unit) == ("8.0", "GB missing")
    assert single.figure == serving.figure == ""


def test_without_a_batch_above_the_floor_a_card_offers_to_drop_the_floor(panel, qtbot):
    serving = texts(panel, evaluated(dense(), floor_tokens_per_s=60.0))[2]
    assert (serving.tone, serving.verdict) == ("below", "below the floor")
    with qtbot.waitSignal(panel.edited) as edit:
        offer(panel.cards[2]).click()
    assert edit.args == [{"workload.floor_tokens_per_s": 0}]


def test_a_forced_number_of_sessions_is_what_serving_answers(panel):
    serving = texts(panel, evaluated(dense(), batch=40))[2]
    assert (serving.tone, serving.verdict) == ("unfit", "40 sessions do not fit")
    assert serving.why.startswith("forced: 40 sessions would have ")


@pytest.mark.parametrize(
    ("prompt", "words", "changes"),
    [
        (None, "Ask for a prompt of 8k", {"prefill.prompt_tokens": 8192}),
        (
            Prompt(120_000, 11_072),
            "Reserve 131,072 tokens",
            {"workload.reserved_context_tokens": 131_072},
        ),
        (
            Prompt(32_768, ttft_budget_s=0.001),
            "Answer without a budget",
            {"prefill.ttft_budget_s": None},
        ),
        (
            Prompt(300_000),
            "Ask for a prompt of 100k",
            {"prefill.prompt_tokens": 100_000},
        ),
        (
            Prompt(200_000, 100_000),
            "Drop the cached prefix",
            {"prefill.cached_prefix_tokens": None},
        ),
        (Prompt(8192, batch=4000), "Let the batch follow", {"prefill.batch": None}),
    ],
)
def test_the_wait_that_has_no_answer_offers_the_edit_that_gives_one(
    panel, qtbot, prompt, words, changes
):
    wait = texts(panel, evaluated(mixture(), prompt=prompt))[3]
    assert wait.figure == ""
    assert wait.offer.words == words
    with qtbot.waitSignal(panel.edited) as edit:
        offer(panel.cards[3]).click()
    assert edit.args == [changes]


def test_a_model_that_does_not_fit_offers_no_prompt(panel):
    wait = texts(panel, evaluated(mixture(), machine=SMALL, prompt=Prompt(120_000, 11_072)))[3]
    assert wait.offer is None


def test_an_estimate_gives_its_reason_and_a_bound_what_it_promises(panel):
    _, single, serving, _ = texts(panel, evaluated(mixture()))
    assert (single.badge, serving.badge) == ("bound", "estimate")
    assert "no run can be faster" in single.reason
    assert "expert routing" in serving.reason


def test_a_problem_is_told_once(panel):
    bad = Problem("", "workload.floor_tokens_per_s", "a floor is not negative")
    chosen = Scenario(hardware="h", model=ModelRef("m"))
    told = texts(panel, Evaluation(chosen, problem=bad))
    assert {text.verdict for text in told} == {"no answer"}
    assert ["a floor is not negative" in text.why for text in told] == [True, False, False, False]


def test_every_figure_of_a_card_opens_its_working(panel, qtbot):
    cases = (
        evaluated(mixture(), prompt=Prompt(8192)),
        evaluated(mixture(), batch=3),
        evaluated(dense(), machine=SMALL),
        evaluated(dense(), overhead_bytes=100e9),
    )
    for case in cases:
        panel.present(case)
        for card in panel.cards:
            assert (card.text.working is not None) == bool(card.text.figure)
            if not card.text.figure:
                continue
            figure = card.findChild(Figure)
            figure.setFocus()
            qtbot.keyClick(figure, Qt.Key.Key_Space)
            shown = card.findChild(WorkingWindow)
            assert shown.text.toPlainText() == working_of(card.text.working)
            shown.copy.click()
            assert QGuiApplication.clipboard().text() == shown.text.toPlainText()
            assert card.text.working.formula in shown.text.toPlainText()
            qtbot.keyClick(shown.text, Qt.Key.Key_Escape)
            qtbot.waitUntil(lambda card=card: card.findChild(WorkingWindow) is None)


def test_cards_keep_their_places_whatever_they_say(panel, qapp):
    cases = (
        evaluated(mixture(), prompt=Prompt(8192)),
        evaluated(dense(), machine=SMALL),
        evaluated(dense(), floor_tokens_per_s=60.0),
    )
    seen = set()
    for case in cases:
        panel.present(case)
        qapp.processEvents()
        seen.add(tuple(card.geometry().getRect() for card in panel.cards))
    assert len(seen) == 1


def test_cautions_are_told_in_one_line(panel):
    panel.present(evaluated(mixture(), decode_ceiling="combined", machine=Machine(64e9, 1e12)))
    said = [child.accessibleName() for child in panel.findChildren(QWidget)]
    assert any(words.startswith("Caution: ") for words in said)


def test_a_verdict_has_a_sign_beside_its_colour():
    assert len(set(SIGNS.values())) == len(SIGNS)


def test_a_card_is_described_for_those_who_cannot_see_it(qtbot):
    card = Card("Fits", "Can the model be held in memory at all?")
    qtbot.addWidget(card)
    card.present(CardText("serves", "fits", "6.1", "GB spare", "room for 41", "bound"))
    assert card.accessibleName() == "Fits"
    assert card.accessibleDescription() == "fits. 6.1 GB spare. room for 41. bound"


def test_a_card_follows_the_palette(qtbot):
    card = Card("Fits", "")
    qtbot.addWidget(card)
    card.present(CardText("serves", "fits", "6.1", "GB spare"))
    card.setPalette(qt_palette(DARK))
    assert any(DARK.serves in child.styleSheet() for child in card.findChildren(QWidget))


def test_long_words_are_cut_in_the_last_line(qapp):
    metrics = QFontMetrics(qapp.font())
    width = metrics.horizontalAdvance("a long name")
    lines = in_lines("a long name of a very long machine", metrics, width, 2)
    assert lines[0] == "a long name"
    assert len(lines) == 2
    assert metrics.horizontalAdvance(lines[1]) <= width


def offer(card):
    (button,) = card.findChildren(QPushButton)
    assert button.isVisible()
    return button
