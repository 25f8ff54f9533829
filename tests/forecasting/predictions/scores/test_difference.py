"""The paired difference of Brier scores: its interval, its verdict and its deviation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.predictions.scores.difference import Difference, compare, verdict_on
from service.market.instants import DAY
from tests.forecasting.markets import MONDAY, many
from tests.forecasting.predictions.scores.compared import TWO, live, pair


def test_the_difference_is_a_mean_over_markets():
    """.04 - .16 = -.12 and .16 - .01 = .15: mean .015, over two weeks."""
    difference = live(TWO).difference
    assert (difference.mean, difference.n, difference.weeks) == (0.015, 2, 2)
    assert (difference.low, difference.high) == (-0.12, 0.15)
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
    clear = Difference(mean=-0.02, low=-0.03, high=-0.01, p_value=0.01, n=n, weeks=10)
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
    resolved = MONDAY + 7 * DAY * np.repeat(np.arange(20), 3)
    verdicts = [verdict_on(60, compare(dice.normal(0, 0.1, 60), resolved, dice)) for _ in range(100)]
    assert sum(verdict != "no clear difference yet" for verdict in verdicts) <= 12


def test_markets_of_one_week_are_not_independent():
    """Ten weeks of fifty equal differences hold ten numbers: the interval is at least five times as wide."""
    weekly = np.random.default_rng(2).normal(0, 0.1, 10)
    resolved = MONDAY + 7 * DAY * np.repeat(np.arange(10), 50)
    together = compare(np.repeat(weekly, 50), resolved, np.random.default_rng(0))
    apart = compare(np.repeat(weekly, 50), MONDAY + 7 * DAY * np.arange(500), np.random.default_rng(0))
    assert together.high - together.low > 5 * (apart.high - apart.low)


def test_below_thirty_the_deviation_is_assumed():
    """A gap of .015 with a deviation of .1205: (2.80159 x .1205 / .015) ** 2 = 506.5."""
    book = live(TWO)
    assert (book.deviation, book.deviation_assumed) == (0.1205, True)
    assert book.needed_for == {"0.05": 46, "0.02": 285}
    assert book.needed == 507


def test_from_thirty_on_the_deviation_is_observed():
    book = live(many(200))
    own = [row for row in many(200) if not row.backfilled]
    gaps = [
        (row.commitment.p - (row.settlement.outcome == "yes")) ** 2
        - (row.odds.p_yes - (row.settlement.outcome == "yes")) ** 2
        for row in own
    ]
    assert not book.deviation_assumed
    assert book.deviation == pytest.approx(np.std(gaps, ddof=1), abs=1e-5)
    assert book.needed_for["0.05"] == math.ceil((2.801585 * np.std(gaps, ddof=1) / 0.05) ** 2)
