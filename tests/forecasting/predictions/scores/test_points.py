"""Summaries stay small and add up to the rows of the markets, however long the record is."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.predictions.documents import list_all
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import MOST_POINTS, columns_of, thinned
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.store.snapshots import to_json
from tests.forecasting.markets import HEADER, many, waiting

MOST_BYTES = 60_000
LONG = "Will Bitcoin reach 123,456 USD before 98,765 USD by 30 September 2027, and a few more words?"
THREE_YEARS = many(3_000, weeks=160)


def versus(markets):
    return ai_vs_market_document(columns_of(markets), HEADER, np.random.default_rng(1))


def test_a_short_curve_stays_as_it_is():
    assert thinned(np.arange(MOST_POINTS)).tolist() == list(range(MOST_POINTS))


@pytest.mark.parametrize("length", [101, 102, 1_000, 12_345])
def test_a_long_curve_keeps_its_ends_and_a_hundred_points(length: int):
    points = thinned(np.arange(length))
    assert (len(points), points[0], points[-1]) == (MOST_POINTS, 0, length - 1)
    assert np.all(np.diff(points) > 0)


def test_both_summaries_stay_under_60_kb():
    """796 KB and growing before; here after three years, with 130 open bets."""
    markets = THREE_YEARS + [waiting(f"{LONG} {number}", p=0.6) for number in range(130)]
    assert len(to_json(shadow_document(columns_of(markets), HEADER))) < MOST_BYTES
    assert len(to_json(versus(markets))) < MOST_BYTES


@pytest.mark.parametrize("backfilled", [False, True])
def test_summaries_add_up_to_the_rows_of_the_markets(backfilled: bool):
    """Profit to the cent; Brier and log scores to the digits that are published."""
    rows = list_all(THREE_YEARS, tallies={}, prices={}, opinions={}, now=0)
    rows = [row for row in rows if row.backfilled == backfilled]
    book, shadow = (
        versus(THREE_YEARS).books[backfilled],
        shadow_document(columns_of(THREE_YEARS), HEADER).books[backfilled],
    )
    assert shadow.pnl_usd == round(sum(row.bet.pnl_usd for row in rows if row.bet), 2)
    assert (shadow.n, shadow.won) == (
        sum(bool(row.bet) for row in rows),
        sum(row.bet is not None and row.bet.status == "won" for row in rows),
    )
    assert (book.n, book.simulated) == (len(rows), len(rows))
    for name, side in (("ai", book.ai), ("market", book.market)):
        assert np.mean([getattr(row.score, f"brier_{name}") for row in rows]) == pytest.approx(side.brier, abs=2e-5)
        assert np.mean([getattr(row.score, f"log_{name}") for row in rows]) == pytest.approx(side.log_score, abs=2e-5)
