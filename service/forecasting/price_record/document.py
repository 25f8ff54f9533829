"""The published record of the committed price forecasts, against plain volatility."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal

from service.documents import Document, DocumentHeader
from service.forecasting.price_record.book import ALL, PriceBook
from service.forecasting.price_record.committed import SHARES, STANDARD
from service.forecasting.price_record.scores import PRIORS, ScoreSums, ratio_of
from service.forecasting.voters.price_forecasts import PERCENTS
from service.scores.dependence import Dependence
from service.scores.intervals import LEAST_N, LEAST_WORTH, ClusteredMean, needed_to_see, published

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
    books: Mapping[bool, PriceBook], waiting: Mapping[tuple[bool, str], int], header: DocumentHeader, assets: list[str]
) -> PriceRecordDocument:
    """The record of each of `assets` in the books by `backfilled`, which with a horizon is the key of `waiting` too."""

    def record(name: bool, horizon: str) -> HorizonPriceRecord:
        book, (of_one, of_all) = books[name], PRIORS[horizon]
        together = _record(book.of(horizon, ALL), of_all)
        by_asset = {asset: _record(book.of(horizon, asset), of_one) for asset in assets}
        return HorizonPriceRecord(horizon, waiting.get((name, horizon), 0), together, by_asset)

    both = (PriceRecordBook(name, tuple(record(name, horizon) for horizon in STANDARD)) for name in (False, True))
    return PriceRecordDocument(schema="price-record/1", **vars(header), books=tuple(both))


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
