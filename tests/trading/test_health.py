"""The measures of health against published numbers, independent computations and simulated luck."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from service.scores.best import luckiest_of
from service.trading import health
from service.trading.health import ReturnStatistics, examine, probability_above, return_statistics
from service.trading.triage import PROMOTED_ABOVE


def test_the_published_probabilistic_sharpe_ratio():
    """Bailey and Lopez de Prado (2012): 24 months at 0.458, skewness -2.448, kurtosis 10.164."""
    assert probability_above(ReturnStatistics(24, 0.458, 0.0, 3.0), 0) == pytest.approx(0.982, abs=5e-4)
    assert probability_above(ReturnStatistics(24, 0.458, -2.448, 10.164), 0) == pytest.approx(0.913, abs=5e-4)


def test_the_published_deflated_sharpe_ratio():
    """Bailey and Lopez de Prado (2014): 2.5 a year over 1250 days, skewness -3, kurtosis 10, 100 trials of variance
    1/2 a year: a benchmark of 0.1132 a day, probability 90.04%."""
    sample = ReturnStatistics(1250, 2.5 / sqrt(250), -3.0, 10.0)
    assert probability_above(sample, 0.1132) == pytest.approx(0.9004, abs=2e-4)


def test_moments_equal_scipys():
    returns = np.random.default_rng(1).standard_t(4, 90) * 0.01
    sample = return_statistics(returns)
    assert sample.skewness == pytest.approx(stats.skew(returns))
    assert sample.kurtosis == pytest.approx(stats.kurtosis(returns, fisher=False))
    assert sample.sharpe == pytest.approx(returns.mean() / np.std(returns, ddof=1))


def test_a_win_rate_counts_by_the_sizes_of_wins_and_losses():
    """Two of three trades won, wins half as large as losses: exactly even. By hand with a larger payoff."""
    assert health.probability_of_enough_wins(np.array([1.0, 1.0, -2.0] * 4)) == pytest.approx(0.5)
    even, share = 1 / (1 + 2), 0.5
    by_hand = stats.norm.cdf((share - even) / sqrt(even * (1 - even) / 6))
    assert health.probability_of_enough_wins(np.array([2.0, 2.0, 2.0, -1.0, -1.0, -1.0])) == pytest.approx(by_hand)
    assert health.probability_of_enough_wins(np.array([1.0, 2.0])) == 0.5
    assert health.probability_of_enough_wins(np.array([])) == 0.5


def test_a_profit_factor_includes_five_break_even_trades():
    """Gains 3 and losses 1 over four trades of size 1: (3 + 2.5) / (1 + 2.5) = 1.5714."""
    assert health.scaled_profit_factor(np.array([1.0, 1.0, 1.0, -1.0])) == pytest.approx((5.5 / 3.5 - 0.7) / 0.9)
    assert health.scaled_profit_factor(np.array([])) == pytest.approx(1 / 3)
    assert health.scaled_profit_factor(np.array([0.0, 0.0])) == pytest.approx(1 / 3)
    assert health.scaled_profit_factor(np.full(50, 1.0)) == 1
    assert health.scaled_profit_factor(np.full(50, -1.0)) == 0


def test_the_weights_span_0_to_100():
    """In parts of 18: 6, 3, 5, 2 and 2, the proportions of .30, .15, .25, .10 and .10."""
    assert sum(health.WEIGHTS.values()) == pytest.approx(1)
    assert [18 * weight for weight in health.WEIGHTS.values()] == pytest.approx([6, 3, 5, 2, 2])


def test_a_whole_score_by_hand():
    """Every measure computed again with scipy, from 60 days and 12 trades."""
    dice = np.random.default_rng(5)
    recent, trades = dice.standard_normal(60) * 0.02 + 0.002, dice.standard_normal(12) * 0.03
    result = examine(recent, trades, luckiest=1.5388)
    ratio, count = recent.mean() / recent.std(ddof=1), 60
    spread = sqrt(1 - stats.skew(recent) * ratio + (stats.kurtosis(recent, fisher=False) - 1) / 4 * ratio**2)
    curve = np.concatenate([[1], np.cumprod(1 + recent)])
    deepest = max(1 - value / curve[: place + 1].max() for place, value in enumerate(curve))
    won, lost = trades[trades > 0], -trades[trades < 0]
    even = 1 / (1 + won.mean() / lost.mean())
    pseudo = 2.5 * np.abs(trades).mean()
    parts = [
        6 / 18 * stats.norm.cdf(ratio * sqrt(count - 1) / spread),
        3 / 18 * stats.norm.cdf((ratio - 1.5388 / sqrt(count - 1)) * sqrt(count - 1) / spread),
        5 / 18 * max(0, 1 - deepest / 0.25),
        2 / 18 * stats.norm.cdf((len(won) / 12 - even) / sqrt(even * (1 - even) / 12)),
        2 / 18 * min(max(((won.sum() + pseudo) / (lost.sum() + pseudo) - 0.7) / 0.9, 0), 1),
    ]
    assert result.raw == pytest.approx(100 * sum(parts), rel=1e-9)
    assert result.trust == pytest.approx(sqrt(12 / 20))
    assert result.score == pytest.approx(50 + (100 * sum(parts) - 50) * sqrt(12 / 20), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    arrays(float, st.integers(0, 120), elements=st.floats(-0.5, 1.0)),
    arrays(float, st.integers(0, 40), elements=st.floats(-0.9, 3.0)),
    st.floats(0, 4),
)
def test_a_score_is_within_0_and_100_and_a_short_record_near_50(returns, trades, luckiest):
    result = examine(returns[-90:], trades, luckiest)
    assert 0 <= result.raw <= 100
    assert 0 <= result.score <= 100
    assert abs(result.score - 50) <= 50 * result.trust + 1e-9
    assert result.beyond_luck <= result.edge + 1e-9, "what beats luck beats nothing at all"


def test_no_record_is_neither_good_nor_bad():
    none = np.array([])
    assert examine(none, none, 0.0).score == 50


@pytest.mark.parametrize("correlation", [0.0, 0.3], ids=["independent", "worth 20"])
def test_the_winner_of_54_without_skill_is_called_lucky(correlation):
    """In at least 95% of 200 draws, where the plain ratio calls it skilled in most of them."""
    dice, plain, deflated = np.random.default_rng(6), 0, 0
    for _ in range(200):
        daily = sqrt(1 - correlation) * dice.normal(size=(54, 90)) + sqrt(correlation) * dice.normal(size=90)
        best = return_statistics(daily[np.argmax(daily.mean(axis=1) / daily.std(axis=1))])
        plain += probability_above(best, 0) > PROMOTED_ABOVE
        deflated += probability_above(best, luckiest_of(daily) / sqrt(89)) > PROMOTED_ABOVE
    assert plain / 200 > 0.5
    assert deflated / 200 <= 0.05


def test_large_skill_is_detected():
    daily = np.random.default_rng(7).standard_normal((54, 90)) * 0.02
    daily[0] += 0.02
    assert examine(daily[0], np.array([]), luckiest_of(daily)).beyond_luck > PROMOTED_ABOVE
