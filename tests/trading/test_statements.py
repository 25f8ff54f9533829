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
    held = position_of(history, "btc", 135, equity(history, bars)[-1])
    assert held.side == "short"
    assert held.opened_at == "1970-01-01T03:00:00Z"
    assert held.entry_price == pytest.approx(120 * 0.9998)
    won = sum(closed.pnl_usd for closed in trades_of(history, "btc"))
    assert 10_000 + won + held.pnl_usd == pytest.approx(equity(history, bars)[-1], abs=0.02)


def test_trades_have_both_sides_and_are_net_of_fees():
    bars = bars_of(opens=[100, 100, 110], closes=[100, 105, 110])
    closed = trades_of(settle([1, 0, 0], bars, AccountTerms()), "eth")[0]
    assert (closed.asset, closed.side) == ("eth", "long")
    assert (closed.opened_at, closed.closed_at) == ("1970-01-01T01:00:00Z", "1970-01-01T02:00:00Z")
    assert closed.pnl_usd == pytest.approx(
        closed.quantity * (closed.exit_price - closed.entry_price) - closed.fee_usd, abs=0.01
    )
    assert closed.pnl_pct == pytest.approx(closed.pnl_usd / 100, abs=1e-4)


def test_a_short_states_the_interest_it_paid():
    bars = bars_of(opens=[100, 100, 90], closes=[100, 95, 90])
    closed = trades_of(settle([-1, 0, 0], bars, AccountTerms(borrow=0.876)), "eth")[0]
    assert closed.borrow_usd == pytest.approx(closed.quantity * 1e-4 * closed.exit_price, abs=0.01) != 0
    moved = closed.quantity * (closed.entry_price - closed.exit_price)
    assert closed.pnl_usd == pytest.approx(moved - closed.fee_usd - closed.borrow_usd, abs=0.02)


def test_only_trades_closed_since_an_instant_are_listed():
    bars = bars_of(opens=[100] * 6, closes=[100] * 6)
    history = settle([1, 0, 1, 0, 0, 0], bars)
    assert [closed.closed_at[11:13] for closed in trades_of(history, "btc")] == ["02", "04"]
    assert [closed.closed_at[11:13] for closed in trades_of(history, "btc", since=3 * HOUR)] == ["04"]
