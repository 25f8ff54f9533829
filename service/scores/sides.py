"""How often the likelier side of a forecast came true, beside what two forecasters without insight would reach."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from service.scores.dependence import Dependence
from service.scores.intervals import clustered_mean, published
from service.scores.proper import Array, Instants

DIGITS = 4  # of percentages, and of the P(YES) that decides whether a forecast has a side


@dataclass(frozen=True)
class RightShare:
    """The share of right sides among `n` forecasts other than 50%, worth `n_eff` independent ones.

    Percentages and their 95% interval, clustered by week; null where there is no forecast.
    `likelier_side_pct` is the share that the side which such questions took more often before would have reached on the
    same questions (one half where neither was likelier), `always_no_pct` that of NO every time.
    """

    n: int
    n_eff: float
    pct: float | None
    low_pct: float | None
    high_pct: float | None
    likelier_side_pct: float | None
    always_no_pct: float | None


def right_share(
    p: Array, rate: Array, outcomes: Array, weeks: Instants, prior: Dependence, luckiest: float = 0.0
) -> RightShare:
    """The share of right sides; `prior` is the dependence of such questions, `luckiest` as of `ClusteredMean`.

    The arrays have shape (n,): P(YES), how often such a question had come out YES before (`rate`), the outcomes as 1 or
    0, and the weeks of resolution.
    """
    has_side = np.round(p, DIGITS) != 0.5
    p, rate, outcomes, weeks = p[has_side], rate[has_side], outcomes[has_side], weeks[has_side]
    share = clustered_mean(sides_right(p, outcomes), weeks, prior, luckiest)
    low, high = share.share_interval()
    return RightShare(
        n=share.n,
        n_eff=round(share.n_eff, 1),
        pct=_percent(share.mean),
        low_pct=_percent(low),
        high_pct=_percent(high),
        likelier_side_pct=_percent(mean(sides_right(rate, outcomes))),
        always_no_pct=_percent(mean(1 - outcomes)),
    )


def sides_right(p: Array, outcomes: Array) -> Array:
    """1 where the likelier side of `p` came true, 0 where it did not, one half where p is 0.5; shape (n,)."""
    return np.where(p == 0.5, 0.5, (p > 0.5) == (outcomes == 1)).astype(float)


def mean(values: Array) -> float:
    """The mean; NaN without values."""
    return float(values.mean()) if len(values) else nan


def _percent(share: float) -> float | None:
    return published(100 * share, DIGITS)
