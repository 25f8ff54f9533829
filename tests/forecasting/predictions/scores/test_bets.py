"""A bet on one market: when it is placed, at which price, and what it pays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions.scores.bets import FEE_RATE, bet_on
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import columns_of
from tests.forecasting.markets import HEADER, settled, waiting


def document(markets):
    return shadow_document(columns_of(markets), HEADER)


def live(markets):
    """The live book."""
    return document(markets).books[0]


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


def test_a_market_without_votes_has_no_bet():
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
