"""PriceScores of committed price forecasts whose outcome is known, beside those of plain volatility.

A committed law is straight between its intervals on the scale of normal quantiles, so a normal law is exact. Everything
is in log returns over their standard deviation in the last 180 days, so that assets, times and horizons weigh alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from service.forecasting.price_record.committed import COLUMNS, SHARES, PriceForecast
from service.forecasting.voters.price_forecasts import PERCENTS

Array = NDArray[np.float64]

BINS = 10
LEVELS = np.arange(1, 100) / 100
NORMAL = np.array([NormalDist().inv_cdf(level) for level in LEVELS.tolist()])
_KNOTS = [0.0, *(NormalDist().inv_cdf((1 + share / 100) / 2) for share in SHARES)]
# A quantile at one of LEVELS is a weighted sum of the half-widths of the intervals; shape (shares, levels).
WEIGHTS = np.sign(NORMAL) * [np.interp(np.abs(NORMAL), _KNOTS, unit) for unit in np.eye(len(_KNOTS))[1:]]
_PERCENTS = np.array(PERCENTS) - 1  # their places in LEVELS
_DECILES = np.arange(9, 99, 10)


@dataclass(frozen=True)
class PriceScores:
    """Of n forecasts. `crps` and `vol_crps` have the shape (n,).

    `pinball` is the loss at PERCENTS, shape (n, 9); `inside` and `pit` are 1 where the outcome lies within the interval
    of a share, shape (n, 4), and in a tenth of the law, shape (n, 10), else 0.
    """

    crps: Array
    vol_crps: Array
    pinball: Array
    inside: Array
    pit: Array

    def of(self, rows: NDArray[np.bool_]) -> PriceScores:
        """The scores of some of the forecasts."""
        return PriceScores(*(values[rows] for values in vars(self).values()))


def score(forecasts: Sequence[PriceForecast], outcomes: Sequence[float]) -> PriceScores:
    """The scores of forecasts whose prices at the deadline were `outcomes` in USD.

    The CRPS (Matheson and Winkler 1976) is twice the mean pinball loss over the levels 1 to 99%; that is 1% more than
    the exact integral, for both forecasters alike.
    """
    laws = np.array([row.law for row in forecasts]).reshape(-1, len(COLUMNS))
    prices = np.array([row.price for row in forecasts])
    vol, usual, within = laws[:, 1], laws[:, 2], laws[:, 3:] / laws[:, 2:3]
    realised = 100 * np.log(np.array(outcomes) / prices) / usual
    quantiles = within @ WEIGHTS
    losses = pinball(quantiles, realised)
    below = (quantiles[:, _DECILES] < realised[:, None]).sum(axis=1)
    return PriceScores(
        crps=2 * losses.mean(axis=1),
        vol_crps=2 * pinball(np.outer(vol / usual, NORMAL), realised).mean(axis=1),
        pinball=losses[:, _PERCENTS],
        inside=(np.abs(realised)[:, None] <= within).astype(float),
        pit=np.eye(BINS)[below],
    )


def pinball(quantiles: Array, outcomes: Array) -> Array:
    """The loss of each quantile at LEVELS, shape (n, 99), for outcomes of shape (n,) (Koenker and Bassett 1978)."""
    errors = outcomes[:, None] - quantiles
    return np.maximum(LEVELS * errors, (LEVELS - 1) * errors)
