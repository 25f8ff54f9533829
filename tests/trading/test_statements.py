"""The published positions and trades of an account."""

from __future__ import annotations

import pytest

from service.market.instants import HOUR
from service.trading.accounts import AccountTerms
from service.trading.statements import position_of, trades_of
from tests.trading.markets import bars_of
from tests.trading.test_accounts import equity, settle


def test_a_position_is_marked_net_of_fee_and_interest():
    bars = bars_of(opens=[100, 100, 110, 120, 130], closes=[100, 105, 115, 125, 135])
    history = settle([1, 0, -1, -1, -1], bars, AccountTerms())
    position = position_of(history, "btc", 135, equity(history, bars)[-1])
    assert position.side == "short"
    assert position.opened_at == "1970-01-01T03:00:00Z"
    assert position.entry_price == pytest.approx(120 * 0.9998)
    gains = sum(trade.pnl_usd for trade in trades_of(history, "btc"))
    assert 10_000 + gains + position.pnl_usd == pytest.approx(equity(history, bars)[-1], abs=0.02)


def test_trades_have_both_sides_and_are_net_of_fees():
    bars = bars_of(opens=[100, 100, 110], closes=[100, 105, 110])
    trade = trades_of(settle([1, 0, 0], bars, AccountTerms()), "eth")[0]
    assert (trade.asset, trade.side) == ("eth", "long")
    assert (trade.opened_at, trade.closed_at) == ("1970-01-01T01:00:00Z", "1970-01-01T02:00:00Z")
    assert trade.pnl_usd == pytest.approx(
        trade.quantity * (trade.exit_price - trade.entry_price) - trade.fee_usd, abs=0.01
    )
    assert trade.pnl_pct == pytest.approx(trade.pnl_usd / 100, abs=1e-4)


def test_a_short_states_the_interest_it_paid():
    bars = bars_of(opens=[100, 100, 90], closes=[100, 95, 90])
    trade = trades_of(settle([-1, 0, 0], bars, AccountTerms(borrow=0.876)), "eth")[0]
    assert trade.borrow_usd == pytest.approx(trade.quantity * 1e-4 * trade.exit_price, abs=0.01) != 0
    gross = trade.quantity * (trade.entry_price - trade.exit_price)
    assert trade.pnl_usd == pytest.approx(gross - trade.fee_usd - trade.borrow_usd, abs=0.02)


def test_only_trades_closed_since_an_instant_are_listed():
    bars = bars_of(opens=[100] * 6, closes=[100] * 6)
    history = settle([1, 0, 1, 0, 0, 0], bars)
    assert [trade.closed_at[11:13] for trade in trades_of(history, "btc")] == ["02", "04"]
    assert [trade.closed_at[11:13] for trade in trades_of(history, "btc", since=3 * HOUR)] == ["04"]
