"""What forecasts of resolved markets are scored against: outcomes, weeks, earlier rates and the votes of `vol`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.predictions.scores.columns import MarketColumns
from service.forecasting.voters.embedded import VOL
from service.scores.dependence import weeks_of
from service.scores.proper import Array, Instants, base_rate_known


@dataclass(frozen=True)
class ScoredMarkets:
    """Arrays of shape (n,) over resolved markets.

    `happened` is 1 or 0, `weeks` the calendar week of resolution, `rate` how often such a market had come out YES
    before, and `vol` the committed P(YES) of `vol`, NaN where it did not vote.
    """

    happened: Array
    weeks: Instants
    rate: Array
    vol: Array

    def where(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> ScoredMarkets:
        """Some of the markets, by mask or by place."""
        return ScoredMarkets(self.happened[rows], self.weeks[rows], self.rate[rows], self.vol[rows])


def evidence_of(markets: MarketColumns) -> ScoredMarkets:
    """The evidence of markets that came out yes or no."""
    return ScoredMarkets(
        happened=markets.happened,
        weeks=weeks_of(markets.resolved_at),
        rate=template_rates(markets),
        vol=_vol(markets),
    )


def template_rates(markets: MarketColumns) -> Array:
    """How often such a market had come out YES when each was voted on, from one half on; shape (n,).

    Such a market is one of the same book, category and comparator among `markets`, which came out yes or no. With few
    of them the rate is near one half (`base_rate_known`).
    """
    rates = np.empty(len(markets))
    for template in np.unique(markets.template):
        rows = np.flatnonzero(markets.template == template)
        rates[rows] = base_rate_known(markets.happened[rows], markets.voted_at[rows], markets.resolved_at[rows])
    return rates


def _vol(markets: MarketColumns) -> Array:
    """P(YES) of `vol`, whichever of its engines voted, shape (n,); NaN without its vote."""
    votes = markets.p[:, [engine[0] == VOL.name for engine in markets.engines]]
    committed = np.where(np.isfinite(votes), votes, -1).max(axis=1, initial=-1)
    return np.where(committed < 0, np.nan, committed)
