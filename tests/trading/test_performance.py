"""Measures of performance and of health, by hand, against published numbers and against simulated luck."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from service.market.bars import empty
from service.market.instants import DAY, HOUR
from service.trading import health, performance
from service.trading.accounts import AccountTerms, trade
from service.trading.health import (
    ReturnStatistics,
    examine,
    probability_above,
    share_of_deeper_paths,
    simulated_drawdowns,
)
from service.trading.performance import daily_equity, daily_returns, day_ends, max_drawdown, sharpe, trade_statistics
from tests.trading.markets import closing

DAILY_RETURNS = arrays(float, st.integers(0, 90), elements=st.floats(-0.5, 1.0))


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
    assert (performance.win_rate_pct(array(*pnl)), performance.profit_factor(array(*pnl))) == (rate, factor)


def test_trade_statistics_by_hand():
    """Bought at 100 for two hours and sold at 110; sold short at 110, bought back at 121 after one hour.

    The short of 100 units pays 0.01% of them for an hour, at 121 USD.
    """
    bars = closing([100, 100, 110, 121, 121, 121])
    history = trade(np.array([1, 1, -1, 0, 1, 1], np.int8), bars, AccountTerms(fee=0, slippage=0, borrow=0.876))
    statistics = trade_statistics([history])
    results = (statistics.average_win_usd, statistics.average_loss_usd, statistics.profit_factor)
    assert results == pytest.approx((1_000, -1_101.21, 1_000 / 1_101.21), abs=1e-4)
    assert (statistics.count, statistics.win_rate_pct, statistics.average_hours) == (2, 50, 1.5)
    assert (statistics.fees_usd, statistics.borrow_usd) == (0, 1.21)
    idle = trade_statistics([trade(np.zeros(0, np.int8), empty(HOUR))] * 2)
    assert idle == performance.TradeStatistics(0, None, None, None, None, None, fees_usd=0, borrow_usd=0)


def test_the_published_probabilistic_sharpe_ratios():
    """Bailey and Lopez de Prado (2012): 24 months at 0.458, skewness -2.448, kurtosis 10.164.

    And deflated (2014): 2.5 a year over 1250 days, skewness -3, kurtosis 10, 100 trials of variance 1/2 a year, which
    is a benchmark of 0.1132 a day: 90.04%.
    """
    assert probability_above(ReturnStatistics(24, 0.458, 0.0, 3.0), 0) == pytest.approx(0.982, abs=5e-4)
    assert probability_above(ReturnStatistics(24, 0.458, -2.448, 10.164), 0) == pytest.approx(0.913, abs=5e-4)
    sample = ReturnStatistics(1250, 2.5 / sqrt(250), -3.0, 10.0)
    assert probability_above(sample, 0.1132) == pytest.approx(0.9004, abs=2e-4)


@pytest.mark.parametrize(
    ("days", "ratio", "class_ratio", "annual"),
    [(0, 0.0, 1.0, 1.0), (90, 2.0, 0.0, 2 * 90 / 455), (90, 2.0, 1.0, 1 + 90 / 455), (365, 3.0, 1.0, 2.0)],
)
def test_a_sharpe_ratio_is_drawn_to_its_class(days, ratio, class_ratio, annual):
    """By the weight of a normal prior of standard deviation 1 a year: after a year one half."""
    year = sqrt(365)
    shrunken, certainty = health.shrunken_sharpe(ReturnStatistics(days, ratio / year, 0.0, 3.0), class_ratio / year)
    assert shrunken == pytest.approx(annual)
    assert 1 / certainty**2 == pytest.approx(1 / (1 + days / 365)), "the posterior variance"


def test_simulated_drawdowns_are_those_of_brownian_motion():
    """The expected maximum drawdown without drift is sqrt(pi / 2) x sigma sqrt(T) (Magdon-Ismail et al. 2004).

    Daily steps see about 0.58 of a step less of each extreme.
    """
    drawdowns = simulated_drawdowns(900)
    assert drawdowns.mean() == pytest.approx(sqrt(np.pi / 2 * 900), rel=0.05)
    assert (np.diff(drawdowns) >= 0).all()
    assert simulated_drawdowns(900) is drawdowns, "simulated once"


def test_a_climb_has_no_deeper_drawdown_and_a_fall_the_deepest():
    """A steady climb has 1, a steady fall 0; what does not move is as deep as any."""
    wobble = np.tile([0.001, 0.002], 45)
    assert share_of_deeper_paths(0.0, wobble) == 1
    assert share_of_deeper_paths(max_drawdown(np.cumprod(1 - wobble), 1.0), -wobble) == 0
    assert share_of_deeper_paths(0.0, np.zeros(90)) == share_of_deeper_paths(0.0, np.array([])) == 0.5


def test_a_whole_score_by_hand():
    """Every measure computed again with scipy, from 60 days; equal weights."""
    recent = np.random.default_rng(5).standard_normal(60) * 0.02 + 0.002
    result = examine(recent, trades_a_month=6.0, class_sharpe=0.01, luckiest=1.5388)
    ratio, weight = recent.mean() / recent.std(ddof=1), 60 / 425
    spread = sqrt(1 - stats.skew(recent) * ratio + (stats.kurtosis(recent, fisher=False) - 1) / 4 * ratio**2)
    curve = np.concatenate([[1], np.cumprod(1 + recent)])
    deepest = max(1 - value / curve[: place + 1].max() for place, value in enumerate(curve))
    annual = (0.01 + weight * (ratio - 0.01)) * sqrt(365)
    walks = simulated_drawdowns(60)
    parts = {
        "turnover": 0.9986**72,
        "sharpe": stats.norm.cdf(annual, scale=sqrt(1 - weight)),
        "drawdown": (walks > -np.log(1 - deepest) / recent.std(ddof=1)).mean(),
    }
    assert result.measures == pytest.approx(parts, rel=1e-9)
    assert result.score == pytest.approx(100 * sum(parts.values()) / 3, rel=1e-9)
    assert (result.shrunken_sharpe, result.deepest) == pytest.approx((annual, deepest))
    assert result.beyond_luck == pytest.approx(stats.norm.cdf((ratio * sqrt(59) - 1.5388) / spread), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(DAILY_RETURNS, st.floats(0, 5_000), st.floats(-2, 2), st.floats(0, 4))
def test_every_measure_is_within_0_and_1(returns, trades_a_month, class_sharpe, luckiest):
    result = examine(returns, trades_a_month, class_sharpe, luckiest)
    assert all(0 <= value <= 1 for value in result.measures.values())
    assert 0 <= result.score <= 100
    assert health.left_of_costs(0) == 1
    assert examine(np.array([]), 0.0, 0.0, 0.0).score == 50, "no record is neither good nor bad"
