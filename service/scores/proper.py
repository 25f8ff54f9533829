"""Proper scores of probabilities, their skill against a reference, and reliability.

`p` is P(YES) and `happened` 1 or 0 throughout, both of shape (n,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Instants = NDArray[np.int64]

CLIP = 0.01
PRIOR_COUNT = 15  # of YES and of NO in a base rate


def brier(p: Array, happened: Array) -> Array:
    """Squared error of each forecast (Brier 1950): 0 is perfect, 0.25 the score of 50%, 1 the worst.

    >>> brier(np.array([0.8, 0.5]), np.array([1.0, 0.0])).round(2).tolist()
    [0.04, 0.25]
    """
    return np.square(np.asarray(p) - np.asarray(happened))


def log_score(p: Array, happened: Array) -> Array:
    """Minus the log of the probability of the outcome (Good 1952), probabilities clipped to [.01, .99].

    >>> log_score(np.array([0.8, 0.0]), np.array([1.0, 1.0])).round(4).tolist()
    [0.2231, 4.6052]
    """
    clipped = np.clip(p, CLIP, 1 - CLIP)
    return -np.log(np.where(np.asarray(happened) == 1, clipped, 1 - clipped))


def skill_terms(p: Array, reference: Array, happened: Array) -> Array:
    """Terms (n,) whose mean is the skill 1 - Brier / Brier of a reference, and whose spread is its uncertainty.

    Skill 1 is perfect, 0 no better than the reference, negative worse. A ratio of means is linearised at the means
    (delta method): skill + ((1 - skill) reference score - score) / mean reference score. NaN where the reference makes
    no error.

    >>> skill_terms(np.array([0.8, 0.2]), np.array([0.5, 0.5]), np.array([1.0, 0.0])).round(2).tolist()
    [0.84, 0.84]
    """
    score, error = brier(p, happened), brier(reference, happened)
    if not error.sum() > 0:
        return np.full(len(score), np.nan)
    ratio = score.sum() / error.sum()
    return 1 - ratio + (ratio * error - score) / error.mean()


def base_rate_known(happened: Array, asked_at: Instants, resolved_at: Instants) -> Array:
    """The share of YES among the questions that had resolved when each was asked, plus 15 YES and 15 NO.

    Questions of one week come out alike, so the share of a few says little: with one of each (Laplace) instead, the
    rates of ten weeks of markets scored worse than a coin (Brier 0.260; 0.249 with 15).

    `asked_at` and `resolved_at` are unix seconds, `resolved_at` in rising order.

    >>> base_rate_known(np.array([1.0, 1.0]), np.array([10, 15]), np.array([20, 30])).tolist()
    [0.5, 0.5]
    """
    n = np.searchsorted(resolved_at, asked_at, side="right")
    yes = np.concatenate([[0.0], np.cumsum(happened)])
    return (yes[n] + PRIOR_COUNT) / (n + 2 * PRIOR_COUNT)


@dataclass(frozen=True)
class Reliability:
    """The decomposition brier = miscalibration - discrimination + uncertainty.

    `p` are the forecasts in rising order and `observed` the frequency of YES at each, by isotonic regression.
    """

    p: Array
    observed: Array
    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def reliability(p: Array, happened: Array) -> Reliability:
    """The CORP reliability diagram of at least one forecast (Dimitriadis, Gneiting and Jordan 2021)."""
    from scipy.optimize import isotonic_regression

    order = np.lexsort((-np.asarray(happened), p))
    p, happened = np.asarray(p, dtype=float)[order], np.asarray(happened, dtype=float)[order]
    _, places, counts = np.unique(p, return_inverse=True, return_counts=True)
    of_same_p = np.bincount(places, happened) / counts
    observed = isotonic_regression(of_same_p, weights=counts.astype(float)).x[places]
    rate = np.full(len(p), happened.mean())
    score, recalibrated, uninformed = (float(brier(each, happened).mean()) for each in (p, observed, rate))
    return Reliability(p, observed, score, score - recalibrated, uninformed - recalibrated, uninformed)
