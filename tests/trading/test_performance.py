"""Measures of performance, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.bars import empty
from service.market.instants import DAY, HOUR
from service.trading.accounts import AccountTerms, trade
from service.trading.performance import (
    TradeStatistics,
    daily_equity,
    daily_returns,
    day_ends,
    max_drawdown,
    profit_factor,
    sharpe,
    trade_statistics,
    win_rate_pct,
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


def test_before_the_first_bar_equity_is_the_capital():
    bars = closing([100, 100, 150], start=DAY + 5 * HOUR)
    history = trade(np.ones(3, np.int8), bars, AccountTerms(fee=0, slippage=0))
    daily = daily_equity(history, bars, day_ends(0, 3 * DAY))
    assert daily.tolist() == [10_000, 15_000, 15_000], "a day without bars keeps the mark before it"
    np.testing.assert_allclose(daily_returns(daily, 10_000), [0, 0.5, 0])
    assert daily_returns(array(), 100).tolist() == []
    nothing = empty(HOUR)
    assert daily_equity(trade(np.zeros(0, np.int8), nothing), nothing, day_ends(0, DAY)).tolist() == [10_000]


@pytest.mark.parametrize("returns", [[], [0.5], [0.0, 0.0], [0.1, 0.1, 0.1]])
def test_sharpe_needs_two_days_and_variation(returns: list[float]):
    """By hand: mean 2%, deviations -1, 0, 1%: ddof 1 gives 1%, so 2 x sqrt(365)."""
    assert sharpe(array(*returns)) is None
    assert sharpe(array(0.01, 0.02, 0.03)) == pytest.approx(2 * 365**0.5)


@pytest.mark.parametrize(
    ("equity", "deepest"), [((120, 90, 100, 60, 110), 0.5), ((80, 90), 0.2), ((110, 120), 0), ((), 0)]
)
def test_a_drawdown_falls_from_the_highest_equity_so_far(equity, deepest):
    """From 120 to 60; of a capital of 100, which counts too."""
    assert max_drawdown(array(*equity), 100) == pytest.approx(deepest)


@pytest.mark.parametrize(
    ("pnl", "rate", "factor"), [((10, -5, 0, 20), 50, 6), ((), None, None), ((3,), 100, None), ((-3,), 0, 0)]
)
def test_win_rate_and_profit_factor_by_hand(pnl, rate, factor):
    """Unknown without the trades they need."""
    assert (win_rate_pct(array(*pnl)), profit_factor(array(*pnl))) == (rate, factor)


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
    idle = trade_statistics([trade(np.zeros(0, np.int8), empty(HOUR))] * 2)
    assert idle == TradeStatistics(0, None, None, None, None, None, fees_usd=0, borrow_usd=0)
