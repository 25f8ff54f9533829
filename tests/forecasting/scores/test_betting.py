"""The shadow book: which bets are made, what they cost and what becomes of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.scores.bets import FEE_RATE, bet_on
from service.forecasting.scores.betting import shadow_document
from tests.forecasting.rows import MADE, days, many, settled, waiting


def made(rows, opened=(), seed=0):
    return shadow_document(rows, opened, MADE, np.random.default_rng(seed))


def live(rows, opened=()):
    """The live book."""
    return made(rows, opened).books[0]


def test_a_won_bet_by_hand():
    """YES at .51: fee .07 x .51 x .49 = .017493, cost .527493, 189.576 contracts of 1 USD: +89.58, fee 3.32."""
    (bet,) = made([settled(p=0.7)]).recent
    assert (bet.side, bet.price, bet.status, bet.outcome) == ("yes", 0.51, "won", "yes")
    assert bet.contracts == pytest.approx(189.5760, abs=1e-4)
    assert (bet.fee_usd, bet.stake_usd, bet.pnl_usd) == (3.32, 100.0, 89.58)
    assert (bet.market_id, bet.p_ai, bet.p_market, bet.source, bet.simulated) == ("one", 0.7, 0.5, "simulated", True)
    assert (bet.opened_at, bet.deadline) == ("2025-11-24T00:00:00Z", "2025-11-24T23:59:59Z")


def test_a_bet_on_no_is_bought_at_one_less_the_bid():
    """NO at 1 - .39 = .61; it happened, so the stake is lost."""
    (bet,) = made([settled(p=0.3, odds=(0.39, 0.4, 0.41), source="kalshi")]).recent
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
def test_there_is_no_bet_where_nothing_could_be_bought(fields):
    assert live([settled(**fields)]).bets == 0


def test_a_market_that_nobody_voted_on_has_no_bet():
    row = waiting()
    assert bet_on(type(row)(row.market, None, row.odds), None) is None


def test_a_void_market_returns_the_stake():
    found = made([settled(outcome="void")])
    assert (found.recent[0].status, found.recent[0].pnl_usd) == ("void", 0.0)
    book = found.books[0]
    assert (book.bets, book.void, book.n, book.staked_usd, book.pnl_usd, book.roi_pct) == (1, 1, 0, 0.0, 0.0, None)


def test_an_open_bet_is_not_marked():
    found = made([], [waiting("later", hours=48), waiting("sooner")])
    assert [(bet.market_id, bet.status, bet.outcome, bet.pnl_usd) for bet in found.open] == [
        ("sooner", "open", None, None),
        ("later", "open", None, None),
    ]
    assert (found.books[0].open, found.books[0].bets, found.books[0].n, found.recent) == (2, 2, 0, ())


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_stake_is_the_most_that_can_be_lost_and_pays_for_contracts_and_fee(p, price):
    bet = bet_on(waiting(p=p, odds=(price, price, price)), None)
    if bet is not None:
        assert bet.contracts * (bet.price + FEE_RATE * bet.price * (1 - bet.price)) == pytest.approx(100.0)


def test_a_book_by_hand():
    """Won, lost, lost on three days: 89.58, -100, -100; the deepest fall is 200 from the peak of 89.58."""
    rows = [settled(f"m{day}", outcome, opened=days(day)) for day, outcome in enumerate(("yes", "no", "no"))]
    book = live(rows)
    assert (book.won, book.lost, book.n, book.staked_usd, book.pnl_usd) == (1, 2, 3, 300.0, -110.42)
    assert book.roi_pct == pytest.approx(-110.424 / 3, abs=1e-3)
    assert book.win_rate_pct == pytest.approx(100 / 3, abs=1e-4)
    assert book.breakeven_pct == pytest.approx(52.7493)
    assert book.max_drawdown_usd == 200.0
    assert [(point.time, point.pnl_usd) for point in book.curve] == [
        ("2025-11-25T00:00:00Z", 89.58),
        ("2025-11-26T00:00:00Z", -10.42),
        ("2025-11-27T00:00:00Z", -110.42),
    ]


def test_what_resolves_at_one_instant_is_one_step():
    """A loss and a win at the same instant leave a fall of 10.42, whichever is looked at first."""
    assert live([settled("a", "no"), settled("b", "yes", asset="eth")]).max_drawdown_usd == 10.42


def test_one_week_has_no_interval_and_two_have_one():
    rows = [settled("a"), settled("b", "no")]
    assert (live(rows).roi_low_pct, live(rows).roi_high_pct) == (None, None)
    later = [*rows, settled("c", opened=days(7))]
    assert live(later).roi_low_pct <= live(later).roi_pct <= live(later).roi_high_pct


def test_the_curve_and_the_drawdown_are_those_of_a_loop_over_the_bets():
    rows = many(400, seed=2)
    found = made(rows)
    for book in found.books:
        own = [row for row in rows if row.market.backfilled == book.backfilled]
        own.sort(key=lambda row: row.settlement.resolved_at)
        instants: dict[int, float] = {}
        for row in own:
            if bet := bet_on(row, row.settlement):
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
    found = made([settled("a"), settled("b", "no", backfilled=True)], [waiting("c", backfilled=True)])
    assert [(book.backfilled, book.bets, book.won, book.lost, book.open) for book in found.books] == [
        (False, 1, 1, 0, 0),
        (True, 2, 0, 1, 1),
    ]


def test_the_latest_hundred_are_told_newest_first():
    rows = [settled(f"m{day:03}", opened=days(day)) for day in range(120)]
    assert [bet.market_id for bet in made(rows[::-1]).recent] == [f"m{day:03}" for day in range(119, 19, -1)]


def test_an_empty_document_has_both_books_its_terms_and_no_nan():
    body = json.loads(json.dumps(asdict(made([])), allow_nan=False))
    assert list(body)[:6] == ["schema", "timestamp", "as_of", "stale_after", "world", "sources"]
    assert (body["schema"], body["stake_usd"], body["threshold_pts"]) == ("shadow/1", 100.0, 3.0)
    assert "assumed" in body["fee"]
    assert [(book["backfilled"], book["bets"], book["roi_pct"], book["curve"]) for book in body["books"]] == [
        (False, 0, None, []),
        (True, 0, None, []),
    ]


def test_the_same_rows_in_any_order_give_the_same_document():
    rows = many(80)
    assert made(rows) == made(rows[::-1])
