import numpy as np
import pytest

from ourmodels_gui import language
from ourmodels_gui.ranking.field import FieldChoice, prepare
from ourmodels_gui.ranking.table import rank
from ourmodels_gui.scenario import WorkloadChoice
from ourmodels_gui.settings import OwnPrice, Settings

CARD = "geforce-rtx-4090"


@pytest.fixture(scope="module")
def table(library):
    field = prepare(library, FieldChoice(weights="q4_k_m", models=("qwen3-30b-a3b",)))
    return rank(field)


def at(table, id_):
    return [machine.id for machine in table.field.machines].index(id_)


def test_a_launch_price_is_the_start_and_says_its_date(table, library):
    row, price = at(table, CARD), library.machines[CARD].record.price
    assert table.values("price")[row] == price.value
    said = table.price_tags[row].said
    assert price.date in said and "launch price" in said and "the card alone" in said


def test_an_own_price_comes_before_the_launch_price(table):
    own = table.at_prices(Settings(prices={CARD: OwnPrice(1000.0, "2026-05", "used")}))
    row = at(table, CARD)
    assert own.values("price")[row] == 1000.0
    assert own.price_tags[row].said == "your price · 2026-05 · used"


def test_a_machine_without_a_price_stays_and_says_so(table):
    rows = np.flatnonzero(np.isnan(table.values("price")))
    assert rows.size
    row = next(row for row in rows.tolist() if table.serves[row])
    assert table.cell("price", row) == "-" and "no price known" in table.price_tags[row].said
    assert table.cell("tokens_per_s_per_price", row) == "-"
    assert table.cell("aggregate_tokens_per_s", row) != "-"


def test_launch_prices_need_a_rate_for_another_currency(table, library):
    row, price = at(table, CARD), library.machines[CARD].record.price.value
    euros = table.at_prices(Settings(currency="EUR"))
    assert np.isnan(euros.values("price")[row]) and "USD" in euros.price_tags[row].said
    converted = table.at_prices(Settings(currency="EUR", currency_per_usd=0.5))
    assert converted.values("price")[row] == price / 2
    assert converted.unit("tokens_per_s_per_price") == "tok/s per EUR"


def test_value_and_energy_follow_from_rate_price_and_power(table):
    row = at(table, CARD)
    rate, price, watts = (
        table.values(column)[row] for column in ("aggregate_tokens_per_s", "price", "watts")
    )
    assert table.values("tokens_per_s_per_price")[row] == rate / price
    assert table.values("tokens_per_joule")[row] == rate / watts


def test_the_cost_of_tokens_needs_an_electricity_price(table):
    assert np.isnan(table.values("cost_per_million_tokens")).all()
    row = at(table, CARD)
    paid = table.at_prices(Settings(electricity_per_kwh=0.3, lifetime_years=2.0))
    rate, price, watts = (
        table.values(column)[row] for column in ("aggregate_tokens_per_s", "price", "watts")
    )
    seconds = 1e6 / rate
    wear = price * seconds / (2.0 * 8766 * 3600)
    energy = watts * seconds / 3.6e6 * 0.3
    assert paid.values("cost_per_million_tokens")[row] == pytest.approx(wear + energy, rel=1e-12)


def test_one_price_is_not_given_to_every_memory_size(library):
    machines = tuple(library.machines)
    field = prepare(library, FieldChoice(models=("gpt-oss-20b",), machines=machines))
    priced = {}
    for machine in field.machines:
        record = library.machines[machine.id].record
        if record.price is not None and len(record.configurations) > 1:
            priced.setdefault(record.name, []).append(machine.price is not None)
    assert priced and all(sum(marks) == 1 for marks in priced.values())


def test_prices_are_worked_out_anew_only_for_other_settings(table):
    first, again = (rank(table.field, WorkloadChoice(floor_tokens_per_s=floor)) for floor in (1, 9))
    assert again.price_tags is first.price_tags
    own = again.at_prices(Settings(prices={CARD: OwnPrice(1000.0)}))
    assert own.price_tags is not first.price_tags


def test_a_price_is_said_in_the_language_and_the_signs_of_the_moment(table):
    euro = table.at_prices(Settings(currency="EUR", currency_per_usd=0.9))
    row = at(table, "geforce-rtx-4090-x2")
    assert "1,439.1 EUR, launch price" in euro.price_tags[row].said
    language.use("de")
    language.use_signs(lambda: (".", ","))
    try:
        assert "1.439,1 EUR, Einführungspreis" in euro.price_tags[row].said
        with language.english():
            assert "1,439.1 EUR, launch price" in euro.price_tags[row].said
    finally:
        language.use("en")
        language.use_signs(None)
