"""Online aggregation of voters: their weights in a linear pool, moved by their own record (BOA: Wintenberger 2017)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from service.scores.proper import Array, Instants, brier

LIGHTEST, HEAVIEST = 0.25, 3.0  # each voter keeps a say, and none decides alone
# A week's gain of 0.02, usual for a model that is 10 percentage points from the pool, and four weeks' worth of it as
# the prior: before them weights hardly move.
PRIOR_SQUARES = 4 * 0.02**2


def aggregate(moves: NDArray[np.bool_], p: Array, happened: Array, weeks: Instants) -> tuple[Array, Array]:
    """The weights after the last question, shape (voters,), and the pool of each question by those before its week.

    Each week every voter that `moves` gains or loses the mean of the pool's Brier score less its own, g. As its weight
    rises the pool comes closer to it, so a voter and its copies share what is left to gain. The log of the weight is
    eta sum(g) - eta^2 sum(g^2), where eta is half of 1 / sqrt(prior + sum(g^2)): chance alone moves it by about a half.

    Parameters
    ----------
    moves : ndarray of shape (voters,)
        Whether the weight of a voter moves; else it is 1.
    p : ndarray of shape (questions, voters)
        P(YES); NaN where a voter did not vote.
    happened, weeks : ndarray of shape (questions,)
        1 or 0; the calendar week of resolution.
    """
    sums, squares, weights = np.zeros(len(moves)), np.zeros(len(moves)), np.ones(len(moves))
    pool = np.empty(len(happened))
    for week in np.unique(weeks):
        rows = weeks == week
        votes, voted = p[rows], np.isfinite(p[rows])
        shares = weights * voted
        pool[rows] = np.nansum(shares * votes, axis=1) / shares.sum(axis=1)
        gains = brier(pool[rows], happened[rows])[:, None] - brier(votes, happened[rows][:, None])
        gain = np.nansum(gains, axis=0) / np.maximum(voted.sum(axis=0), 1)
        sums, squares = sums + gain, squares + gain**2
        eta = 0.5 / np.sqrt(PRIOR_SQUARES + squares)
        weights = np.where(moves, np.clip(np.exp(eta * sums - eta**2 * squares), LIGHTEST, HEAVIEST), 1.0)
    return weights, pool
