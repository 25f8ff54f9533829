"""The paired difference of Brier scores: its interval, its verdict and its deviation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.predictions.scores.difference import Difference, compare, power_of, verdict_on
from service.scores.dependence import DIFFERENCES, weeks_of
from service.scores.intervals import clustered_mean
from tests.forecasting.markets import many
from tests.forecasting.predictions.scores.compared import TWO, live, pair


def test_the_difference_is_a_mean_over_markets():
    """.04 - .16 = -.12 and .16 - .01 = .15: mean .015, over two weeks.

    Standard error .27 / sqrt 2 / sqrt 2 = .135, times t(1) = 12.7062.
    """
    difference = live(TWO).difference
    assert (difference.mean, difference.n, difference.weeks) == (0.015, 2, 2)
    assert (difference.low, difference.high) == pytest.approx((0.015 - 1.71534, 0.015 + 1.71534), abs=1e-4)
    assert difference.p_value == 1.0


def test_there_is_no_difference_before_two_calendar_weeks():
    book = live([pair(f"m{day}", "yes", 0.8, 0.6, day=day) for day in range(6)])
    assert (book.difference, book.verdict) == (None, "not enough resolved markets")


@pytest.mark.parametrize(
    ("n", "changes", "verdict"),
    [
        (29, {}, "not enough resolved markets"),
        (30, {}, "the AI is better"),
        (30, {"mean": 0.02, "low": 0.01, "high": 0.03}, "the market is better"),
        (30, {"p_value": 0.05}, "no clear difference yet"),
        (30, {"high": 0.001}, "no clear difference yet"),
        (30, {"high": 0.0}, "no clear difference yet"),
    ],
)
def test_a_verdict_needs_thirty_markets_and_two_tests(n, changes, verdict):
    clear = Difference(mean=-0.02, low=-0.03, high=-0.01, p_value=0.01, n=n, n_eff=20.0, weeks=10)
    assert verdict_on(n, replace(clear, **changes)) == verdict


def test_without_a_difference_neither_is_better():
    assert verdict_on(500, None) == "no clear difference yet"


def test_a_pool_that_is_much_better_is_found_to_be():
    book = live(many(800, edge=0.9))
    assert book.verdict == "the AI is better"
    assert book.difference.high < 0
    assert book.difference.p_value < 0.05


def test_a_market_that_is_much_better_is_found_to_be():
    swapped = [
        replace(
            row,
            commitment=replace(row.commitment, p=row.odds.p_yes),
            odds=replace(row.odds, p_yes=row.commitment.p),
        )
        for row in many(800, edge=0.9)
    ]
    assert live(swapped).verdict == "the market is better"


def test_equal_forecasters_are_rarely_distinguished():
    """100 generated comparisons of 60 markets over 20 weeks, no difference in any: at most one in eight says so."""
    dice = np.random.default_rng(1)
    weeks = np.repeat(np.arange(20), 3)
    verdicts = [verdict_on(60, compare(dice.normal(0, 0.1, 60), weeks, dice)) for _ in range(100)]
    assert sum(verdict != "no clear difference yet" for verdict in verdicts) <= 12


def test_markets_of_one_week_are_not_independent():
    """Ten weeks of fifty equal differences: the interval is at least three times as wide."""
    weekly = np.random.default_rng(2).normal(0, 0.1, 10)
    together = compare(np.repeat(weekly, 50), np.repeat(np.arange(10), 50), np.random.default_rng(0))
    apart = compare(np.repeat(weekly, 50), np.arange(500), np.random.default_rng(0))
    assert together.n_eff < 50
    assert together.high - together.low > 3 * (apart.high - apart.low)


def test_below_thirty_the_variance_is_assumed():
    """A gap of .015 with a deviation of .1205 and a design effect of 1.5: 1.5 x 506.5 = 759.8; of .05 1.5 x 45.59."""
    book = live(TWO)
    assert (book.deviation, book.deviation_assumed) == (0.1205, True)
    assert (book.design_effect, book.design_effect_assumed) == (1.5, True)
    assert book.needed_for == {"0.05": 69, "0.02": 428}
    assert book.needed == 760


def test_from_thirty_on_deviation_and_design_effect_are_measured():
    book = live(many(200))
    own = [row for row in many(200) if not row.backfilled]
    gaps = [
        (row.commitment.p - (row.settlement.outcome == "yes")) ** 2
        - (row.odds.p_yes - (row.settlement.outcome == "yes")) ** 2
        for row in own
    ]
    mean = clustered_mean(np.array(gaps), weeks_of([row.settlement.resolved_at for row in own]), DIFFERENCES)
    assert not book.deviation_assumed
    assert not book.design_effect_assumed
    assert book.deviation == pytest.approx(np.std(gaps, ddof=1), abs=1e-5)
    assert book.design_effect == pytest.approx(mean.design_effect, abs=1e-3)
    assert book.needed_for["0.02"] == math.ceil((2.801585 * mean.deviation / 0.02) ** 2 * mean.design_effect)


def test_no_number_needed_is_under_thirty():
    """Differences of deviation .01 would show a gap of .05 in less than one market."""
    tiny = power_of(clustered_mean(np.tile([0.01, -0.01], 50), np.repeat(np.arange(10), 10), DIFFERENCES))
    assert tiny.needed_for == {"0.05": 30, "0.02": 30}


def test_without_a_gap_no_number_is_needed():
    assert live([pair("a", "yes", 0.6, 0.6)]).needed is None
    assert live([]).needed is None
    equal = power_of(clustered_mean(np.zeros(50), np.repeat(np.arange(10), 5), DIFFERENCES))
    assert (equal.deviation, equal.deviation_assumed) == (0.1205, True), "equal differences show no deviation"
