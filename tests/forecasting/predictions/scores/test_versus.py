"""The pool against the outside market, and the scores of each forecaster: in two books, paired."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.columns import columns_of, evidence_of
from service.forecasting.predictions.scores.forecast_scores import calibrate, diversity_of
from service.forecasting.predictions.scores.versus import Difference, power_of, verdict_on
from service.scores.intervals import DIFFERENCES, LEVELS, SIDES, clustered_mean, weeks_of
from tests.forecasting.markets import days, many, pair, settled, versus

TWO = [pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, day=7)]


def live(markets):
    return versus(markets).books[0]


def test_two_markets_by_hand():
    """Pool (.04 + .16) / 2 = .1, market (.16 + .01) / 2 = .085; logs ln(1/.8), ln(1/.6) and ln(1/.6), ln(1/.9).

    Live and backfilled are two books.
    """
    book = live(TWO)
    assert (book.n, book.ai.n, book.ai.brier, book.market.brier) == (2, 2, 0.1, 0.085)
    assert book.ai.log_score == pytest.approx((math.log(1 / 0.8) + math.log(1 / 0.6)) / 2, abs=1e-5)
    assert book.market.log_score == pytest.approx((math.log(1 / 0.6) + math.log(1 / 0.9)) / 2, abs=1e-5)
    assert (book.ai.accuracy_pct, book.ai.accuracy_n) == (100.0, 2)
    document = versus([pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, backfilled=True)])
    assert [(book.backfilled, book.n, book.ai.brier) for book in document.books] == [(False, 1, 0.04), (True, 1, 0.16)]
    assert document.count == 2


def test_cumulative_means_are_of_the_end_of_each_day():
    """Two on the first day, pool .04 and .16; one on the next, .09."""
    rows = [pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, asset="eth"), pair("c", "no", 0.3, 0.1, day=1)]
    points = [(point.resolved_at, point.n, point.brier_ai) for point in live(rows).cumulative]
    assert points == [("2025-11-25T00:00:00Z", 2, 0.1), ("2025-11-26T00:00:00Z", 3, 0.09667)]


def test_an_empty_document_has_both_books_and_no_nan():
    body = json.loads(json.dumps(asdict(versus([])), allow_nan=False))
    assert body["schema"] == "ai-vs-market/1"
    for book in body["books"]:
        assert (book["n"], book["verdict"], book["difference"]) == (0, "not enough resolved markets", None)
        assert (book["ai"]["brier"], book["calibration"]) == (None, {"ai": None, "market": None})


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 60), st.integers(0, 1000))
def test_no_document_ever_holds_a_nan(n, seed):
    assert json.dumps(asdict(versus(many(n, seed))), allow_nan=False)


def test_the_difference_is_a_mean_over_markets():
    """.04 - .16 = -.12 and .16 - .01 = .15: mean .015 over two weeks, standard error .27 / 2, times t(1) = 12.7062."""
    difference = live(TWO).difference
    assert (difference.mean, difference.n, difference.weeks) == (0.015, 2, 2)
    assert (difference.low, difference.high) == pytest.approx((0.015 - 1.71534, 0.015 + 1.71534), abs=1e-4)
    assert difference.p_value == 1.0
    within_one = live([pair(f"m{day}", "yes", 0.8, 0.6, day=day) for day in range(6)])
    assert (within_one.difference, within_one.verdict) == (None, "not enough resolved markets")


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
    difference = Difference(mean=-0.02, low=-0.03, high=-0.01, p_value=0.01, n=n, n_eff=20.0, weeks=10)
    assert verdict_on(n, replace(difference, **changes)) == verdict
    assert verdict_on(500, None) == "no clear difference yet"


def test_a_pool_that_is_much_better_is_found_to_be():
    book = live(many(800, edge=0.9))
    assert book.verdict == "the AI is better"
    assert book.difference.high < 0
    assert book.difference.p_value < 0.05


def test_below_thirty_the_variance_is_assumed():
    """A gap of .015 with a deviation of .1205 and a design effect of 1.5: 1.5 x 506.5 = 759.8; of .05 1.5 x 45.59."""
    book = live(TWO)
    assert (book.deviation, book.deviation_assumed) == (0.1205, True)
    assert (book.design_effect, book.design_effect_assumed, book.needed_for) == (1.5, True, {"0.05": 69, "0.02": 428})
    assert book.needed == 760


def test_from_thirty_on_deviation_and_design_effect_are_measured():
    book = live(many(200))
    own = [row for row in many(200) if not row.backfilled]
    columns = [(row.commitment.p, row.odds.p_yes, row.outcome == "yes", row.settlement.resolved_at) for row in own]
    pool, market, outcomes, resolved_at = np.array(columns, dtype=float).T
    gaps = (pool - outcomes) ** 2 - (market - outcomes) ** 2
    mean = clustered_mean(gaps, weeks_of(resolved_at.astype(int)), DIFFERENCES)
    assert (book.deviation_assumed, book.design_effect_assumed) == (False, False)
    assert book.deviation == pytest.approx(np.std(gaps, ddof=1), abs=1e-5)
    assert book.design_effect == pytest.approx(mean.design_effect, abs=1e-3)
    assert book.needed_for["0.02"] == math.ceil((2.801585 * mean.deviation / 0.02) ** 2 * mean.design_effect)


def test_without_a_gap_no_number_is_needed():
    assert live([pair("a", "yes", 0.6, 0.6)]).needed is None
    assert live([]).needed is None
    tie = power_of(clustered_mean(np.zeros(50), np.repeat(np.arange(10), 5), DIFFERENCES))
    assert (tie.deviation, tie.deviation_assumed) == (0.1205, True), "equal differences show no deviation"
    tiny = power_of(clustered_mean(np.tile([0.01, -0.01], 50), np.repeat(np.arange(10), 10), DIFFERENCES))
    assert tiny.needed_for == {"0.05": 30, "0.02": 30}, "a deviation of .01 shows a gap of .05 in less than one market"


@pytest.mark.parametrize("fields", [{"outcome": "void"}, {"odds": None}, {"comparator": "open"}])
def test_only_resolved_pairs_are_compared(fields):
    assert versus([settled(**fields)]).count == 0


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
    trend, vol = live(rows).voters
    assert (trend.voter, trend.kind, trend.n, trend.brier, trend.skill_vol) == ("trend", "seat", 2, 0.145, 0.75)
    assert (vol.voter, vol.kind, vol.n, vol.brier, vol.skill_vol) == ("vol", "brain", 1, 0.16, 0.0)
    assert (trend.accuracy_n, trend.accuracy_pct) == (1, 100.0)
    assert live([pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8})]).voters[0].skill_vol is None


def test_skill_is_against_the_rate_of_the_template():
    """Two daily ups come out yes, then a touch: it is asked with a rate of 15/30, not of 17/32.

    .25 + (15/31)^2 + .25 is the error of the rates, 3 x .04 that of the pool: 1 - .12 / .734131 = .836541.
    """
    rows = [pair("a", "yes", 0.8, 0.6), pair("b", "yes", 0.8, 0.6, day=7)]
    book = live([*rows, pair("c", "yes", 0.8, 0.6, day=14, comparator="touch_above")])
    assert book.ai.skill == pytest.approx(0.83654, abs=1e-5)
    assert (book.base_rate.brier, book.base_rate.skill) == (pytest.approx(0.24471, abs=1e-5), 0.0)
    assert book.market.skill == pytest.approx(1 - 0.48 / 0.734131, abs=1e-5)


def test_intervals_are_clustered_by_week_of_resolution():
    """Ten weeks of three like questions: intervals and n_eff are those of the clustered mean."""
    rows = [
        pair(f"{week}-{asset}", "yes" if week % 3 else "no", 0.7, 0.6, day=7 * week, asset=asset)
        for week in range(10)
        for asset in ("btc", "eth", "sol")
    ]
    scores, weeks = live(rows).ai, np.repeat(np.arange(10), 3)
    outcomes = np.repeat([float(week % 3 > 0) for week in range(10)], 3)
    loss, right = clustered_mean((0.7 - outcomes) ** 2, weeks, LEVELS), clustered_mean(outcomes, weeks, SIDES)
    assert (scores.n, scores.n_eff) == (30, round(loss.n_eff, 1))
    assert scores.n_eff < 25
    assert (scores.brier_low, scores.brier_high) == pytest.approx(np.clip(loss.interval(), 0, 1), abs=1e-5)
    low, high = right.share_interval()
    assert (scores.accuracy_low_pct, scores.accuracy_high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)
    assert scores.always_no_pct == 40.0
    assert scores.skill_low < scores.skill < scores.skill_high


def test_bins_by_hand():
    """30 forecasts, three bins of ten: .1 came true once in ten, .5 five times, .9 nine times; fewer have no bins.

    The last bin has one forecast in each of ten weeks: the interval of their clustered mean.
    """
    p = np.repeat([0.1, 0.5, 0.9], 10)
    outcomes = np.concatenate([np.arange(10) < hits for hits in (1, 5, 9)]).astype(float)
    report = calibrate(p, outcomes, np.tile(np.arange(10), 3))
    bins = [(bucket.p_yes, bucket.observed_pct, bucket.n) for bucket in report.bins]
    assert bins == [(0.1, 10.0, 10), (0.5, 50.0, 10), (0.9, 90.0, 10)]
    low, high = clustered_mean(outcomes[20:], np.arange(10), LEVELS).share_interval()
    assert (report.bins[2].low_pct, report.bins[2].high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)
    p, outcomes, weeks = np.full(30, 0.5), np.tile([0.0, 1.0], 15), np.arange(30)
    assert calibrate(p[:29], outcomes[:29], weeks[:29]) is None
    report = calibrate(p, outcomes, weeks)
    assert (report.n, report.miscalibration, report.discrimination, report.uncertainty) == (30, 0.0, 0.0, 0.25)


@settings(max_examples=30)
@given(st.integers(30, 400), st.integers(0, 1000))
def test_bins_are_equal_ordered_and_complete(n, seed):
    dice = np.random.default_rng(seed)
    p = dice.random(n)
    report = calibrate(p, (dice.random(n) < p).astype(float), dice.integers(0, 12, n))
    sizes, chances = [bucket.n for bucket in report.bins], [bucket.p_yes for bucket in report.bins]
    assert sum(sizes) == n
    assert len(sizes) <= 10 <= min(sizes)
    assert max(sizes) <= min(sizes) + 1
    assert chances == sorted(chances)
    assert all(bucket.low_pct <= bucket.observed_pct <= bucket.high_pct for bucket in report.bins)


def of(rows):
    columns = columns_of(rows)
    return diversity_of(columns, evidence_of(columns))


def rows(n: int, **votes: float):
    return [settled(f"m{week:02}", votes=votes, opened=days(7 * week)) for week in range(n)]


def test_a_diversity_by_hand():
    """YES at .9 and .5: voters (.01 + .25) / 2 = .13, their mean .7 has .09; difference .04, the variance of .9, .5.

    It is null with fewer than thirty markets.
    """
    diversity = of(rows(30, vol=0.9, trend=0.5, swarm=0.1))
    assert (diversity.voters_brier, diversity.linear_pool_brier, diversity.diversity) == (0.13, 0.09, 0.04)
    assert (diversity.n, diversity.low, diversity.high) == (30, 0.04, 0.04)
    assert of(rows(30, vol=0.6, trend=0.6)).diversity == 0
    votes = {"vol": 0.9, "trend": 0.5}
    book = live([pair(f"m{day}", "yes", 0.7, 0.6, day=day, votes=votes) for day in range(30)])
    assert (book.diversity.diversity, live([]).diversity) == (0.04, None), "each book publishes its own"
    assert of(rows(29, vol=0.9, trend=0.5)) is None
    assert of(rows(40, vol=0.9)) is None, "one voter cannot differ"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_it_is_the_variance_of_the_votes(seed):
    """(mean of squares) - (square of mean): the outcome drops out, so it is never negative."""
    markets = many(40, seed)
    expected = np.mean([np.var([vote.p for vote in market.votes]) for market in markets])
    assert of(markets).diversity == pytest.approx(expected, abs=1e-5)
