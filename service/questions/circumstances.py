"""What the meaning of a text depends on besides its words: the time, the prices of now and of the past, the limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

import numpy as np

from service.market.bars import Bars, PriceExtremes, empty
from service.market.instants import HOUR, utc
from service.market.prices import NO_RATES, Rates
from service.questions.coins import NO_COINS, Coins

# Closes this long before an instant are its last ones: a long weekend of the metals.
LONGEST_GAP = timedelta(days=5)


class PriceHistory(Protocol):
    """The stored prices of every asset, read only for questions that name past ones."""

    def record(self, asset: str) -> PriceExtremes | None:
        """The highest and the lowest stored price of an asset; None without one."""
        ...

    def hourly(self, asset: str, since: datetime) -> Bars:
        """The complete hourly bars of an asset that open at `since`, an aware datetime, or later."""
        ...


class NoHistory:
    """No stored prices: questions about past ones are refused."""

    def record(self, asset: str) -> None:  # noqa: ARG002
        return None

    def hourly(self, asset: str, since: datetime) -> Bars:  # noqa: ARG002
        return empty(HOUR)


NO_HISTORY = NoHistory()


@dataclass(frozen=True)
class Circumstances:
    """The time, the prices and the limits with which a text is understood.

    The question is asked at `now`, an aware datetime that is kept in UTC. `spots` has the present price of each asset
    that has one, in USD, also those of the other `coins` that the text names.

    `until` is a deadline from outside the text, an aware datetime. It applies if the text names none; a text that names
    another day is refused, and so are questions that would otherwise be answered with a note about what was ignored,
    because others will rely on the question.

    Without the `history` of an asset, questions that name past prices are refused, and without a fresh rate in `rates`
    a level in that currency.
    """

    now: datetime
    spots: Mapping[str, float]
    until: datetime | None = None
    history: PriceHistory = NO_HISTORY
    rates: Rates = field(default_factory=lambda: NO_RATES)
    coins: Coins = NO_COINS

    def __post_init__(self) -> None:
        object.__setattr__(self, "now", self.now.astimezone(UTC))


@dataclass(frozen=True)
class Setting:
    """What the meaning of words depends on: the asset and its price in USD, when it is asked and decided, the past."""

    asset: str
    spot: float
    now: datetime
    deadline: datetime
    history: PriceHistory

    def closes(self, ends: Sequence[int]) -> list[float] | None:
        """The last closes at or before unix seconds in ascending order; None where they are not all stored."""
        bars = self.history.hourly(self.asset, utc(ends[0]) - LONGEST_GAP)
        places = np.searchsorted(bars.time + bars.step, ends, side="right")
        return None if not len(bars) or places[0] == 0 else bars.close[places - 1].tolist()
