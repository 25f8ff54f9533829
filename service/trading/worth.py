"""What the health score and its measures were worth: how they ranked the strategies' results of the next month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal

import numpy as np

from service.documents import rounded
from service.market.months import month_before
from service.trading.health import MEASURES

PROBATION = 6  # months after which a measure must have earned its place

WorthName = Literal["score", "turnover", "sharpe", "drawdown"]
WORTH_NAMES: tuple[WorthName, ...] = ("score", *MEASURES)


@dataclass(frozen=True)
class EarlierEntry:
    """A strategy in an earlier snapshot: its status and score, its measures, and the Sharpe ratio of that month.

    Snapshots of earlier versions have a score of another kind and no measures.
    """

    status: str | None
    health_score: float
    measures: Mapping[str, float] = field(default_factory=dict)
    month_sharpe: float | None = None


Months = Mapping[str, Mapping[str, EarlierEntry]]  # by month, then by the key of the strategy


@dataclass(frozen=True)
class MeasureWorth:
    """The mean rank correlation of a measure with the next month's Sharpe ratio, over `months` months.

    The 95% interval is that of the mean of the months, null with fewer than two. `earns_its_place` says whether the
    mean of the last six months is above 0; null before there are six.
    """

    measure: WorthName
    months: int
    correlation: float | None
    low: float | None
    high: float | None
    earns_its_place: bool | None


def worth_of(months: Months) -> tuple[MeasureWorth, ...]:
    """The worth of the score and of each measure in all `months` whose next month is there as well."""
    return tuple(_worth(name, correlations(months, name)) for name in WORTH_NAMES)


def correlations(months: Months, name: WorthName) -> list[float]:
    """The rank correlation of a measure with the next month's Sharpe ratio, month by month, oldest first."""
    pairs = ((months.get(month_before(month), {}), months[month]) for month in sorted(months))
    return [value for before, after in pairs if (value := _correlation(before, after, name)) is not None]


def _correlation(
    before: Mapping[str, EarlierEntry], after: Mapping[str, EarlierEntry], name: WorthName
) -> float | None:
    """That of one month; None with fewer than three strategies, or when all are equal."""
    pairs = [
        (entry.health_score if name == "score" else entry.measures[name], result)
        for key, entry in before.items()
        if entry.measures and key in after and (result := after[key].month_sharpe) is not None
    ]
    return rank_correlation(*zip(*pairs, strict=True)) if len(pairs) > 2 else None


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation (1904) of two columns; ties have their mean rank. None when one is constant."""
    from scipy.stats import rankdata

    ranks = np.array([rankdata(first), rankdata(second)])
    if not np.ptp(ranks, axis=1).all():
        return None
    return float(np.corrcoef(ranks)[0, 1])


def _worth(name: WorthName, values: Sequence[float]) -> MeasureWorth:
    mean, low, high = _mean(values)
    return MeasureWorth(
        measure=name,
        months=len(values),
        correlation=rounded(mean, 3),
        low=rounded(low, 3),
        high=rounded(high, 3),
        earns_its_place=float(np.mean(values[-PROBATION:])) > 0 if len(values) >= PROBATION else None,
    )


def _mean(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """The mean of independent `values` and the ends of its 95% interval, from Student's t."""
    from scipy.special import stdtrit

    if not values:
        return None, None, None
    n, mean = len(values), float(np.mean(values))
    if n == 1:
        return mean, None, None
    half = float(stdtrit(n - 1, 0.975) * np.std(values, ddof=1) / sqrt(n))
    return mean, mean - half, mean + half
