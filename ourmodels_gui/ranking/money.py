"""What a machine costs and draws, and what its tokens cost: the user's own figures first."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..language import mark, tr
from ..library.hardware import Price
from ..settings import Settings
from .machines import RankedMachine

HOURS_PER_YEAR = 8766.0
KINDS = {
    "launch": mark("launch price"),
    "street": mark("street price"),
    "kit": mark("price of a kit around it"),
}


Amount = TypeVar("Amount", float, NDArray[np.float64])


class PriceTag(msgspec.Struct, frozen=True):
    """A price in the user's currency with where it comes from, or why there is none.

    whole: whether every part is in it; the memory of a host may have no price.
    """

    amount: float | None
    said: str
    whole: bool = True


class Priced(msgspec.Struct, frozen=True, eq=False):
    """What machines cost. amounts: NaN where it is unknown."""

    tags: tuple[PriceTag, ...]
    amounts: NDArray[np.float64]


def priced(machines: Sequence[RankedMachine], settings: Settings) -> Priced:
    """The price of each machine."""
    tags = tuple(price_tag(machine, settings) for machine in machines)
    amounts = [np.nan if tag.amount is None else tag.amount for tag in tags]
    return Priced(tags, np.array(amounts, dtype=np.float64))


def price_tag(machine: RankedMachine, settings: Settings) -> PriceTag:
    """The user's own price of a machine, else the catalog's, else none.

    The price of a card is the card's alone; the computer around it is not in it. That of a
    composition is the sum over its devices, and over its host where that has a price.
    """
    own = settings.prices.get(machine.id)
    if own is not None and machine.id:
        said = " · ".join(part for part in (tr("your price"), own.date, own.note) if part)
        return PriceTag(own.amount, said)
    if machine.composed is not None:
        return _sum(machine, settings)
    price = machine.price
    if price is None:
        return PriceTag(None, tr("no price known; type your own"))
    said = _said(price)
    if machine.kind in ("discrete", "datacenter") and price.kind != "kit":
        said = tr("{price} · the card alone").format(price=said)
    if price.unit == settings.currency:
        return PriceTag(price.value, said)
    if price.unit == "USD" and settings.currency_per_usd is not None:
        said = tr("{price} · from {amount:g} USD").format(price=said, amount=price.value)
        return PriceTag(price.value * settings.currency_per_usd, said)
    words = tr("{price} of {amount:g} {unit}; type what a dollar is worth, or your own price")
    return PriceTag(None, words.format(price=said, amount=price.value, unit=price.unit))


def _sum(machine: RankedMachine, settings: Settings) -> PriceTag:
    """The price of a composition's parts together, or which of them has none."""
    total, said, whole = 0.0, [], True
    for count, device in machine.devices:
        tag = price_tag(device, settings)
        if tag.amount is None:
            return PriceTag(None, f"{device.name}: {tag.said}")
        total += count * tag.amount
        words = tr("{count} x {amount:,.10g} {currency}, {price}")
        currency = settings.currency
        said.append(words.format(count=count, amount=tag.amount, currency=currency, price=tag.said))
    if machine.host is not None:
        tag = price_tag(machine.host, settings)
        total, whole = total + (tag.amount or 0.0), tag.amount is not None
        words = tr("host memory: no price")
        if tag.amount:
            words = tr("host memory: {amount:,.10g} {currency}, {price}")
        currency = settings.currency
        said.append(words.format(amount=tag.amount, currency=currency, price=tag.said))
    return PriceTag(total, " + ".join(said), whole)


def _said(price: Price) -> str:
    return " · ".join(part for part in (tr(KINDS[price.kind]), price.date) if part)


def cost_per_million_tokens(
    aggregate_tokens_per_s: Amount,
    price: Amount,
    watts: Amount,
    electricity_per_kwh: float,
    lifetime_years: float,
) -> Amount:
    """The least that a million tokens can cost: at the ceiling, day and night, for a lifetime.

    (price / lifetime + power x electricity price) / T, for 10^6 tokens

    Parameters: T [tokens/s]; price [currency]; watts [W]; electricity_per_kwh [currency/kWh];
    lifetime_years [years of 8,766 h].

    100 tok/s for a year are 3.156 billion tokens; 1,000 W for it are 8,766 kWh:

    >>> round(cost_per_million_tokens(100.0, 3155.76, 1000.0, 0.0, 1.0), 9)
    1.0
    >>> round(cost_per_million_tokens(100.0, 3155.76, 1000.0, 0.36, 1.0), 9)
    2.0
    """
    hourly = price / (lifetime_years * HOURS_PER_YEAR) + watts / 1e3 * electricity_per_kwh
    cost: Amount = hourly / (aggregate_tokens_per_s * 3600.0) * 1e6
    return cost
