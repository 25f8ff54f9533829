"""A book of scores, by horizon and asset, the outcomes that it is fed with, and the forecasts of past hours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.fits import Fits
from service.forecasting.densities.models import VarianceTrack
from service.forecasting.predictions.resolution import LATE_S
from service.forecasting.price_record.committed import (
    EVERY_S,
    STANDARD,
    ForecastInstants,
    Instants,
    PriceForecast,
    forecast,
    is_fresh,
)
from service.forecasting.price_record.scores import ScoreSums, blocks_of, score
from service.forecasting.voters.forecast_inputs import LEAST_HISTORY_DAYS
from service.forecasting.voters.input_history import InputHistory
from service.market.assets import ASSETS
from service.market.bars import Bars
from service.market.instants import HOUR
from service.market.months import ends, month_of

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
        return {name: {asset: asdict(sums) for asset, sums in by_asset.items()} for name, by_asset in self.sums.items()}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> PriceBook:
        """The book that `to_plain` was called on."""
        rows = plain.items()
        sums = {name: {key: ScoreSums.from_plain(row) for key, row in by_asset.items()} for name, by_asset in rows}
        return PriceBook(sums)


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
    for asset in sorted({row.asset for row in forecasts}):
        due = [row for row in forecasts if row.asset == asset]
        prices, _ = closes_at(asset, hourly[asset], np.array([row.deadline for row in due]))
        for row, price in zip(due, prices.tolist(), strict=True):
            if isfinite(price):
                resolved.append((row, price))
            elif now >= row.deadline + LATE_S:
                void.append(row)
    return Outcomes(resolved, void)


MonthlyFits = Mapping[int, Fits]


@dataclass(frozen=True)
class PastPrices:
    """The forecasts of past hours: the `book` of those with an outcome, and those `waiting` for one."""

    forecasts: tuple[PriceForecast, ...]
    book: PriceBook
    waiting: tuple[PriceForecast, ...]


def backfill_prices(
    history: InputHistory, hourly: Mapping[str, Bars], fits: MonthlyFits, since: int, until: int
) -> PastPrices:
    """The forecasts of every hour from the unix second `since` on and before `until`, resolved by then.

    `history` and `hourly` are of bars that were complete at `until`. `fits` are the models fitted at the beginning of
    each month, by its unix second; a month without them has no forecasts.
    """
    at = np.arange(since, until, EVERY_S)
    at = at[(at - history.origin) // HOUR >= max(track.first for track in history.tracks.values())]
    forecasts: list[PriceForecast] = []
    for (month, fitted), asset in product(fits.items(), history.tracks):
        within, fit = at[(at >= month) & (at < ends(month_of(month)))], fitted.of(asset)
        if fit and len(within):
            forecasts += forecast(_instants(history, asset, hourly[asset], within), fit)
    outcomes = resolve([row for row in forecasts if row.deadline <= until], hourly, until)
    decided = set(outcomes.decided)
    waiting = tuple(row for row in forecasts if row not in decided)
    return PastPrices(tuple(forecasts), PriceBook().plus(outcomes), waiting)


def _instants(history: InputHistory, asset: str, bars: Bars, at: Instants) -> ForecastInstants:
    """The instants at which the asset has its newest bar and enough history."""
    track = history.tracks[asset]
    price, price_as_of = closes_at(asset, bars, at)
    rows = np.minimum((at - history.origin) // HOUR, len(history) - 1)
    is_usable = np.isfinite(price) & (rows + 1 - track.first >= LEAST_HISTORY_DAYS * 24)
    rows = rows[is_usable]
    terms = {name: values[rows] for name, values in track.variance.terms.items()}
    return ForecastInstants(
        asset=asset,
        at=at[is_usable],
        price=price[is_usable],
        price_as_of=price_as_of[is_usable],
        variance=VarianceTrack(track.variance.level[rows], terms),
        fast=track.fast[rows],
        slow=track.slow[rows],
    )
