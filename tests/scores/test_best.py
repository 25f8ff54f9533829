"""The luck of the best of many, against exact expectations and planted correlations."""

from __future__ import annotations

import numpy as np
import pytest

from service.scores.best import independent_trials, luckiest_of

MANY = 50


def strategies(dice: np.random.Generator, correlation: float, days: int, groups: int = 1) -> np.ndarray:
    """Daily returns (MANY, days) of coin flippers, which correlate within each of so many groups."""
    common = np.sqrt(correlation) * dice.normal(size=(groups, days))[np.arange(MANY) % groups]
    return common + np.sqrt(1 - correlation) * dice.normal(size=(MANY, days))


@pytest.mark.parametrize(("correlation", "groups"), [(0.0, 1), (0.3, 1), (0.6, 9), (0.9, 2)])
@pytest.mark.parametrize("days", [90, 2000])
def test_the_luckiest_is_as_good_as_the_best_of_many_histories(correlation, groups, days):
    """From the correlations of one history: the mean best of 2,000 others, in standard errors."""
    dice = np.random.default_rng(2)
    means = strategies(dice, correlation, 2000 * MANY, groups).reshape(MANY, 2000, MANY).sum(axis=2) / np.sqrt(MANY)
    expected = luckiest_of(strategies(dice, correlation, days, groups))
    assert expected == pytest.approx(means.max(axis=0).mean(), abs=0.12)


@pytest.mark.parametrize(("trials", "best"), [(1, 0.0), (2, np.pi**-0.5), (3, 1.5 * np.pi**-0.5), (20, 1.86748)])
def test_trials_are_counted_by_their_best(trials, best):
    """Exact for one, two and three; for twenty the table of order statistics."""
    assert independent_trials(best) == pytest.approx(trials, rel=0.01)


def test_twins_are_one_trial():
    """Eight strategies in four pairs of twins, and five that never trade."""
    twins = np.repeat(np.random.default_rng(3).normal(size=(4, 5000)), 2, axis=0)
    assert independent_trials(luckiest_of(np.vstack([twins, np.zeros((5, 5000))]))) == pytest.approx(4, rel=0.04)
    assert luckiest_of(np.repeat(twins[:1], 8, axis=0)) == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("returns", [np.zeros((3, 90)), np.zeros((3, 0)), np.zeros(0), np.ones((1, 90))])
def test_without_a_choice_there_is_no_luck(returns):
    assert luckiest_of(returns) == 0
    assert independent_trials(0) == 1


def test_the_same_returns_have_the_same_luck():
    returns = strategies(np.random.default_rng(1), 0.3, 90)
    assert luckiest_of(returns) == luckiest_of(returns)
