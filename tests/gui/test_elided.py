"""Words that are cut where the room ends."""

import pytest
from PySide6.QtGui import QFontMetrics

from ourmodels_gui.gui.elided import ElidedLabel, in_lines
from ourmodels_gui.gui.theme import sized

WORDS = "Every session waits for the link between both devices, which is the slower one"


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.35, 0.6, 1.0])
def test_lines_hold_as_many_words_as_have_room(qapp, share, count):
    metrics = QFontMetrics(sized("text"))
    width = round(share * metrics.horizontalAdvance(WORDS))
    lines = in_lines(WORDS, metrics, width, count)
    assert len(lines) <= count
    whole = WORDS.split()
    for place, line in enumerate(lines):
        words, whole = whole[: len(line.split())], whole[len(line.split()) :]
        assert metrics.horizontalAdvance(line) <= width or line == "…"
        if place < count - 1 and whole and line == " ".join(words):
            assert metrics.horizontalAdvance(f"{line} {whole[0]}") > width
    assert in_lines("", metrics, width, count) == []


def test_words_are_cut_anew_for_another_width_and_another_font(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(200, 20)
    label.show()
    label.say(WORDS, "why")
    cut = label.text()
    assert cut.endswith("…") and label.toolTip() == f"{WORDS}\nwhy"
    label.setFont(sized("figure"))
    assert len(label.text()) < len(cut)
    label.resize(5000, 20)
    assert (label.text(), label.toolTip()) == (WORDS, "why")
