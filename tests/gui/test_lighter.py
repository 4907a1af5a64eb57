"""What the cards offer where a model does not fit: a lighter format, and machines that hold it."""

import pytest
from gui_cases import dense, evaluated
from PySide6.QtWidgets import QPushButton

from ourmodels_gui.app import RANK, build
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.answered.answers import AnswerPanel
from ourmodels_gui.gui.answered.lighter import lighter_offer
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.library.formats import WEIGHT_FORMATS
from ourmodels_gui.scenario import ModelRef, Scenario

FULL = ("model does not fit", "no session fits")


def weighed(library, machine, model, weights=None):
    return run(Scenario(machine, ModelRef(model, weights)), library)


@pytest.mark.parametrize("machine", ["geforce-rtx-4090", "geforce-rtx-3090-x2"])
def test_the_heaviest_format_that_fits_is_offered(library, machine):
    tight = weighed(library, machine, "qwen3-32b", "bf16")
    assert tight.result.decode.verdict in FULL
    changes = lighter_offer(tight, library).changes
    chosen = weighed(library, machine, "qwen3-32b", changes["model.weights"])
    assert chosen.result.decode.verdict not in FULL
    for name in WEIGHT_FORMATS:
        other = weighed(library, machine, "qwen3-32b", name)
        if not name.startswith("mlx") and other.result.decode.verdict not in FULL:
            assert other.setup.model.resident_bytes <= chosen.setup.model.resident_bytes


def test_nothing_is_offered_where_it_fits_or_nothing_would(library):
    assert lighter_offer(weighed(library, "geforce-rtx-5090", "qwen3-8b"), library) is None
    assert lighter_offer(weighed(library, "geforce-rtx-4090", "deepseek-v3"), library) is None
    assert lighter_offer(evaluated(dense()), library) is None


def test_the_cards_change_the_format_and_lead_to_the_machines(library, qtbot, theme, tmp_path):
    tight = weighed(library, "geforce-rtx-4090", "qwen3-32b", "bf16")
    panel = AnswerPanel(lambda shown: lighter_offer(shown, library))
    qtbot.addWidget(panel)
    panel.present(tight)
    fits, _, serving, _ = (card.findChild(QPushButton) for card in panel.cards)
    with qtbot.waitSignal(panel.edited) as edit:
        fits.click()
    assert edit.args == [lighter_offer(tight, library).changes]
    with qtbot.waitSignal(panel.ranking_asked):
        serving.click()
    window = build(theme, Preferences(tmp_path))
    qtbot.addWidget(window)
    assert window.show_tab(RANK)
    assert window._tab_widget.tabText(RANK) == "Rank"
