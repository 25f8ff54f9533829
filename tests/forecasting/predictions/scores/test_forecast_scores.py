"""The scores of a forecaster and of each voter on the markets it voted on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.columns import columns_of, evidence_of
from service.forecasting.predictions.scores.forecast_scores import calibrate, diversity_of
from service.scores.dependence import LEVELS, SIDES
from service.scores.intervals import clustered_mean
from tests.forecasting.markets import days, many, pair, settled, versus


def live(markets):
    """The live book."""
    return versus(markets).books[0]


def test_a_forecast_of_one_half_has_no_side():
    book = live([pair("a", "yes", 0.5, 0.6), pair("b", "yes", 0.50004, 0.4)])
    assert (book.ai.accuracy_n, book.ai.accuracy_pct, book.ai.accuracy_low_pct) == (0, None, None)
    assert (book.market.accuracy_n, book.market.accuracy_pct) == (2, 50.0)


def test_a_voter_is_scored_on_its_own_votes_and_against_vol():
    """trend .04 and .25; vol voted on the first alone, .16: there trend has the skill 1 - .04 / .16 = .75."""
    rows = [
        pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8, "vol": 0.6, "swarm": 0.9}),
        pair("b", "no", 0.7, 0.6, votes={"trend": 0.5}),
    ]
    scores = live(rows).voters
    assert [(row.voter, row.kind, row.n, row.brier, row.skill_vol) for row in scores] == [
        ("trend", "seat", 2, 0.145, 0.75),
        ("vol", "brain", 1, 0.16, 0.0),
    ]
    assert (scores[0].accuracy_n, scores[0].accuracy_pct) == (1, 100.0)
    assert live([pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8})]).voters[0].skill_vol is None


def test_skill_is_against_the_rate_of_the_template():
    """Two daily ups come out yes, then a touch: it is asked with a rate of 15/30, not of 17/32.

    .25 + (15/31)^2 + .25 is the error of the rates, 3 x .04 that of the pool: 1 - .12 / .734131 = .836541.
    """
    rows = [pair("a", "yes", 0.8, 0.6), pair("b", "yes", 0.8, 0.6, day=7)]
    book = live([*rows, pair("c", "yes", 0.8, 0.6, day=14, comparator="touch_above")])
    assert book.ai.skill == pytest.approx(0.83654, abs=1e-5)
    assert book.base_rate.skill == 0.0


def test_intervals_are_clustered_by_week_of_resolution():
    """Ten weeks of three like questions: intervals and n_eff are those of the clustered mean."""
    rows = [
        pair(f"{week}-{asset}", "yes" if week % 3 else "no", 0.7, 0.6, day=7 * week, asset=asset)
        for week in range(10)
        for asset in ("btc", "eth", "sol")
    ]
    scores, weeks = live(rows).ai, np.repeat(np.arange(10), 3)
    happened = np.repeat([float(week % 3 > 0) for week in range(10)], 3)
    loss, right = clustered_mean((0.7 - happened) ** 2, weeks, LEVELS), clustered_mean(happened, weeks, SIDES)
    assert (scores.n, scores.n_eff) == (30, round(loss.n_eff, 1))
    assert scores.n_eff < 25
    assert (scores.brier_low, scores.brier_high) == pytest.approx(np.clip(loss.interval(), 0, 1), abs=1e-5)
    assert (scores.accuracy_low_pct, scores.accuracy_high_pct) == pytest.approx(
        [100 * bound for bound in right.share_interval()], abs=1e-4
    )
    assert scores.always_no_pct == 40.0
    assert scores.skill_low < scores.skill < scores.skill_high


WEEKS = np.arange(400)


def test_calibration_starts_at_thirty_markets():
    p, happened = np.full(30, 0.5), np.tile([0.0, 1.0], 15)
    assert calibrate(p[:29], happened[:29], WEEKS[:29]) is None
    report = calibrate(p, happened, WEEKS[:30])
    assert (report.n, report.miscalibration, report.discrimination, report.uncertainty) == (30, 0.0, 0.0, 0.25)


def test_bins_by_hand():
    """30 forecasts, three bins of ten: .1 came true once in ten, .5 five times, .9 nine times.

    The last bin has one forecast in each of ten weeks: the interval of their clustered mean.
    """
    p = np.repeat([0.1, 0.5, 0.9], 10)
    happened = np.concatenate([np.arange(10) < hits for hits in (1, 5, 9)]).astype(float)
    report = calibrate(p, happened, np.tile(np.arange(10), 3))
    assert [(each.p, each.observed_pct, each.n) for each in report.bins] == [
        (0.1, 10.0, 10),
        (0.5, 50.0, 10),
        (0.9, 90.0, 10),
    ]
    low, high = clustered_mean(happened[20:], np.arange(10), LEVELS).share_interval()
    assert (report.bins[2].low_pct, report.bins[2].high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)


@settings(max_examples=30)
@given(st.integers(30, 400), st.integers(0, 1000))
def test_bins_are_equal_ordered_and_complete(n, seed):
    dice = np.random.default_rng(seed)
    p = dice.random(n)
    report = calibrate(p, (dice.random(n) < p).astype(float), dice.integers(0, 12, n))
    sizes = [each.n for each in report.bins]
    assert sum(sizes) == n
    assert len(sizes) <= 10
    assert min(sizes) >= 10
    assert max(sizes) - min(sizes) <= 1
    assert [each.p for each in report.bins] == sorted(each.p for each in report.bins)
    assert all(each.low_pct <= each.observed_pct <= each.high_pct for each in report.bins)


def of(rows):
    columns = columns_of(rows)
    return diversity_of(columns, evidence_of(columns))


def rows(n: int, **votes: float):
    return [settled(f"m{week:02}", votes=votes, opened=days(7 * week)) for week in range(n)]


def test_a_diversity_by_hand():
    """YES at .9 and .5: voters (.01 + .25) / 2 = .13, their mean .7 has .09; difference .04, the variance of .9, .5."""
    diversity = of(rows(30, vol=0.9, trend=0.5, swarm=0.1))
    assert (diversity.voters_brier, diversity.linear_pool_brier, diversity.diversity) == (0.13, 0.09, 0.04)
    assert (diversity.n, diversity.low, diversity.high) == (30, 0.04, 0.04)
    assert of(rows(30, vol=0.6, trend=0.6)).diversity == 0
    votes = {"vol": 0.9, "trend": 0.5}
    book = live([pair(f"m{day}", "yes", 0.7, 0.6, day=day, votes=votes) for day in range(30)])
    assert (book.diversity.diversity, live([]).diversity) == (0.04, None), "each book publishes its own"


def test_it_is_null_with_fewer_than_thirty_markets():
    assert of(rows(29, vol=0.9, trend=0.5)) is None
    assert of(rows(40, vol=0.9)) is None, "one voter cannot differ"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_it_is_the_variance_of_the_votes(seed):
    """(mean of squares) - (square of mean): the outcome drops out, so it is never negative."""
    own = many(40, seed)
    expected = np.mean([np.var([vote.p for vote in market.votes]) for market in own])
    assert of(own).diversity == pytest.approx(expected, abs=1e-5)
