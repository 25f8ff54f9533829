"""The shadow book: the bets, their cost and their results."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.scores.bets import FEE_RATE, bet_on
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
    at_once = live([settled("a", "no"), settled("b", "yes", asset="eth")])
    assert at_once.max_drawdown_usd == 10.42, "bets of one instant are one step, whichever is looked at first"
    assert [(point.time, point.pnl_usd) for point in book.curve] == [
        ("2025-11-25T00:00:00Z", 89.58),
        ("2025-11-26T00:00:00Z", -10.42),
        ("2025-11-27T00:00:00Z", -110.42),
    ]


def test_the_intervals_of_a_book_by_hand():
    """Ten weeks, won and lost in turn: results 89.58 and -100, standard error 99.93 / sqrt 10, t(9) = 2.262157."""
    rows = [settled(f"m{week}", ("yes", "no")[week % 2], opened=days(7 * week)) for week in range(10)]
    book, half = live(rows), 2.262157 * 189.58 / 2 * (10 / 9) ** 0.5 / 10**0.5
    assert (book.n, book.n_eff) == (10, 10.0)
    assert (live(rows[:1]).roi_low_pct, live(rows[:1]).roi_high_pct) == (None, None)
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
    """Whatever the order of the markets."""
    rows = [settled(f"m{day:03}", opened=days(day)) for day in range(120)]
    assert [bet.market_id for bet in document(rows[::-1]).recent] == [f"m{day:03}" for day in range(119, 79, -1)]
    assert document(rows) == document(rows[::-1])


def test_an_empty_document_is_whole_and_has_no_nan():
    body = json.loads(json.dumps(asdict(document([])), allow_nan=False))
    assert list(body)[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    assert (body["schema"], body["stake_usd"], body["threshold_pts"]) == ("shadow/1", 100.0, 3.0)
    assert "assumed" in body["fee"]
    assert [(book["backfilled"], book["bets"], book["roi_pct"], book["curve"]) for book in body["books"]] == [
        (False, 0, None, []),
        (True, 0, None, []),
    ]


def test_a_won_bet_by_hand():
    """YES at .51: fee .07 x .51 x .49 = .017493, cost .527493, 189.576 contracts of 1 USD: +89.58, fee 3.32."""
    (bet,) = document([settled(p=0.7)]).recent
    assert (bet.side, bet.price, bet.status, bet.outcome) == ("yes", 0.51, "won", "yes")
    assert bet.contracts == pytest.approx(189.5760, abs=1e-4)
    assert (bet.fee_usd, bet.stake_usd, bet.pnl_usd) == (3.32, 100.0, 89.58)
    assert (bet.market_id, bet.p_ai, bet.p_market, bet.source, bet.simulated) == ("one", 0.7, 0.5, "simulated", True)
    assert (bet.opened_at, bet.deadline) == ("2025-11-24T00:00:00Z", "2025-11-24T23:59:59Z")


def test_a_bet_on_no_is_bought_at_one_less_the_bid():
    """NO at 1 - .39 = .61; it happened, so the stake is lost."""
    (bet,) = document([settled(p=0.3, odds=(0.39, 0.4, 0.41), source="kalshi")]).recent
    assert (bet.side, bet.price, bet.status, bet.pnl_usd) == ("no", 0.61, "lost", -100.0)
    assert not bet.simulated


@pytest.mark.parametrize(("p", "bets"), [(0.53, 0), (0.5301, 1), (0.47, 0), (0.4699, 1), (0.5, 0)])
def test_only_more_than_three_points_make_a_bet(p, bets):
    assert live([settled(p=p)]).bets == bets


@pytest.mark.parametrize(
    "fields",
    [
        {"odds": None},
        {"odds": (0.49, 0.5, None)},
        {"odds": (0.49, 0.5, 1.0)},
        {"odds": (None, 0.9, 0.91), "p": 0.5},
        {"odds": (0.0, 0.9, 0.91), "p": 0.5},
        {"comparator": "open"},
    ],
    ids=["no odds", "no ask", "ask of 1", "no bid", "bid of 0", "no event"],
)
def test_without_a_quote_there_is_no_bet(fields):
    assert live([settled(**fields)]).bets == 0
    assert bet_on(replace(waiting(), commitment=None)) is None


def test_a_void_market_returns_the_stake():
    shadow = document([settled(outcome="void")])
    assert (shadow.recent[0].status, shadow.recent[0].pnl_usd) == ("void", 0.0)
    book = shadow.books[0]
    assert (book.bets, book.void, book.n, book.staked_usd, book.pnl_usd, book.roi_pct) == (1, 1, 0, 0.0, 0.0, None)


def test_an_open_bet_is_not_marked():
    shadow = document([waiting("later", hours=48), waiting("sooner")])
    assert [(bet.market_id, bet.status, bet.outcome, bet.pnl_usd) for bet in shadow.open] == [
        ("sooner", "open", None, None),
        ("later", "open", None, None),
    ]
    assert (shadow.books[0].open, shadow.books[0].bets, shadow.books[0].n, shadow.recent) == (2, 2, 0, ())


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_stake_pays_for_contracts_and_fee(p, price):
    bet = bet_on(waiting(p=p, odds=(price, price, price)))
    if bet is not None:
        assert bet.contracts * (bet.price + FEE_RATE * bet.price * (1 - bet.price)) == pytest.approx(100.0)
