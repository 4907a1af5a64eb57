"""The arithmetic of one compute path: one mode, or two with the share of the second."""

from collections.abc import Mapping
from typing import Any

from ... import units
from ...language import tr
from .. import typed
from ..form import Group

HALF = 0.5
Chosen = str | dict[str, float] | None


class ModeFields:
    """Three fields of a group for one key of the scenario, which holds a mode or shares of modes.

    More than two modes can stand in a file; they are shown as they are, and kept until another
    mode is chosen.
    """

    def __init__(self, group: Group, path: str, label: str, tip: str) -> None:
        self.path = path
        self.second, self.share = f"{path}:second", f"{path}:share"
        self._group = group
        self._chosen: Chosen = None
        self._first_default = ""
        self._field = group.choice(path, label, tip)
        self._other = group.choice(
            self.second,
            tr("and in"),
            tr("A second mode that part of this work runs in, at its own rate."),
        )
        group.number(
            self.share,
            tr("Its share"),
            tr("Share of the work that runs in the second mode, from 0 to 1."),
        )

    @property
    def keys(self) -> tuple[str, str, str]:
        return self.path, self.second, self.share

    def offer(self, chosen: Chosen, rates: Mapping[str, float], used: Mapping[str, float]) -> None:
        """Offer the modes whose rate the machine gives, and the ones chosen in any case.

        Parameters: chosen, as the scenario has it; rates [FLOP/s] by mode; used, the shares by
        mode that hold now.
        """
        self._chosen = chosen
        self._first_default = next(iter(used), "") if chosen is None else ""
        words = tr("default")
        if self._first_default:
            words = tr("default: {mode}").format(mode=self._first_default)
        modes: list[tuple[Any, str]] = [(mode, _with_rate(mode, rates[mode])) for mode in rates]
        named = chosen if isinstance(chosen, dict) else {chosen: 1.0} if chosen else {}
        modes += [
            (mode, tr("{mode}, rate unknown").format(mode=mode))
            for mode in named
            if mode not in rates
        ]
        single = [(None, words), *modes]
        if _is_many(chosen):
            single.append((chosen, _shares(named)))
        self._field.offer(single)
        first = self._first()
        others = [(mode, said) for mode, said in modes if mode != first]
        self._other.offer([(None, tr("no other")), *others])

    def shown(self) -> dict[str, Any]:
        """What each of the fields shows."""
        if _is_many(self._chosen):
            return {self.path: self._chosen}
        if isinstance(self._chosen, dict):
            names = list(self._chosen)
            second = names[1] if len(names) > 1 else None
            share = self._chosen[second] if second else None
            return {self.path: names[0], self.second: second, self.share: share}
        return {self.path: self._chosen}

    def show_rows(self) -> None:
        """Hide what has no meaning now."""
        two = isinstance(self._chosen, dict) and len(self._chosen) == 2
        self._group.show_row(self.second, not _is_many(self._chosen))
        self._group.show_row(self.share, two)

    def changed(self, key: str, value: Any) -> Chosen:
        """What the scenario's key holds after the user changed one of the fields."""
        shown = self.shown()
        if key == self.path and (value is None or isinstance(value, dict)):
            return value
        first = value if key == self.path else self._first()
        second = value if key == self.second else shown.get(self.second)
        share = value if key == self.share else shown.get(self.share)
        if not first or not second or second == first:
            return first or None
        part = HALF if share is None else float(share)
        return {first: 1.0 - part, second: part}

    def _first(self) -> str:
        if isinstance(self._chosen, dict):
            return next(iter(self._chosen))
        return self._chosen or self._first_default


def _is_many(chosen: Chosen) -> bool:
    return isinstance(chosen, dict) and len(chosen) > 2


def _with_rate(mode: str, flop_per_s: float) -> str:
    return f"{mode}  {units.compute(flop_per_s, typed.separators())}"


def _shares(shares: Mapping[str, float]) -> str:
    parts = (f"{typed.show(100 * share)} % {mode}" for mode, share in shares.items())
    return ", ".join(parts)
