"""Paths of a price until a deadline: the recorded one settles a question, simulated ones are counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from service.market.assets import YEAR_HOURS, calendar_of
from service.market.bars import Bars, from_rows
from service.market.instants import HOUR, iso

if TYPE_CHECKING:
    from service.questions.question import Question

# One value of a recorded path, an array with one value for each of simulated ones.
Values = Any

NO_TRADE = "did not trade until the deadline"


class Path(ABC):
    """A path from the unix second `now` to `until`, or many of them; its `spot` is the price in USD when it begins.

    `start`, the price when it begins, `last`, the last one, `average`, the mean of the hourly closes, `closes` and
    `level` are in a unit of the path's own, `final`, the last price, and `total` in USD. `width` is the highest less
    the lowest price as a share of the first, `steps` the number of steps. Subclasses define all of these.

    `volatility`, a year, from hourly closes, and `lead`, the return less that of the other asset, are those of a
    recorded path alone: voters know their distributions.
    """

    now: int
    until: int
    spot: float
    start: Values
    last: Values
    final: Values
    average: Values
    width: Values
    steps: Values
    volatility: Values
    lead: Values

    @abstractmethod
    def level(self, usd: float) -> float:
        """A price in USD, to compare with closes."""

    @abstractmethod
    def closes(self, instants: Sequence[int]) -> Values:
        """The last closes at or before unix seconds, shape (instants, …)."""

    @abstractmethod
    def total(self, instants: Sequence[int]) -> Values:
        """The sum in USD of the last closes at or before unix seconds."""

    @abstractmethod
    def reaches(self, usd: float, side: int) -> Values:
        """Whether some price is at a level in USD or beyond it: above with the side 1, below with -1."""

    @abstractmethod
    def step(self, usd: float, side: int) -> Values:
        """The first step that does, counted from 0; the number of steps where none does."""


@dataclass(frozen=True)
class RecordedPath(Path):
    """The path of an asset in `bars`; only those that open at `now` or later count, without any the price stays."""

    asset: str
    spot: float
    now: int
    until: int
    bars: Bars
    other: RecordedPath | None = None

    @property
    def start(self) -> float:
        return self.spot

    @cached_property
    def since(self) -> Bars:
        """The bars from the beginning on."""
        return self.bars.since(self.now)

    @property
    def final(self) -> float:
        return self._close(self.bars)

    last = final

    def _close(self, bars: Bars) -> float:
        return float(bars.close[-1]) if self._has_close(bars) else self.spot

    def _has_close(self, bars: Bars) -> bool:
        return len(bars) > 0 and bars.as_of > self.now

    @property
    def average(self) -> float:
        closes = self.hourly_closes
        return float(closes.mean()) if len(closes) else self.spot

    @cached_property
    def hourly_closes(self) -> np.ndarray:
        """The closes at full hours from the beginning on."""
        return self.since.close[(self.since.time + self.since.step) % HOUR == 0]

    @property
    def high(self) -> float:
        return max([self.spot, *self.since.high.tolist()])

    @property
    def low(self) -> float:
        return min([self.spot, *self.since.low.tolist()])

    @property
    def width(self) -> float:
        return (self.high - self.low) / self.spot

    @property
    def steps(self) -> int:
        return len(self.since)

    def level(self, usd: float) -> float:
        return usd

    def closes(self, instants: Sequence[int]) -> np.ndarray:
        return np.array([self._close(self.bars.until(instant)) for instant in instants])

    def total(self, instants: Sequence[int]) -> float:
        return sum(self.closes(instants).tolist())

    def reaches(self, usd: float, side: int) -> bool:
        return side * self.spot >= side * usd or self.step(usd, side) < self.steps

    def step(self, usd: float, side: int) -> int:
        hits = self.since.high >= usd if side > 0 else self.since.low <= usd
        return int(hits.argmax()) if hits.any() else self.steps

    @property
    def volatility(self) -> float:
        moves = np.diff(np.log(self.hourly_closes))
        return float(np.sqrt(np.square(moves).mean() * YEAR_HOURS[calendar_of(self.asset)])) if len(moves) else 0.0

    @property
    def growth(self) -> float:
        """The return from the beginning to the end."""
        return self.final / self.spot - 1

    @property
    def lead(self) -> float:
        assert self.other is not None
        return self.growth - self.other.growth

    def close_at(self, instant: int) -> str:
        """The last close at or before a unix second, in words."""
        bars = self.bars.until(instant + 1)
        if not self._has_close(bars):
            return f"{self.asset} did not trade and stayed at {self.spot:.10g}"
        return self.close_of(bars)

    def close_of(self, bars: Bars) -> str:
        """The last close of some bars in words."""
        return f"{self.asset} close {bars.close[-1]:.10g} of the bar of {iso(int(bars.time[-1]))}"

    def bar_extreme(self, place: int, side: int) -> str:
        """The highest or the lowest price of the bar at a place from the beginning, in words."""
        name, prices = ("high", self.since.high) if side > 0 else ("low", self.since.low)
        return f"{self.asset} {name} {prices[place]:.10g} in the bar of {self.opened(place)}"

    def opened(self, place: int) -> str:
        """The instant at which the bar at a place from the beginning opens."""
        return iso(int(self.since.time[place]))


def takes_place_at(question: Question, price: float) -> bool:
    """Whether the event of a question about one asset takes place, regardless of `negated`, if the price is `price`."""
    until = int(question.deadline.timestamp())
    now = until - HOUR
    bars = from_rows([(now, price, price, price, price, 0)], HOUR)
    return bool(question.kind.event(question, RecordedPath(question.asset, question.spot, now, until, bars)))
