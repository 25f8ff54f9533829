"""The pool against the outside market: paired, in two books, with no verdict on too little data."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.counted import counted_questions
from service.forecasting.predictions.scores.streaks import streaks_document
from service.scores.luck import simulated_records
from tests.cpu import least_cpu_s
from tests.forecasting.markets import HEADER, NAMES, many
from tests.forecasting.predictions.scores.compared import TWO, document, live, pair


def test_two_markets_by_hand():
    """Pool (.04 + .16) / 2 = .1, market (.16 + .01) / 2 = .085; logs ln(1/.8), ln(1/.6) and ln(1/.6), ln(1/.9)."""
    book = live(TWO)
    assert (book.n, book.ai.n, book.ai.brier, book.market.brier) == (2, 2, 0.1, 0.085)
    assert book.ai.log_score == pytest.approx((math.log(1 / 0.8) + math.log(1 / 0.6)) / 2, abs=1e-5)
    assert book.market.log_score == pytest.approx((math.log(1 / 0.6) + math.log(1 / 0.9)) / 2, abs=1e-5)
    assert (book.ai.accuracy_pct, book.ai.accuracy_n) == (100.0, 2)


def test_the_base_rate_knows_only_resolved_markets():
    """15/30 before the first, 16/31 after its yes: Brier (.25 + .266389) / 2 = .258195; skill 1 - .1 / .258195."""
    book = live(TWO)
    assert book.base_rate.brier == pytest.approx(0.25819, abs=1e-5)
    assert (book.ai.skill, book.base_rate.skill) == (pytest.approx(0.61270, abs=1e-5), 0.0)
    assert book.market.skill == pytest.approx(1 - 0.085 / 0.258195, abs=1e-5)


def test_live_and_backfilled_are_two_books():
    versus = document([pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, backfilled=True)])
    assert [(book.backfilled, book.n, book.ai.brier) for book in versus.books] == [(False, 1, 0.04), (True, 1, 0.16)]
    assert versus.count == 2


def test_the_order_of_the_markets_does_not_matter():
    rows = many(80)
    assert document(rows) == document(rows[::-1])


def test_cumulative_means_are_of_the_end_of_each_day():
    """Two on the first day, pool .04 and .16; one on the next, .09."""
    rows = [pair("a", "yes", 0.8, 0.6), pair("b", "no", 0.4, 0.1, asset="eth"), pair("c", "no", 0.3, 0.1, day=1)]
    points = live(rows).cumulative
    assert [(point.resolved_at, point.n, point.brier_ai) for point in points] == [
        ("2025-11-25T00:00:00Z", 2, 0.1),
        ("2025-11-26T00:00:00Z", 3, 0.09667),
    ]


def test_an_empty_document_has_both_books_and_no_nan():
    body = json.loads(json.dumps(asdict(document([])), allow_nan=False))
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
    assert json.dumps(asdict(document(many(n, seed))), allow_nan=False)


@pytest.mark.slow
def test_1500_markets_are_scored_within_a_third_of_a_second():
    """All three documents, nine votes a market."""
    rows = many(1500)
    assert {vote.voter for vote in rows[0].votes} == set(NAMES)

    def score() -> None:
        document(rows)
        shadow_document(columns_of(rows), HEADER)
        streaks_document(counted_questions(columns_of(rows)), HEADER, simulated_records(0))

    assert least_cpu_s(score, runs=3) < 0.3
