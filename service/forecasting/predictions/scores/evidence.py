"""What forecasts of resolved markets are scored against: outcomes, weeks, earlier rates and the votes of `vol`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from service.forecasting.predictions import Prediction
from service.forecasting.voters.brains import VOL
from service.forecasting.voters.scoring import Array, Instants, base_rate_known, weeks_of

Template = tuple[bool, str, str]


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


def evidence_of(markets: Sequence[Prediction]) -> ScoredMarkets:
    """The evidence of markets that came out yes or no, in order of resolution."""
    return ScoredMarkets(
        happened=np.array([float(market.outcome == "yes") for market in markets]),
        weeks=weeks_of(_resolved_at(markets)),
        rate=template_rates(markets),
        vol=np.array([_vol(market) for market in markets], dtype=float),
    )


def template_rates(markets: Sequence[Prediction]) -> Array:
    """How often such a market had come out YES when each was voted on, from one half on; shape (n,).

    Such a market is one of the same book, category and comparator among `markets`, which came out yes or no and are in
    order of resolution. With few of them the rate is near one half (`base_rate_known`).
    """
    rows_of: dict[Template, list[int]] = defaultdict(list)
    for row, market in enumerate(markets):
        rows_of[market.backfilled, market.category, market.question.comparator].append(row)
    happened = np.array([float(market.outcome == "yes") for market in markets])
    voted, resolved = np.array([market.voted_at for market in markets], dtype=np.int64), _resolved_at(markets)
    rates = np.empty(len(markets))
    for rows in rows_of.values():
        rates[rows] = base_rate_known(happened[rows], voted[rows], resolved[rows])
    return rates


def _resolved_at(markets: Sequence[Prediction]) -> Instants:
    settlements = (market.settlement for market in markets)
    return np.array([settlement.resolved_at for settlement in settlements if settlement], dtype=np.int64)


def _vol(market: Prediction) -> float:
    return next((vote.p for vote in market.votes if vote.voter == VOL.name), nan)
