"""What luck alone would show, by simulation."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from scipy.stats import norm

from service.scores.intervals import LEVELS
from service.scores.luck import Luck, common_cause, independent_trials, luck_of, luckiest, luckiest_of
from tests.scores.planted import weekly_values

A_WEEK, RECORDS = 50, 50


def weekly_luck(p: np.ndarray, best: int, right: int) -> Luck | None:
    """The luck of forecasts, ten a week, of which the first `right` were right."""
    places = np.arange(len(p))
    return luck_of(p, (places < right).astype(float), places // 10, best)


def calibrated(dice: np.random.Generator, weeks: int, correlation: float) -> tuple[np.ndarray, ...]:
    """P(YES), right sides and weeks of a forecaster whose probabilities are right."""
    p = np.clip(dice.beta(6, 2, weeks * A_WEEK), 0.5, 0.97)
    causes = weekly_values(dice, weeks, A_WEEK, correlation, LEVELS.memory)
    return p, (causes < norm.ppf(p)).astype(float), np.repeat(np.arange(weeks), A_WEEK)


def longest(right: Iterable) -> int:
    """The length of the longest run of right answers."""
    return max(len(list(run)) if is_right else 0 for is_right, run in itertools.groupby(right))


@pytest.mark.parametrize(("weeks", "correlation"), [(9, 0.0), (9, 0.035), (26, 0.035)])
def test_a_calibrated_record_is_rarely_beyond_luck(weeks, correlation):
    """The longest run is as long in under 5% of simulated records in at most 5% of 200 windows of planted data.

    Causes of answers correlate as those of lived markets do: 0.035 within a week, 0.6 of it a week later. Independent
    records would be found beyond luck three times as often.
    """
    dice, shares = np.random.default_rng(5), []
    for _ in range(200):
        p, right, of_week = calibrated(dice, weeks, correlation)
        luck = luck_of(p, right, of_week, longest(right))
        shares.append((luck.best_reached_pct, luck.accuracy_reached_pct))
    assert np.mean(np.array(shares) < 5, axis=0).max() <= 0.05


def test_the_common_cause_is_measured():
    """From 400 weeks, that of the planted one."""
    dice = np.random.default_rng(2)
    for correlation in (0.0, 0.02, 0.035, 0.05):
        estimate, freedom = common_cause(*calibrated(dice, 400, correlation))
        assert estimate == pytest.approx(correlation, abs=0.016)
        assert freedom == 20 + 399 - 1


def test_luck_is_that_of_all_records_counted():
    """Five forecasts of 80% and 30% YES in turn: each of the 32 records by hand, weighed by its probability.

    Thirty right answers in a row: ordinary at 99%, a wonder at 55%, where .55^30 is one in 60 million.
    """
    p = np.array([0.8, 0.3, 0.8, 0.3, 0.8])
    share = np.maximum(p, 1 - p)
    mean = best = right_share = 0.0
    for record in itertools.product([True, False], repeat=5):
        weight, run = np.prod(np.where(record, share, 1 - share)), longest(record)
        mean, best = mean + weight * run, best + weight * (run >= 3)
        right_share += weight * (sum(record) >= 4)
    simulated = weekly_luck(p, 3, 4)
    assert simulated.expected_best == pytest.approx(mean, abs=0.15)
    assert simulated.best_reached_pct == pytest.approx(100 * best, abs=4)
    assert simulated.accuracy_reached_pct == pytest.approx(100 * right_share, abs=4)
    assert weekly_luck(np.zeros(0), 0, 0) is None
    sure_luck, unsure_luck = (weekly_luck(np.full(30, p), 30, 30) for p in (0.01, 0.55))
    assert sure_luck.best_reached_pct == pytest.approx(100 * 0.99**30, abs=4)
    assert unsure_luck.best_reached_pct == unsure_luck.accuracy_reached_pct == 0.2, "one in 501 cannot be excluded"


def test_the_luckiest_of_many_goes_further():
    """A run that one of five records has is had by the luckiest of ten in 89% of tables."""
    p, right, weeks = np.full(3, 0.585), np.ones(3), np.zeros(3, dtype=np.int64)
    of_one, of_ten = (luck_of(p, right, weeks, 3, among) for among in (1, 10))
    assert of_one.best_reached_pct == pytest.approx(20, abs=4)
    assert of_ten.best_reached_pct == pytest.approx(100 * (1 - (1 - of_one.best_reached_pct / 100) ** 10), abs=0.2)
    assert (of_one.expected_best, of_one.among, of_ten.among) == (of_ten.expected_best, 1, 10)


def strategies(dice: np.random.Generator, correlation: float, days: int, groups: int = 1) -> np.ndarray:
    """Daily returns (MANY, days) of coin flippers, which correlate within each of so many groups."""
    common = np.sqrt(correlation) * dice.normal(size=(groups, days))[np.arange(RECORDS) % groups]
    return common + np.sqrt(1 - correlation) * dice.normal(size=(RECORDS, days))


@pytest.mark.parametrize(("correlation", "groups"), [(0.0, 1), (0.3, 1), (0.6, 9), (0.9, 2)])
@pytest.mark.parametrize("days", [90, 2000])
def test_the_luckiest_is_as_good_as_the_best_of_many_histories(correlation, groups, days):
    """From the correlations of one history: the mean best of 2,000 others, in standard errors."""
    dice = np.random.default_rng(2)
    histories = strategies(dice, correlation, 2000 * RECORDS, groups).reshape(RECORDS, 2000, RECORDS).sum(axis=2)
    expected = luckiest_of(strategies(dice, correlation, days, groups))
    assert expected == pytest.approx(histories.max(axis=0).mean() / np.sqrt(RECORDS), abs=0.12)


@pytest.mark.parametrize(("trials", "best"), [(1, 0.0), (2, np.pi**-0.5), (3, 1.5 * np.pi**-0.5), (20, 1.86748)])
def test_trials_are_counted_by_their_best(trials, best):
    """Exact for one, two and three; for twenty the table of order statistics."""
    assert independent_trials(best) == pytest.approx(trials, rel=0.01)
    assert luckiest(trials) == pytest.approx(best, abs=0.001)


def test_twins_are_one_trial():
    """Eight strategies in four pairs of twins, and five that never trade. Without a choice there is no luck."""
    twins = np.repeat(np.random.default_rng(3).normal(size=(4, 5000)), 2, axis=0)
    assert independent_trials(luckiest_of(np.vstack([twins, np.zeros((5, 5000))]))) == pytest.approx(4, rel=0.04)
    assert luckiest_of(np.repeat(twins[:1], 8, axis=0)) == pytest.approx(0, abs=0.03)
    returns = strategies(np.random.default_rng(1), 0.3, 90)
    assert luckiest_of(returns) == luckiest_of(returns)
    for nothing in (np.zeros((3, 90)), np.zeros((3, 0)), np.zeros(0), np.ones((1, 90))):
        assert luckiest_of(nothing) == 0
    assert independent_trials(0) == 1
