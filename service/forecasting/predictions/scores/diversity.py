"""How much the voters gain by differing: the error that averaging their probabilities removes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.scores.evidence import ScoredMarkets
from service.forecasting.predictions.scores.forecast_scores import KINDS
from service.forecasting.voters.scoring import LEAST_N, brier, clustered_mean, published

DIGITS = 5


@dataclass(frozen=True)
class Diversity:
    """The mean Brier score of the voters minus that of their linear pool (the plain mean of their probabilities).

    It is 0 where all voters say the same, and never negative (ambiguity decomposition, Krogh and Vedelsby 1995). The
    means are over `n` resolved markets; `low` and `high` are the 95% interval, clustered by week.
    """

    diversity: float
    low: float | None
    high: float | None
    voters_brier: float
    linear_pool_brier: float
    n: int


def diversity_of(markets: Sequence[Prediction], evidence: ScoredMarkets) -> Diversity | None:
    """The diversity of the nine on markets with votes of at least two of them; None with fewer than 30 such markets."""
    votes = [np.array([vote.p for vote in market.votes if vote.voter in KINDS]) for market in markets]
    rows = np.flatnonzero([len(p) > 1 for p in votes])
    if len(rows) < LEAST_N:
        return None
    happened = evidence.happened[rows]
    single = np.array([brier(votes[row], evidence.happened[row]).mean() for row in rows])
    pooled = brier(np.array([votes[row].mean() for row in rows]), happened)
    gain = clustered_mean(single - pooled, evidence.weeks[rows])
    low, high = gain.interval()
    return Diversity(
        diversity=round(gain.mean, DIGITS),
        low=published(low, DIGITS),
        high=published(high, DIGITS),
        voters_brier=round(float(single.mean()), DIGITS),
        linear_pool_brier=round(float(pooled.mean()), DIGITS),
        n=gain.n,
    )
