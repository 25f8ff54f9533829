"""Measures of performance, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.bars import empty
from service.market.instants import DAY, HOUR
from service.trading.accounts import AccountTerms, trade
from service.trading.performance import (
    daily_equity,
    daily_returns,
    day_ends,
    max_drawdown,
    profit_factor,
    sharpe,
    trade_statistics,
    win_rate,
)
from tests.trading.markets import closing


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def test_a_day_ends_at_midnight_utc_and_counts_once_it_is_over():
    assert day_ends(0, 2 * DAY).tolist() == [DAY, 2 * DAY]
    assert day_ends(5 * HOUR, 2 * DAY - 1).tolist() == [DAY]
    assert day_ends(DAY, DAY).tolist() == []


def test_daily_equity_is_the_last_mark_of_each_day():
    """Bought at 100 an hour after the start; 100 + the hour's number from then on."""
    bars = closing([100.0, *(100.0 + hour for hour in range(1, 72))])
    history = trade(np.ones(72, np.int8), bars, AccountTerms(fee=0, slippage=0))
    assert daily_equity(history, bars, day_ends(0, 3 * DAY)).tolist() == [12_300, 14_700, 17_100]


def test_a_day_without_bars_keeps_the_mark_before_it():
    bars = closing([100, 100, 150])
    history = trade(np.ones(3, np.int8), bars, AccountTerms(fee=0, slippage=0))
    assert daily_equity(history, bars, day_ends(0, 2 * DAY)).tolist() == [15_000, 15_000]


def test_before_the_first_bar_equity_is_the_capital():
    late = closing([100, 100, 150], start=DAY + 5 * HOUR)
    history = trade(np.ones(3, np.int8), late, AccountTerms(fee=0, slippage=0))
    assert daily_equity(history, late, day_ends(0, 2 * DAY)).tolist() == [10_000, 15_000]
    nothing = empty(HOUR)
    assert daily_equity(trade(np.zeros(0, np.int8), nothing), nothing, day_ends(0, DAY)).tolist() == [10_000]


def test_the_first_return_is_measured_from_the_capital():
    np.testing.assert_allclose(daily_returns(array(110, 99), 100), [0.1, -0.1])
    assert daily_returns(array(), 100).tolist() == []


def test_sharpe_by_hand():
    """Mean 2%, deviations -1, 0, 1%: ddof 1 gives 1%, so 2 x sqrt(365)."""
    assert sharpe(array(0.01, 0.02, 0.03)) == pytest.approx(2 * 365**0.5)


@pytest.mark.parametrize("returns", [[], [0.5], [0.0, 0.0], [0.1, 0.1, 0.1]])
def test_sharpe_needs_two_days_and_variation(returns: list[float]):
    assert sharpe(array(*returns)) is None


def test_max_drawdown_by_hand():
    """From 120 to 60."""
    assert max_drawdown(array(120, 90, 100, 60, 110), 100) == 0.5


def test_a_loss_from_the_very_start_is_a_drawdown():
    assert max_drawdown(array(80, 90), 100) == pytest.approx(0.2)
    assert max_drawdown(array(110, 120), 100) == 0
    assert max_drawdown(array(), 100) == 0


def test_win_rate_and_profit_factor_by_hand():
    pnl = array(10, -5, 0, 20)
    assert win_rate(pnl) == 0.5
    assert profit_factor(pnl) == 6


def test_they_are_unknown_without_the_trades_they_need():
    assert win_rate(array()) is None
    assert profit_factor(array()) is None
    assert profit_factor(array(3)) is None
    assert profit_factor(array(-3)) == 0


def test_trade_statistics_by_hand():
    """Bought at 100 for two hours and sold at 110; sold short at 110, bought back at 121 after one hour."""
    bars = closing([100, 100, 110, 121, 121, 121])
    history = trade(np.array([1, 1, -1, 0, 1, 1], np.int8), bars, AccountTerms(fee=0, slippage=0, borrow=0.876))
    statistics = trade_statistics([history])
    assert statistics.count == 2
    assert statistics.win_rate_pct == 50
    assert statistics.average_win_usd == pytest.approx(1_000)
    assert statistics.average_loss_usd == pytest.approx(-1_101.21)
    assert statistics.profit_factor == pytest.approx(1_000 / 1_101.21, abs=1e-4)
    assert statistics.average_hours == 1.5
    assert statistics.fees_usd == 0
    assert statistics.borrow_usd == 1.21, "100 units, 0.01% of them for an hour, at 121 USD"


def test_trade_statistics_of_nothing_are_unknown():
    idle = trade(np.zeros(0, np.int8), empty(HOUR))
    statistics = trade_statistics([idle, idle])
    assert (statistics.count, statistics.win_rate_pct, statistics.profit_factor, statistics.average_win_usd) == (
        0,
        None,
        None,
        None,
    )
    assert (statistics.average_loss_usd, statistics.average_hours) == (None, None)
    assert (statistics.fees_usd, statistics.borrow_usd) == (0, 0)
