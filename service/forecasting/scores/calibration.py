"""Whether things happen as often as was said: what a reliability diagram is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.forecasting.scoring import Array, reliability, wilson_interval

LEAST_N = 30  # resolved forecasts below which a diagram would show noise
MOST_BINS = 10
LEAST_IN_BIN = 10


@dataclass(frozen=True)
class Bin:
    """Forecasts next to each other: their mean `p`, and how often YES came of these `n`, with a 95 % interval."""

    p: float
    observed_pct: float
    low_pct: float
    high_pct: float
    n: int


@dataclass(frozen=True)
class Calibration:
    """Brier = miscalibration - discrimination + uncertainty, by isotonic regression, and bins of equal size."""

    n: int
    miscalibration: float
    discrimination: float
    uncertainty: float
    bins: tuple[Bin, ...]


def calibrate(p: Array, happened: Array) -> Calibration | None:
    """The calibration of P(YES) `p` against `happened`, 1 or 0, both of shape (n,).

    None with fewer than 30. There are as many bins, at most ten, as leaves ten forecasts in each.
    """
    n = len(p)
    if n < LEAST_N:
        return None
    found = reliability(p, happened)
    parts = np.array_split(np.argsort(p, kind="stable"), min(MOST_BINS, n // LEAST_IN_BIN))
    return Calibration(
        n=n,
        miscalibration=round(found.miscalibration, 5),
        discrimination=round(found.discrimination, 5),
        uncertainty=round(found.uncertainty, 5),
        bins=tuple(_bin(p[part], happened[part]) for part in parts),
    )


def _bin(p: Array, happened: Array) -> Bin:
    low, high = wilson_interval(float(happened.sum()), len(p))
    return Bin(
        p=round(float(p.mean()), 4),
        observed_pct=round(100 * float(happened.mean()), 4),
        low_pct=round(100 * low, 4),
        high_pct=round(100 * high, 4),
        n=len(p),
    )
