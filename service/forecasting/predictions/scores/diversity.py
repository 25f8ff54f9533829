"""How much the voters gain by differing: the error that averaging their probabilities removes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.forecasting.predictions.scores.columns import MarketColumns
from service.forecasting.predictions.scores.evidence import ScoredMarkets
from service.scores.dependence import DISAGREEMENT
from service.scores.intervals import LEAST_N, clustered_mean, published
from service.scores.proper import brier

DIGITS = 5


@dataclass(frozen=True)
class Diversity:
    """The mean Brier score of the voters minus that of the plain mean of their probabilities, with equal weights.

    It is 0 where all voters say the same, and never negative (ambiguity decomposition, Krogh and Vedelsby 1995). The
    means are over `n` resolved markets; `low` and `high` are the 95% interval, clustered by week.
    """

    diversity: float
    low: float | None
    high: float | None
    voters_brier: float
    linear_pool_brier: float
    n: int


def diversity_of(markets: MarketColumns, evidence: ScoredMarkets) -> Diversity | None:
    """The diversity of the nine on markets with votes of at least two of them; None with fewer than 30 such markets."""
    rows = np.flatnonzero(np.isfinite(markets.of_voters).sum(axis=1) > 1)
    if len(rows) < LEAST_N:
        return None
    votes, happened = markets.of_voters[rows], evidence.happened[rows]
    single = np.nanmean(brier(votes, happened[:, None]), axis=1)
    pooled = brier(np.nanmean(votes, axis=1), happened)
    gain = clustered_mean(single - pooled, evidence.weeks[rows], DISAGREEMENT)
    low, high = gain.interval()
    return Diversity(
        diversity=round(gain.mean, DIGITS),
        low=published(low, DIGITS),
        high=published(high, DIGITS),
        voters_brier=round(float(single.mean()), DIGITS),
        linear_pool_brier=round(float(pooled.mean()), DIGITS),
        n=gain.n,
    )
