"""Reverse search: compositions beside machines of one pool."""

import msgspec
import pytest

from ourmodels_gui.ranking.requirements import Requirements
from ourmodels_gui.ranking.search import ONE_WAY, search
from ourmodels_gui.scenario import ModelRef
from ourmodels_gui.settings import OwnPrice, Settings

PAIR, SPARK, HYBRID = "geforce-rtx-3090-x2", "nvidia-dgx-spark-gb10", "geforce-rtx-5090-ddr5-128gb"
NEEDS = Requirements(
    ModelRef("qwen3-32b", "q4_k_m"), context_tokens=32_000, tokens_per_s_each=20.0, budget=4500.0
)


def by_id(found):
    lists = {"meets": found.meets, "unknown": found.unknown, "misses": found.misses}
    return {one.machine.id: (name, one) for name, some in lists.items() for one in some}


@pytest.fixture(scope="module")
def found(library):
    return search(library, NEEDS, misses=10_000)


def test_two_cards_stand_beside_a_unified_machine_and_a_card_with_ddr5(found, library):
    """20 GB of a dense model: two cards sweep it fast, 273 GB/s do not."""
    answers = by_id(found)
    assert answers[PAIR][0] == "meets"
    assert answers[PAIR][1].price == 2 * library.machines["geforce-rtx-3090"].record.price.value
    assert [check.need for check in answers[SPARK][1].lacks] == ["rate"]
    assert [check.need for check in answers[HYBRID][1].unknown] == ["budget"]
    assert ONE_WAY in found.said


def test_host_memory_without_a_price_leaves_the_budget_open(found):
    check = by_id(found)[HYBRID][1].unknown[0]
    assert check.met is None and check.headroom is None
    assert check.said() == "4,500 USD to spend, 1,999 without the host memory: no price"


def test_devices_that_cost_more_than_the_budget_miss_it_whatever_the_host_costs(library):
    needs = msgspec.structs.replace(NEEDS, budget=1900.0)
    name, hybrid = by_id(search(library, needs, misses=10_000))[HYBRID]
    assert name == "misses" and [check.need for check in hybrid.lacks] == ["budget"]


@pytest.mark.parametrize("host, list_", [(400.0, "meets"), (2600.0, "misses")])
def test_a_price_of_the_hosts_memory_decides(library, host, list_):
    memory = library.compositions[HYBRID].hardware.host_memory
    prices = Settings(prices={memory: OwnPrice(host)})
    name, hybrid = by_id(search(library, NEEDS, prices, misses=10_000))[HYBRID]
    assert name == list_ and hybrid.price == 1999.0 + host
