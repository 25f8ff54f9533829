"""The pool against the outside market: paired, in two books, with no more said than is known."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.scores.betting import shadow_document
from service.forecasting.scores.calibration import calibrate
from service.forecasting.scores.difference import Difference, compare, deviation_of, verdict_on
from service.forecasting.scores.streaks import streaks_document
from service.forecasting.scores.versus import ai_vs_market_document
from service.forecasting.scoring import wilson_interval
from service.market.instants import DAY
from tests.forecasting.rows import MADE, MONDAY, NAMES, days, many, settled


def made(rows, seed=0):
    return ai_vs_market_document(rows, MADE, np.random.default_rng(seed))


def live(rows):
    """The live book."""
    return made(rows).books[0]


def pair(id: str, outcome: str, p: float, market: float, day: int = 0, **fields):
    return settled(id, outcome, p=p, odds=(market - 0.01, market, market + 0.01), opened=days(day), **fields)


TWO = [pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, day=7)]


# Scores


def test_two_markets_by_hand():
    """Pool (.04 + .16) / 2 = .1, market (.16 + .01) / 2 = .085; logs ln(1/.8), ln(1/.6) and ln(1/.6), ln(1/.9)."""
    book = live(TWO)
    assert (book.n, book.ai.n, book.ai.brier, book.market.brier) == (2, 2, 0.1, 0.085)
    assert book.ai.log_score == pytest.approx((math.log(1 / 0.8) + math.log(1 / 0.6)) / 2, abs=1e-5)
    assert book.market.log_score == pytest.approx((math.log(1 / 0.6) + math.log(1 / 0.9)) / 2, abs=1e-5)
    assert (book.ai.accuracy_pct, book.ai.accuracy_n) == (100.0, 2)
    low, high = wilson_interval(2, 2)
    assert (book.ai.accuracy_low_pct, book.ai.accuracy_high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)


def test_the_base_rate_knows_only_what_had_resolved_when_the_votes_were_cast():
    """1/2 before the first, 2/3 after its yes: Brier (.25 + .4444) / 2 = .34722; skill 1 - .1 / .34722 = .712."""
    book = live(TWO)
    assert book.base_rate.brier == pytest.approx(0.34722, abs=1e-5)
    assert (book.ai.skill, book.base_rate.skill) == (pytest.approx(0.712), 0.0)
    assert book.market.skill == pytest.approx(1 - 0.085 / 0.347222, abs=1e-5)


def test_a_forecast_of_one_half_has_no_side():
    book = live([pair("a", "yes", 0.5, 0.6), pair("b", "yes", 0.50004, 0.4)])
    assert (book.ai.accuracy_n, book.ai.accuracy_pct, book.ai.accuracy_low_pct) == (0, None, None)
    assert (book.market.accuracy_n, book.market.accuracy_pct) == (2, 50.0)


@pytest.mark.parametrize("fields", [{"outcome": "void"}, {"odds": None}, {"comparator": "open"}])
def test_only_what_both_gave_a_probability_and_what_came_out_is_compared(fields):
    assert made([settled(**fields)]).count == 0


def test_live_and_backfilled_are_two_books():
    found = made([pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, backfilled=True)])
    assert [(book.backfilled, book.n, book.ai.brier) for book in found.books] == [(False, 1, 0.04), (True, 1, 0.16)]
    assert found.count == 2


# The difference


def test_the_difference_is_the_mean_over_markets_of_the_pools_brier_less_the_markets():
    """.04 - .16 = -.12 and .16 - .01 = .15: mean .015, over two weeks."""
    found = live(TWO).difference
    assert (found.mean, found.n, found.weeks) == (0.015, 2, 2)
    assert (found.low, found.high) == (-0.12, 0.15)
    assert found.p_value == 1.0


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
def test_a_verdict_needs_thirty_markets_and_two_ways_of_asking_that_agree(n, changes, verdict):
    clear = Difference(mean=-0.02, low=-0.03, high=-0.01, p_value=0.01, n=n, weeks=10)
    assert verdict_on(n, replace(clear, **changes)) == verdict


def test_no_difference_has_no_verdict_for_one_of_them():
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


def test_equal_forecasters_are_rarely_told_apart():
    """100 made comparisons of 60 markets over 20 weeks, no difference in any: at most one in eight says so."""
    dice = np.random.default_rng(1)
    resolved = MONDAY + 7 * DAY * np.repeat(np.arange(20), 3)
    told = [verdict_on(60, compare(dice.normal(0, 0.1, 60), resolved, dice)) for _ in range(100)]
    assert sum(verdict != "no clear difference yet" for verdict in told) <= 12


def test_weeks_that_share_their_fate_are_not_counted_as_many():
    """Ten weeks of fifty equal differences hold ten numbers: the interval is at least five times as wide."""
    weekly = np.random.default_rng(2).normal(0, 0.1, 10)
    resolved = MONDAY + 7 * DAY * np.repeat(np.arange(10), 50)
    together = compare(np.repeat(weekly, 50), resolved, np.random.default_rng(0))
    apart = compare(np.repeat(weekly, 50), MONDAY + 7 * DAY * np.arange(500), np.random.default_rng(0))
    assert together.high - together.low > 5 * (apart.high - apart.low)


def test_the_same_generator_gives_the_same_document_from_rows_in_any_order():
    rows = many(80)
    assert made(rows) == made(rows[::-1])


# How many are needed


def test_below_thirty_the_needed_numbers_rest_on_a_stated_assumption():
    """A gap of .015 with a deviation of .1205: (2.80159 x .1205 / .015) ** 2 = 506.5."""
    book = live(TWO)
    assert (book.deviation, book.deviation_assumed) == (0.1205, True)
    assert book.needed_for == {"0.05": 46, "0.02": 285}
    assert book.needed == 507


def test_from_thirty_on_they_rest_on_what_was_observed():
    book = live(many(200))
    own = [row for row in many(200) if not row.market.backfilled]
    gaps = [
        (row.commitment.p - (row.settlement.outcome == "yes")) ** 2
        - (row.odds.p_yes - (row.settlement.outcome == "yes")) ** 2
        for row in own
    ]
    assert not book.deviation_assumed
    assert book.deviation == pytest.approx(np.std(gaps, ddof=1), abs=1e-5)
    assert book.needed_for["0.05"] == math.ceil((2.801585 * np.std(gaps, ddof=1) / 0.05) ** 2)


def test_no_gap_has_no_number_that_shows_it():
    assert live([pair("a", "yes", 0.6, 0.6)]).needed is None
    assert live([]).needed is None
    assert deviation_of(np.zeros(50)) == (0.1205, True), "fifty equal differences show no deviation"


# Calibration


def test_calibration_is_told_from_thirty_markets_on():
    p, happened = np.full(30, 0.5), np.tile([0.0, 1.0], 15)
    assert calibrate(p[:29], happened[:29]) is None
    found = calibrate(p, happened)
    assert (found.n, found.miscalibration, found.discrimination, found.uncertainty) == (30, 0.0, 0.0, 0.25)


def test_bins_by_hand():
    """30 forecasts, three bins of ten: .1 came true once in ten, .5 five times, .9 nine times."""
    p = np.repeat([0.1, 0.5, 0.9], 10)
    happened = np.concatenate([np.arange(10) < hits for hits in (1, 5, 9)]).astype(float)
    found = calibrate(p, happened)
    assert [(each.p, each.observed_pct, each.n) for each in found.bins] == [
        (0.1, 10.0, 10),
        (0.5, 50.0, 10),
        (0.9, 90.0, 10),
    ]
    low, high = wilson_interval(9, 10)
    assert (found.bins[2].low_pct, found.bins[2].high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)


@settings(max_examples=30)
@given(st.integers(30, 400), st.integers(0, 1000))
def test_bins_are_of_equal_size_in_rising_order_and_lose_nobody(n, seed):
    dice = np.random.default_rng(seed)
    p = dice.random(n)
    found = calibrate(p, (dice.random(n) < p).astype(float))
    sizes = [each.n for each in found.bins]
    assert sum(sizes) == n
    assert len(sizes) <= 10
    assert min(sizes) >= 10
    assert max(sizes) - min(sizes) <= 1
    assert [each.p for each in found.bins] == sorted(each.p for each in found.bins)
    assert all(each.low_pct <= each.observed_pct <= each.high_pct for each in found.bins)


# The rows


def test_the_cumulative_means_are_those_at_the_end_of_each_day():
    """Two on the first day, pool .04 and .16; one on the next, .09."""
    rows = [pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, asset="eth"), pair("c", "no", 0.3, 0.1, day=1)]
    points = live(rows).cumulative
    assert [(point.resolved_at, point.n, point.brier_ai) for point in points] == [
        ("2025-11-25T00:00:00Z", 2, 0.1),
        ("2025-11-26T00:00:00Z", 3, 0.09667),
    ]


def test_every_voter_is_scored_on_what_it_voted_on_and_against_vol():
    """trend .04 and .25; vol voted on the first alone, .16: there trend is better by .12."""
    rows = [
        pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8, "vol": 0.6, "swarm": 0.9}),
        pair("b", "no", 0.7, 0.6, votes={"trend": 0.5}),
    ]
    found = live(rows).voters
    assert [(one.voter, one.kind, one.n, one.brier, one.against_vol) for one in found] == [
        ("trend", "seat", 2, 0.145, -0.12),
        ("vol", "brain", 1, 0.16, 0.0),
    ]
    assert (found[0].accuracy_n, found[0].accuracy_pct) == (1, 100.0)


def test_a_voter_that_never_met_vol_has_nothing_against_it():
    assert live([pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8})]).voters[0].against_vol is None


def test_a_row_says_what_both_gave_and_what_it_cost_them():
    (row,) = made([pair("a", "yes", 0.8, 0.6)]).markets
    assert (row.id, row.asset, row.outcome, row.p_ai, row.p_market) == ("a", "btc", "yes", 0.8, 0.6)
    assert (row.brier_ai, row.brier_market, row.difference) == (0.04, 0.16, -0.12)
    assert (row.log_ai, row.log_market) == (0.22314, 0.51083)
    assert (row.resolved_at, row.source, row.simulated) == ("2025-11-25T00:00:00Z", "simulated", True)


def test_the_latest_two_thousand_are_told_newest_first_and_all_are_counted():
    rows = [pair(f"m{day:04}", "yes", 0.8, 0.6, day=day) for day in range(2010)]
    found = made(rows)
    assert (found.count, len(found.markets)) == (2010, 2000)
    assert (found.markets[0].id, found.markets[-1].id) == ("m2009", "m0010")
    assert found.books[0].n == 2010


def test_an_empty_document_has_both_books_and_no_nan():
    body = json.loads(json.dumps(asdict(made([])), allow_nan=False))
    assert list(body) == [
        *("schema", "timestamp", "as_of", "stale_after", "world", "sources", "books", "count", "markets")
    ]
    assert body["schema"] == "ai-vs-market/1"
    for book in body["books"]:
        assert (book["n"], book["verdict"], book["difference"]) == (0, "not enough resolved markets", None)
        assert (book["ai"]["brier"], book["calibration"]) == (None, {"ai": None, "market": None})


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 60), st.integers(0, 1000))
def test_no_document_ever_holds_a_nan(n, seed):
    json.dumps(asdict(made(many(n, seed))), allow_nan=False)


def test_fifteen_hundred_markets_are_scored_within_a_third_of_a_second():
    """All three documents, nine votes a market; processor time, the best of three."""
    rows = many(1500)
    assert {vote.voter for vote in rows[0].commitment.votes} == set(NAMES)
    took = []
    for _ in range(3):
        began = time.process_time()
        made(rows)
        shadow_document(rows, [], MADE, np.random.default_rng(0))
        streaks_document(rows, [], MADE)
        took.append(time.process_time() - began)
    assert min(took) < 0.3
