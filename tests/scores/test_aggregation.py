"""Weights that move by evidence alone: planted voters beside eight whose weight is 1."""

from __future__ import annotations

import numpy as np
import pytest

from service.scores.aggregation import HEAVIEST, LIGHTEST, aggregate

SECOND = np.array([False, True])  # of two voters the second one moves


def probability(odds: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-odds))


# What a planted model says of the true log-odds and of what the embedded engines see of them.
PLANTED = {
    "better": lambda truth, seen, noise: probability(truth),
    "worse": lambda truth, seen, noise: probability(seen + 1.5 * noise),
    "copy": lambda truth, seen, noise: probability(seen),
    "undecided": lambda truth, seen, noise: np.full(len(truth), 0.5),
}


def weights_of(*models: str, weeks: int, seed: int = 1) -> list[float]:
    """The weights of planted models beside eight embedded engines, after weeks of 20 questions."""
    generator = np.random.default_rng(seed)
    n = 20 * weeks
    truth = generator.normal(0, 1.2, n)
    seen = truth + generator.normal(0, 1.0, n)
    happened = (generator.random(n) < probability(truth)).astype(float)
    votes = [probability(seen + generator.normal(0, 0.1, n)) for _ in range(8)]
    votes += [PLANTED[model](truth, seen, np.random.default_rng(seed + 100).normal(size=n)) for model in models]
    moves = np.arange(8 + len(models)) >= 8
    weights, _ = aggregate(moves, np.column_stack(votes), happened, np.repeat(np.arange(weeks), 20))
    assert weights[:8].tolist() == [1] * 8, "no embedded engine moves"
    return weights[8:].tolist()


def test_a_better_model_gains_and_a_worse_one_loses():
    """After half a year, within bounds; a model that always says 50% loses as well."""
    (better,), (worse,), (undecided,) = (weights_of(name, weeks=26) for name in ("better", "worse", "undecided"))
    assert 1.5 < better <= HEAVIEST
    assert LIGHTEST <= worse < 0.6
    assert undecided < 0.8


def test_a_copy_of_the_others_stays_where_it_is():
    """It lacks what they lack: over ten worlds its weight is near 1, with little to gain or to lose."""
    weights = [weights_of("copy", weeks=26, seed=seed)[0] for seed in range(10)]
    assert np.median(weights) == pytest.approx(1, abs=0.35)


def test_a_model_and_its_copy_share_the_gain():
    """Both move alike, and each less than the model alone."""
    (alone,) = weights_of("better", weeks=8)
    first, second = weights_of("better", "better", weeks=8)
    assert first == pytest.approx(second)
    assert 1 < first < alone


def test_weights_move_slowly_at_first():
    """Not before there is evidence: a week moves the weight of a better model less than a third."""
    (week,), (half_a_year,) = weights_of("better", weeks=1), weights_of("better", weeks=26)
    assert week == pytest.approx(1, abs=0.33)
    assert half_a_year > 1.5


def test_the_questions_of_a_week_count_once():
    """The same answers to the same outcomes, in one week or in ten: dependent ones prove less."""
    p, happened = np.tile([[0.5, 0.9]], (40, 1)), np.ones(40)
    once, apart = (aggregate(SECOND, p, happened, weeks)[0][1] for weeks in (np.zeros(40), np.arange(40) // 4))
    assert 1 < once < apart


def test_a_model_that_was_silent_neither_gains_nor_loses():
    p = np.array([[0.5, np.nan], [0.6, np.nan]])
    weights, pool = aggregate(SECOND, p, np.array([1.0, 0.0]), np.array([0, 1]))
    assert (weights.tolist(), pool.tolist()) == ([1, 1], [0.5, 0.6])


def test_a_weight_by_hand():
    """One question: m = .7, gain .09 - .01 = .08; prior 4 * .02^2 = .0016.

    eta = .5 / sqrt(.0016 + .0064) = 5.590170; exp(5.590170 * .08 - 5.590170^2 * .0064) = 1.2805.
    """
    weights, pool = aggregate(SECOND, np.array([[0.5, 0.9]]), np.array([1.0]), np.array([0]))
    assert pool.tolist() == [0.7]
    assert weights[1] == pytest.approx(np.exp(5.590170 * 0.08 - 5.590170**2 * 0.0064), rel=1e-6)
