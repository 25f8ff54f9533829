"""A book of scores, by horizon and asset: what it is fed with, past hours too, and the record published of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from math import ceil, isfinite
from typing import Any, Literal, NamedTuple

import numpy as np

from service.documents import Document, DocumentHeader, adapter
from service.forecasting.densities.density import Fits
from service.forecasting.densities.models import VarianceTrack
from service.forecasting.predictions.resolution import LATE_S
from service.forecasting.price_record.committed import (
    EVERY_S,
    PRIORS,
    SHARES,
    STANDARD,
    ForecastInstants,
    PriceForecast,
    ScoreSums,
    blocks_of,
    forecast,
    ratio_of,
    score,
)
from service.forecasting.voters.forecast_inputs import LEAST_HISTORY_DAYS
from service.forecasting.voters.inputs import InputHistory
from service.forecasting.voters.price_forecasts import PERCENTS
from service.market.assets import ASSETS, open_hours_between
from service.market.bars import Bars
from service.market.instants import HOUR
from service.market.months import ends, month_of
from service.scores.intervals import LEAST_N, LEAST_WORTH, ClusteredMean, Dependence, needed_to_see, published
from service.scores.proper import Array, Instants

ALL_ASSETS = "all"  # the assets together


class Outcomes(NamedTuple):
    """Forecasts with the price in USD at their deadline, and void ones, whose market had no bar then."""

    results: Sequence[tuple[PriceForecast, float]] = ()
    void: Sequence[PriceForecast] = ()

    @property
    def decided(self) -> list[PriceForecast]:
        """The forecasts that need no further bars."""
        return [*(row for row, _ in self.results), *self.void]


@dataclass(frozen=True)
class PriceBook:
    """Sums of scores by horizon, then by asset or ALL_ASSETS."""

    sums: Mapping[str, Mapping[str, ScoreSums]] = field(default_factory=dict)

    def of(self, horizon: str, asset: str) -> ScoreSums:
        return self.sums.get(horizon, {}).get(asset, ScoreSums())

    def plus(self, outcomes: Outcomes) -> PriceBook:
        """With more forecasts whose deadline has passed."""
        sums: dict[str, dict[str, ScoreSums]] = {}
        for horizon in STANDARD:
            results = [(row, price) for row, price in outcomes.results if row.horizon == horizon]
            scores = score([row for row, _ in results], [price for _, price in results])
            assets = np.array([row.asset for row, _ in results], dtype=str)
            blocks = blocks_of(horizon, np.array([row.deadline for row, _ in results], dtype=np.int64))
            void = [row.asset for row in outcomes.void if row.horizon == horizon]
            sums[horizon] = {ALL_ASSETS: self.of(horizon, ALL_ASSETS).plus(scores, blocks, len(void))}
            for asset in ASSETS:
                rows, before = assets == asset, self.of(horizon, asset)
                sums[horizon][asset] = before.plus(scores.of(rows), blocks[rows], void.count(asset))
        return PriceBook(sums)

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)["sums"]

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> PriceBook:
        return PriceBook(adapter(dict[str, dict[str, ScoreSums]]).validate_python(plain))


def closes_at(asset: str, bars: Bars, at: Instants) -> tuple[Array, Instants]:
    """The last close before unix seconds that are whole hours, and the end of its bar; shape (n,) each.

    The close is NaN where an open hour lies between, and where there is no bar before.
    """
    ends = bars.time + bars.step
    last = np.searchsorted(ends, at, side="right") - 1
    as_of, price = np.where(last < 0, at, np.append(ends, 0)[last]), np.append(bars.close, np.nan)[last]
    return np.where(open_hours_between(asset, as_of, at) == 0, price, np.nan), as_of


def resolve(forecasts: Sequence[PriceForecast], hourly: Mapping[str, Bars], now: int) -> Outcomes:
    """What hourly bars show at the unix second `now` of forecasts whose deadline has passed.

    If the market closed before the deadline, its last price counts. Where the last open hour before the deadline has no
    bar, a forecast waits for six hours and is then void.
    """
    results, void = [], []
    for asset in sorted({row.asset for row in forecasts}):
        due = [row for row in forecasts if row.asset == asset]
        prices, _ = closes_at(asset, hourly[asset], np.array([row.deadline for row in due]))
        for row, price in zip(due, prices.tolist(), strict=True):
            if isfinite(price):
                results.append((row, price))
            elif now >= row.deadline + LATE_S:
                void.append(row)
    return Outcomes(results, void)


@dataclass(frozen=True)
class PastPrices:
    """The forecasts of past hours: the `book` of those with an outcome, and those still `pending`."""

    forecasts: tuple[PriceForecast, ...]
    book: PriceBook
    pending: tuple[PriceForecast, ...]


def backfill_prices(
    history: InputHistory, hourly: Mapping[str, Bars], fits: Mapping[int, Fits], since: int, until: int
) -> PastPrices:
    """The forecasts of every hour from the unix second `since` on and before `until`, resolved by then.

    `history` and `hourly` are of bars that were complete at `until`. `fits` are the models fitted at the beginning of
    each month, by its unix second; a month without them has no forecasts.
    """
    at = np.arange(since, until, EVERY_S)
    at = at[(at - history.grid.origin) // HOUR >= max(track.first for track in history.grid.tracks.values())]
    forecasts: list[PriceForecast] = []
    for (month, models), asset in product(fits.items(), history.tracks):
        within, fit = at[(at >= month) & (at < ends(month_of(month)))], models.of(asset)
        if fit and len(within):
            forecasts += forecast(_instants(history, asset, hourly[asset], within), fit)
    outcomes = resolve([row for row in forecasts if row.deadline <= until], hourly, until)
    past = set(outcomes.decided)
    pending = tuple(row for row in forecasts if row not in past)
    return PastPrices(tuple(forecasts), PriceBook().plus(outcomes), pending)


def _instants(history: InputHistory, asset: str, bars: Bars, at: Instants) -> ForecastInstants:
    """The instants at which the asset has its newest bar and enough history."""
    track = history.tracks[asset]
    price, price_as_of = closes_at(asset, bars, at)
    rows = np.minimum((at - history.grid.origin) // HOUR, len(history.grid) - 1)
    is_usable = np.isfinite(price) & (rows + 1 - track.hours.first >= LEAST_HISTORY_DAYS * 24)
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


PriceVerdict = Literal[
    "not enough resolved forecasts", "no clear difference yet", "the voters are better", "plain volatility is better"
]


@dataclass(frozen=True)
class PriceRecord:
    """The scores of `n` resolved forecasts; `void` ones had no price at their deadline and are not among them.

    All but `n`, `void` and `verdict` is null without a resolved forecast. `crps` and `vol_crps` are the mean scores of
    the voters' pool and of plain volatility, in standard deviations of the last 180 days; lower is better. `crps_ratio`
    is the first over the second, so below 1 the pool was better. Forecasts that resolve in the same calendar week (five
    weeks for 30d) form a block. `n_eff` is the number of independent forecasts that they are worth: forecasts of one
    block depend on each other as usual, and with every block more as these did. The 95% interval from `low` to `high`
    follows from it and is null while `n_eff` is below 1.5. `needed` is the `n` of a verdict: 30 independent forecasts,
    and as many as show a ratio as far from 1 as this one, two-sided at 5% with a power of 80%; null without one.

    `coverage_pct` is the percentage of outcomes inside the central intervals of 50, 80, 90 and 98%. `pit_pct` is that
    in each tenth of the forecast distribution: 10 each where it is calibrated. `pinball` is the mean loss by percent.
    """

    n: int
    void: int
    n_eff: float | None
    crps: float | None
    vol_crps: float | None
    crps_ratio: float | None
    low: float | None
    high: float | None
    verdict: PriceVerdict
    needed: int | None
    coverage_pct: dict[str, float] | None
    pit_pct: tuple[float, ...] | None
    pinball: dict[str, float] | None


@dataclass(frozen=True)
class HorizonPriceRecord:
    """One horizon: `all` assets together, and each of the `assets`; `waiting` forecasts have a later deadline."""

    horizon: str
    waiting: int
    all: PriceRecord
    assets: dict[str, PriceRecord]


@dataclass(frozen=True)
class PriceRecordBook:
    """One book: forecasts committed live, or those `backfilled` by the first start."""

    backfilled: bool
    horizons: tuple[HorizonPriceRecord, ...]


@dataclass(frozen=True)
class PriceRecordDocument(Document):
    """The document of GET /api/v1/forecasts/record: the live book and the backfilled one, never combined."""

    books: tuple[PriceRecordBook, ...]


def price_record_document(
    books: Mapping[bool, PriceBook], pending: Mapping[tuple[bool, str], int], header: DocumentHeader, assets: list[str]
) -> PriceRecordDocument:
    """The record of each of `assets` in the books by `backfilled`, which with a horizon is the key of `pending` too."""

    def record(name: bool, horizon: str) -> HorizonPriceRecord:
        book, (asset_prior, total_prior) = books[name], PRIORS[horizon]
        total = _record(book.of(horizon, ALL_ASSETS), total_prior)
        by_asset = {asset: _record(book.of(horizon, asset), asset_prior) for asset in assets}
        return HorizonPriceRecord(horizon, pending.get((name, horizon), 0), total, by_asset)

    records = (PriceRecordBook(name, tuple(record(name, horizon) for horizon in STANDARD)) for name in (False, True))
    return PriceRecordDocument(schema="price-record/1", **vars(header), books=tuple(records))


def _record(sums: ScoreSums, prior: Dependence) -> PriceRecord:
    ratio = ratio_of(sums, prior)
    if ratio is None:
        nothing = (None, None, None, None, None, None)
        return PriceRecord(0, sums.void, *nothing, verdict_on(None), *nothing[:4])
    n, (low, high) = sums.n, ratio.interval()
    return PriceRecord(
        n=n,
        void=sums.void,
        n_eff=round(ratio.n_eff, 1),
        crps=round(sums.crps / n, 5),
        vol_crps=round(sums.vol_crps / n, 5),
        crps_ratio=round(ratio.mean, 4),
        low=published(low, 4),
        high=published(high, 4),
        verdict=verdict_on(ratio),
        needed=needed(ratio),
        coverage_pct=_by(SHARES, sums.inside, 100 / n, 2),
        pit_pct=tuple(round(100 * count / n, 2) for count in sums.pit),
        pinball=_by(PERCENTS, sums.pinball, 1 / n, 5),
    )


def _by(percents: tuple[int, ...], sums: tuple[float, ...], factor: float, digits: int) -> dict[str, float]:
    return {str(percent): round(total * factor, digits) for percent, total in zip(percents, sums, strict=True)}


def verdict_on(ratio: ClusteredMean | None) -> PriceVerdict:
    """The verdict; a forecaster is better only if the interval of the ratio leaves out 1."""
    if ratio is None or ratio.n_eff < LEAST_N:
        return "not enough resolved forecasts"
    low, high = ratio.interval()
    if low <= 1 <= high:
        return "no clear difference yet"
    return "the voters are better" if ratio.mean < 1 else "plain volatility is better"


def needed(ratio: ClusteredMean) -> int | None:
    """The number of forecasts, as dependent as these, for a verdict on a ratio like this one; None unmeasured."""
    if ratio.n_eff < LEAST_WORTH:
        return None
    least, gap = ceil(LEAST_N * ratio.design_effect), round(ratio.mean - 1, 4)
    return max(least, needed_to_see(gap, ratio.deviation, ratio.design_effect)) if gap else least
