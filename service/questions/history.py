"""Past prices as the understanding of a question needs them: records, and closes at past instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np

from service.market.bars import Bars, PriceExtremes, empty
from service.market.instants import HOUR, utc

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
