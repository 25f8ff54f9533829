"""Calibration: whether events happen as often as forecast, as the data of a reliability diagram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.scores.dependence import LEVELS
from service.scores.intervals import LEAST_N, clustered_mean
from service.scores.proper import Array, Instants, reliability

MOST_BINS = 10
LEAST_IN_BIN = 10


@dataclass(frozen=True)
class Bin:
    """`n` neighbouring forecasts: their mean `p`, and the share of YES among them.

    Its 95% interval is clustered by week of resolution.
    """

    p: float
    observed_pct: float
    low_pct: float
    high_pct: float
    n: int


@dataclass(frozen=True)
class CalibrationReport:
    """Brier = miscalibration - discrimination + uncertainty, by isotonic regression, and bins of equal size."""

    n: int
    miscalibration: float
    discrimination: float
    uncertainty: float
    bins: tuple[Bin, ...]


def calibrate(p: Array, happened: Array, weeks: Instants) -> CalibrationReport | None:
    """The calibration of a forecaster; None with fewer than 30 forecasts.

    Parameters
    ----------
    p, happened, weeks : ndarray of shape (n,)
        P(YES), the outcome as 1 or 0, and the week of resolution. There are at most ten bins of equal size, with at
        least ten forecasts each.
    """
    n = len(p)
    if n < LEAST_N:
        return None
    diagram = reliability(p, happened)
    parts = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, n // LEAST_IN_BIN))
    return CalibrationReport(
        n=n,
        miscalibration=round(diagram.miscalibration, 5),
        discrimination=round(diagram.discrimination, 5),
        uncertainty=round(diagram.uncertainty, 5),
        bins=tuple(_bin(p[part], happened[part], weeks[part]) for part in parts),
    )


def _bin(p: Array, happened: Array, weeks: Instants) -> Bin:
    share = clustered_mean(happened, weeks, LEVELS)
    low, high = share.share_interval()
    return Bin(
        p=round(float(p.mean()), 4),
        observed_pct=round(100 * share.mean, 4),
        low_pct=round(100 * low, 4),
        high_pct=round(100 * high, 4),
        n=len(p),
    )
