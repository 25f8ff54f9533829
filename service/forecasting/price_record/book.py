"""A book of scores, by horizon and asset, and the outcomes that it is fed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.forecasting.predictions.resolution import LATE_S
from service.forecasting.price_record.committed import STANDARD, Instants, PriceForecast, is_fresh
from service.forecasting.price_record.scores import score
from service.forecasting.price_record.sums import ScoreSums, blocks_of
from service.market.assets import ASSETS
from service.market.bars import Bars

Array = NDArray[np.float64]

ALL = "all"  # the assets together


class Outcomes(NamedTuple):
    """Forecasts with the price in USD at their deadline, and void ones, whose market had no bar then."""

    resolved: Sequence[tuple[PriceForecast, float]] = ()
    void: Sequence[PriceForecast] = ()

    @property
    def decided(self) -> list[PriceForecast]:
        """The forecasts that need no further bars."""
        return [*(row for row, _ in self.resolved), *self.void]


@dataclass(frozen=True)
class PriceBook:
    """Sums of scores by horizon, then by asset or ALL."""

    sums: Mapping[str, Mapping[str, ScoreSums]] = field(default_factory=dict)

    def of(self, horizon: str, asset: str) -> ScoreSums:
        """The sums of one horizon and of one asset or ALL; empty before the first forecast."""
        return self.sums.get(horizon, {}).get(asset, ScoreSums())

    def plus(self, outcomes: Outcomes) -> PriceBook:
        """With more forecasts whose deadline has passed."""
        return PriceBook({horizon: self._plus(horizon, outcomes) for horizon in STANDARD})

    def _plus(self, horizon: str, outcomes: Outcomes) -> dict[str, ScoreSums]:
        resolved = [(row, price) for row, price in outcomes.resolved if row.horizon == horizon]
        scores = score([row for row, _ in resolved], [price for _, price in resolved])
        assets = np.array([row.asset for row, _ in resolved], dtype=str)
        blocks = blocks_of(horizon, np.array([row.deadline for row, _ in resolved], dtype=np.int64))
        void = [row.asset for row in outcomes.void if row.horizon == horizon]
        sums = {
            asset: self.of(horizon, asset).plus(scores.of(assets == asset), blocks[assets == asset], void.count(asset))
            for asset in ASSETS
        }
        return {ALL: self.of(horizon, ALL).plus(scores, blocks, len(void)), **sums}

    def to_plain(self) -> dict[str, Any]:
        """A dict that JSON carries without loss."""
        return {
            horizon: {asset: sums.to_plain() for asset, sums in by_asset.items()}
            for horizon, by_asset in self.sums.items()
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> PriceBook:
        """The book that `to_plain` was called on."""
        return PriceBook(
            {
                horizon: {asset: ScoreSums.from_plain(sums) for asset, sums in by_asset.items()}
                for horizon, by_asset in plain.items()
            }
        )


def closes_at(asset: str, bars: Bars, at: Instants) -> tuple[Array, Instants]:
    """The last close before unix seconds that are whole hours, and the end of its bar; shape (n,) each.

    The close is NaN where an open hour lies between, and where there is no bar before.
    """
    last = np.searchsorted(bars.time + bars.step, at, side="right") - 1
    price, as_of = np.full(len(at), np.nan), at.copy()
    seen = last >= 0
    as_of[seen] = bars.time[last[seen]] + bars.step
    seen[seen] = is_fresh(asset, as_of[seen], at[seen])
    price[seen] = bars.close[last[seen]]
    return price, as_of


def resolve(forecasts: Sequence[PriceForecast], hourly: Mapping[str, Bars], now: int) -> Outcomes:
    """What hourly bars show at the unix second `now` of forecasts whose deadline has passed.

    If the market closed before the deadline, its last price counts. Where the last open hour before the deadline has no
    bar, a forecast waits for six hours and is then void.
    """
    resolved, void = [], []
    for asset, group in groupby(sorted(forecasts, key=attrgetter("asset")), key=attrgetter("asset")):
        due = list(group)
        prices, _ = closes_at(asset, hourly[asset], np.array([row.deadline for row in due]))
        for row, price in zip(due, prices.tolist(), strict=True):
            if isfinite(price):
                resolved.append((row, price))
            elif now >= row.deadline + LATE_S:
                void.append(row)
    return Outcomes(resolved, void)
