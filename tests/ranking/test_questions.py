"""The three questions of docs/three-questions.md, with the answers that page expects."""

import re
from pathlib import Path

import msgspec
import pytest

from ourmodels_gui.ranking import requirements
from ourmodels_gui.ranking.search import search

PAGE = Path(__file__).parents[2] / "docs" / "three-questions.md"
QUESTIONS = [
    requirements.read(block)
    for block in re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
]


class Answer:
    """A search with its machines by id."""

    def __init__(self, library, needs):
        self.found = search(library, needs, misses=10_000)
        self.meets = {one.machine.id: one for one in self.found.meets}
        self.unknown = {one.machine.id: one for one in self.found.unknown}
        self.misses = {one.machine.id: one for one in self.found.misses}

    def lacks(self, id_):
        """What a miss lacks."""
        return {check.need for check in self.misses[id_].lacks}


@pytest.fixture(scope="module")
def answers(library):
    return [Answer(library, needs) for needs in QUESTIONS]


def test_the_page_asks_three_questions():
    assert len(QUESTIONS) == 3
    assert all(needs.name and needs.name.split()[0] in PAGE.read_text() for needs in QUESTIONS)


def test_a_coding_agent_under_2500_wants_32_gb(answers, library):
    agent = answers[0]
    assert {"intel-arc-pro-b70", "radeon-ai-pro-r9700", "geforce-rtx-5090"} <= agent.meets.keys()
    for one in agent.meets.values():
        assert one.binds.need in ("memory", "budget")
        assert one.machine.machine.capacity_bytes > 25.8e9
    for id_ in ("geforce-rtx-3090", "geforce-rtx-4090", "radeon-rx-7900-xtx"):
        assert agent.lacks(id_) == {"memory"}
        assert 0.99 < agent.misses[id_].lacks[0].headroom < 1.0
    assert agent.lacks("geforce-rtx-5080") == {"memory"}
    assert agent.lacks("nvidia-dgx-spark-gb10") == {"budget"}
    assert agent.meets["geforce-rtx-4060-ti-16gb-x2"].binds.need == "memory"
    assert agent.lacks("geforce-rtx-3090-x2") == {"budget"}
    for id_ in (
        "amd-ryzen-ai-max-395-strix-halo-128gb",
        "geforce-rtx-4060-ti-16gb-ddr5-64gb",
        "geforce-rtx-5090-ddr5-128gb",
    ):
        assert {check.need for check in agent.unknown[id_].unknown} == {"budget"}

    smaller = Answer(library, msgspec.structs.replace(QUESTIONS[0], cache_format="q8_0"))
    assert {"geforce-rtx-3090", "geforce-rtx-4090", "radeon-rx-7900-xtx"} <= smaller.meets.keys()
    assert "memory" in smaller.lacks("geforce-rtx-5080")


def test_ten_users_on_a_dense_70b_want_memory_and_bandwidth(answers):
    seventy = answers[1]
    first = next(one for one in seventy.found.meets if one.machine.composed is None)
    assert first.machine.id.startswith("rtx-pro-6000-blackwell") and first.price is not None
    cheapest = [one.machine.id for one in seventy.found.meets[:2]]
    assert cheapest == ["geforce-rtx-3090-x4", "geforce-rtx-4090-x4"]
    for id_ in ("geforce-rtx-3090-x2", "geforce-rtx-5090-x2"):
        assert seventy.lacks(id_) == {"memory"}
    hybrid = "geforce-rtx-5090-ddr5-128gb"
    assert seventy.lacks(hybrid) == {"rate"}
    assert seventy.misses[hybrid].lacks[0].headroom < 0.2
    assert {"nvidia-h200-sxm-141gb", "amd-instinct-mi300x", "nvidia-b200-sxm-hgx"} <= (
        seventy.meets.keys()
    )
    for id_ in ("nvidia-a100-sxm4-80gb", "nvidia-h100-sxm5-80gb"):
        assert seventy.lacks(id_) == {"memory"}
    for id_ in (
        "nvidia-dgx-spark-gb10",
        "amd-ryzen-ai-max-395-strix-halo-128gb",
        "apple-m4-max-40-core-gpu-128gb",
    ):
        assert seventy.lacks(id_) == {"rate"}
        assert 0.2 < seventy.misses[id_].lacks[0].headroom < 0.7


def test_one_user_on_a_120b_moe_wants_memory_and_little_bandwidth(answers):
    one_user = answers[2]
    single = [one for one in one_user.found.meets if one.machine.composed is None]
    assert [one.machine.id for one in single[:2]] == [
        "jetson-agx-thor-t5000",
        "nvidia-dgx-spark-gb10",
    ]
    cheapest = one_user.found.meets[0]
    assert cheapest.machine.id == "geforce-rtx-4060-ti-16gb-ddr5-64gb"
    for id_, least in ((cheapest.machine.id, 3.5), ("geforce-rtx-5090-ddr5-128gb", 5.5)):
        rate = next(check for check in one_user.meets[id_].checks if check.need == "rate")
        assert least < rate.headroom < least + 1.0
    assert one_user.lacks("geforce-rtx-3090-x2") == {"memory"}
    assert "geforce-rtx-3090-x4" in one_user.meets
    for id_ in ("amd-ryzen-ai-max-395-strix-halo-128gb", "apple-m4-max-40-core-gpu-128gb"):
        assert one_user.meets[id_].price is None
    assert all(one.weights == "native" for one in one_user.found.meets)
    for id_ in ("geforce-rtx-4090", "geforce-rtx-5090"):
        assert "memory" in one_user.lacks(id_)
    desktop = "amd-ryzen-9000-am5-2ch-ddr5-5600-128gb"
    assert one_user.lacks(desktop) == {"rate"}
    assert 0.9 < one_user.misses[desktop].lacks[0].headroom < 1.0
