"""The shadow book: the bets, their cost and their results."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import accumulate

import numpy as np
import pytest

from service.forecasting.predictions.scores.bets import bet_on
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of
from service.scores.dependence import LEVELS
from service.scores.intervals import clustered_mean
from tests.forecasting.markets import HEADER, days, many, settled, waiting


def document(markets):
    return shadow_document(columns_of(markets), HEADER)


def live(markets):
    """The live book."""
    return document(markets).books[0]


def test_a_book_by_hand():
    """Won, lost, lost on three days: 89.58, -100, -100; the deepest fall is 200 from the peak of 89.58."""
    rows = [settled(f"m{day}", outcome, opened=days(day)) for day, outcome in enumerate(("yes", "no", "no"))]
    book = live(rows)
    assert (book.won, book.lost, book.n, book.staked_usd, book.pnl_usd) == (1, 2, 3, 300.0, -110.42)
    assert book.roi_pct == pytest.approx(-110.42 / 3, abs=1e-4)
    assert book.win_rate_pct == pytest.approx(100 / 3, abs=1e-4)
    assert book.breakeven_pct == pytest.approx(52.7493)
    assert book.max_drawdown_usd == 200.0
    assert [(point.time, point.pnl_usd) for point in book.curve] == [
        ("2025-11-25T00:00:00Z", 89.58),
        ("2025-11-26T00:00:00Z", -10.42),
        ("2025-11-27T00:00:00Z", -110.42),
    ]


def test_bets_of_one_instant_are_one_step():
    """A loss and a win at the same instant leave a fall of 10.42, whichever is looked at first."""
    assert live([settled("a", "no"), settled("b", "yes", asset="eth")]).max_drawdown_usd == 10.42


def test_one_bet_has_no_interval_and_two_have_one():
    assert (live([settled("a")]).roi_low_pct, live([settled("a")]).roi_high_pct) == (None, None)
    book = live([settled("a"), settled("b", "no")])
    assert book.roi_low_pct <= book.roi_pct <= book.roi_high_pct
    assert book.win_rate_low_pct <= book.win_rate_pct <= book.win_rate_high_pct


def test_the_intervals_of_a_book_by_hand():
    """Ten weeks, won and lost in turn: results 89.58 and -100, standard error 99.93 / sqrt 10, t(9) = 2.262157."""
    rows = [settled(f"m{week}", ("yes", "no")[week % 2], opened=days(7 * week)) for week in range(10)]
    book, half = live(rows), 2.262157 * 189.58 / 2 * (10 / 9) ** 0.5 / 10**0.5
    assert (book.n, book.n_eff) == (10, 10.0)
    assert (book.roi_low_pct, book.roi_high_pct) == pytest.approx((book.roi_pct - half, book.roi_pct + half), abs=1e-3)
    wins = clustered_mean(np.tile([1.0, 0.0], 5), np.arange(10), LEVELS)
    assert (book.win_rate_low_pct, book.win_rate_high_pct) == pytest.approx(
        [100 * bound for bound in wins.share_interval()], abs=1e-4
    )


def test_curve_and_drawdown_match_a_loop_over_the_bets():
    rows = many(400, seed=2)
    shadow = document(rows)
    for book in shadow.books:
        own = [row for row in rows if row.backfilled == book.backfilled]
        own.sort(key=lambda row: row.settlement.resolved_at)
        instants: dict[int, float] = {}
        for row in own:
            if bet := bet_on(row):
                at = row.settlement.resolved_at
                instants[at] = instants.get(at, 0.0) + bet.pnl
        running = list(accumulate(instants.values(), initial=0.0))
        deepest = max(max(running[: place + 1]) - value for place, value in enumerate(running))
        assert book.max_drawdown_usd == pytest.approx(deepest, abs=0.01)
        assert book.curve[-1].pnl_usd == pytest.approx(running[-1], abs=0.01) == book.pnl_usd
        stamps = [point.time for point in book.curve]
        assert stamps == sorted(stamps)
        assert len({stamp[:10] for stamp in stamps}) == len(stamps), "one for each day"


def test_live_and_backfilled_are_two_books():
    shadow = document([settled("a"), settled("b", "no", backfilled=True), waiting("c", backfilled=True)])
    assert [(book.backfilled, book.bets, book.won, book.lost, book.open) for book in shadow.books] == [
        (False, 1, 1, 0, 0),
        (True, 2, 0, 1, 1),
    ]


def test_the_latest_forty_come_newest_first():
    rows = [settled(f"m{day:03}", opened=days(day)) for day in range(120)]
    assert [bet.market_id for bet in document(rows[::-1]).recent] == [f"m{day:03}" for day in range(119, 79, -1)]


def test_an_empty_document_is_whole_and_has_no_nan():
    body = json.loads(json.dumps(asdict(document([])), allow_nan=False))
    assert list(body)[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    assert (body["schema"], body["stake_usd"], body["threshold_pts"]) == ("shadow/1", 100.0, 3.0)
    assert "assumed" in body["fee"]
    assert [(book["backfilled"], book["bets"], book["roi_pct"], book["curve"]) for book in body["books"]] == [
        (False, 0, None, []),
        (True, 0, None, []),
    ]


def test_the_order_of_the_markets_does_not_matter():
    rows = many(80)
    assert document(rows) == document(rows[::-1])
