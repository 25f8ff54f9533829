"""Proper scores of probabilities, their skill against a reference, reliability, and weights of voters by their scores.

`p` is P(YES) and `outcomes` are 1 or 0 throughout, both of shape (n,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Instants = NDArray[np.int64]

CLIP = 0.01
PRIOR_COUNT = 15  # of YES and of NO in a base rate


def brier(p: Array, outcomes: Array) -> Array:
    """Squared error of each forecast (Brier 1950): 0 is perfect, 0.25 the score of 50%, 1 the worst."""
    return np.square(np.asarray(p) - np.asarray(outcomes))


def log_score(p: Array, outcomes: Array) -> Array:
    """Minus the log of the probability of the outcome (Good 1952), probabilities clipped to [.01, .99]."""
    p = np.clip(p, CLIP, 1 - CLIP)
    return -np.log(np.where(np.asarray(outcomes) == 1, p, 1 - p))


def skill_terms(p: Array, reference: Array, outcomes: Array) -> Array:
    """Terms (n,) whose mean is the skill 1 - Brier / Brier of a reference, and whose spread is its uncertainty.

    Skill 1 is perfect, 0 no better than the reference, negative worse. A ratio of means is linearised at the means
    (delta method): skill + ((1 - skill) reference score - score) / mean reference score. NaN where the reference makes
    no error.
    """
    score, error = brier(p, outcomes), brier(reference, outcomes)
    if not error.sum() > 0:
        return np.full(len(score), np.nan)
    ratio = score.sum() / error.sum()
    return 1 - ratio + (ratio * error - score) / error.mean()


def base_rate_known(outcomes: Array, asked_at: Instants, resolved_at: Instants) -> Array:
    """The share of YES among the questions that had resolved when each was asked, plus 15 YES and 15 NO.

    Questions of one week come out alike, so the share of a few says little: with one of each (Laplace) instead, the
    rates of ten weeks of markets scored worse than a coin (Brier 0.260; 0.249 with 15).

    `asked_at` and `resolved_at` are unix seconds, `resolved_at` in rising order.
    """
    n = np.searchsorted(resolved_at, asked_at, side="right")
    yes = np.concatenate([[0.0], np.cumsum(outcomes)])
    return (yes[n] + PRIOR_COUNT) / (n + 2 * PRIOR_COUNT)


@dataclass(frozen=True)
class Reliability:
    """The decomposition brier = miscalibration - discrimination + uncertainty.

    `p` are the forecasts in rising order and `frequencies` those of YES at each, by isotonic regression.
    """

    p: Array
    frequencies: Array
    brier: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def reliability(p: Array, outcomes: Array) -> Reliability:
    """The CORP reliability diagram of at least one forecast (Dimitriadis, Gneiting and Jordan 2021)."""
    from scipy.optimize import isotonic_regression

    order = np.lexsort((-np.asarray(outcomes), p))
    p, outcomes = np.asarray(p, dtype=float)[order], np.asarray(outcomes, dtype=float)[order]
    _, places, counts = np.unique(p, return_inverse=True, return_counts=True)
    of_same_p = np.bincount(places, outcomes) / counts
    frequencies = isotonic_regression(of_same_p, weights=counts.astype(float)).x[places]
    rate = np.full(len(p), outcomes.mean())
    score, calibrated_score, base_score = (
        float(brier(forecasts, outcomes).mean()) for forecasts in (p, frequencies, rate)
    )
    return Reliability(p, frequencies, score, score - calibrated_score, base_score - calibrated_score, base_score)


LIGHTEST, HEAVIEST = 0.25, 3.0  # each voter keeps a say, and none decides alone
# A week's gain of 0.02, usual for a model that is 10 percentage points from the pool, and four weeks' worth of it as
# the prior: before them weights hardly move.
PRIOR_SQUARES = 4 * 0.02**2


def aggregate(moves: NDArray[np.bool_], p: Array, outcomes: Array, weeks: Instants) -> tuple[Array, Array]:
    """The weights after the last question, shape (voters,), and the pool of each question by those before its week.

    Each week every voter that `moves` gains or loses the mean of the pool's Brier score less its own, g. As its weight
    rises the pool comes closer to it, so a voter and its copies share what is left to gain. The log of the weight is
    eta sum(g) - eta^2 sum(g^2), where eta is half of 1 / sqrt(prior + sum(g^2)): chance alone moves it by about a half.

    Where `moves` (voters,) is false the weight is 1. `p` (questions, voters) is P(YES), NaN without a vote, `outcomes`
    (questions,) are 1 or 0, `weeks` (questions,) the calendar weeks of resolution.
    """
    sums, squares, weights = np.zeros(len(moves)), np.zeros(len(moves)), np.ones(len(moves))
    pool = np.empty(len(outcomes))
    for week in np.unique(weeks):
        rows = weeks == week
        votes, has_vote = p[rows], np.isfinite(p[rows])
        shares = weights * has_vote
        pool[rows] = np.nansum(shares * votes, axis=1) / shares.sum(axis=1)
        gains = brier(pool[rows], outcomes[rows])[:, None] - brier(votes, outcomes[rows][:, None])
        gain = np.nansum(gains, axis=0) / np.maximum(has_vote.sum(axis=0), 1)
        sums, squares = sums + gain, squares + gain**2
        eta = 0.5 / np.sqrt(PRIOR_SQUARES + squares)
        weights = np.where(moves, np.clip(np.exp(eta * sums - eta**2 * squares), LIGHTEST, HEAVIEST), 1.0)
    return weights, pool
