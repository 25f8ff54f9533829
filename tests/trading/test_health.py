"""The measures of health against published numbers, independent computations and simulated luck."""

from __future__ import annotations

from math import e, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from service.trading import health
from service.trading.health import ReturnStatistics, examine, luckiest, probability_above, return_statistics


def test_the_published_probabilistic_sharpe_ratio():
    """Bailey and Lopez de Prado (2012): 24 months at 0.458, skewness -2.448, kurtosis 10.164."""
    assert probability_above(ReturnStatistics(24, 0.458, 0.0, 3.0), 0) == pytest.approx(0.982, abs=5e-4)
    assert probability_above(ReturnStatistics(24, 0.458, -2.448, 10.164), 0) == pytest.approx(0.913, abs=5e-4)


def test_the_published_deflated_sharpe_ratio():
    """Bailey and Lopez de Prado (2014): 2.5 a year over 1250 days, skewness -3, kurtosis 10, 100 trials of variance
    1/2 a year: a benchmark of 0.1132 a day, probability 90.04%; with 46 trials 95.05%."""
    sample = ReturnStatistics(1250, 2.5 / sqrt(250), -3.0, 10.0)
    benchmark = {trials: sqrt(0.5 / 250) * health.best_of(trials) for trials in (46, 100)}
    assert benchmark[100] == pytest.approx(0.1132, abs=5e-5)
    assert probability_above(sample, benchmark[100]) == pytest.approx(0.9004, abs=5e-5)
    assert probability_above(sample, benchmark[46]) == pytest.approx(0.9505, abs=5e-5)


def test_moments_equal_scipys():
    returns = np.random.default_rng(1).standard_t(4, 90) * 0.01
    sample = return_statistics(returns)
    assert sample.skewness == pytest.approx(stats.skew(returns))
    assert sample.kurtosis == pytest.approx(stats.kurtosis(returns, fisher=False))
    assert sample.sharpe == pytest.approx(returns.mean() / np.std(returns, ddof=1))


def test_the_luckiest_of_many_is_what_a_simulation_finds():
    dice = np.random.default_rng(2)
    for tried in (5, 54):
        daily = dice.standard_normal((1500, tried, 90))
        best = (daily.mean(axis=2) / daily.std(axis=2, ddof=1)).max(axis=1).mean()
        assert luckiest(90, tried) == pytest.approx(best, rel=0.03)
    assert luckiest(90, 54) * sqrt(365) == pytest.approx(4.6, abs=0.1)


@pytest.mark.parametrize(("days", "tried"), [(90, 0), (90, 1), (2, 54), (0, 0), (90, 1.2)])
def test_without_a_choice_there_is_no_luck(days, tried):
    assert luckiest(days, tried) == 0


def test_the_effective_number_counts_what_is_independent():
    dice = np.random.default_rng(3)
    single = dice.standard_normal((1, 5000))
    assert health.effective_number(np.repeat(single, 8, axis=0)) == pytest.approx(1)
    assert health.effective_number(dice.standard_normal((8, 5000))) == pytest.approx(8, rel=0.02)
    twins = np.repeat(dice.standard_normal((4, 5000)), 2, axis=0)
    assert health.effective_number(twins) == pytest.approx(4, rel=0.02)
    assert health.effective_number(np.vstack([twins, np.zeros((5, 5000))])) == pytest.approx(4, rel=0.02)
    assert health.effective_number(np.zeros((3, 90))) == 0
    assert health.effective_number(np.zeros((3, 0))) == 0


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
    result = examine(recent, trades, tried=10.0)
    ratio, count = recent.mean() / recent.std(ddof=1), 60
    spread = sqrt(1 - stats.skew(recent) * ratio + (stats.kurtosis(recent, fisher=False) - 1) / 4 * ratio**2)
    euler = 0.5772156649
    best = (1 - euler) * stats.norm.ppf(1 - 1 / 10) + euler * stats.norm.ppf(1 - 1 / (10 * e))
    curve = np.concatenate([[1], np.cumprod(1 + recent)])
    deepest = max(1 - value / curve[: place + 1].max() for place, value in enumerate(curve))
    won, lost = trades[trades > 0], -trades[trades < 0]
    even = 1 / (1 + won.mean() / lost.mean())
    pseudo = 2.5 * np.abs(trades).mean()
    parts = [
        6 / 18 * stats.norm.cdf(ratio * sqrt(count - 1) / spread),
        3 / 18 * stats.norm.cdf((ratio - best / sqrt(count - 1)) * sqrt(count - 1) / spread),
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
    st.floats(0, 54),
)
def test_a_score_is_within_0_and_100_and_a_short_record_near_50(returns, trades, tried):
    result = examine(returns[-90:], trades, tried)
    assert 0 <= result.raw <= 100
    assert 0 <= result.score <= 100
    assert abs(result.score - 50) <= 50 * result.trust + 1e-9
    assert result.beyond_luck <= result.edge + 1e-9, "what beats luck beats nothing at all"


def test_no_record_is_neither_good_nor_bad():
    none = np.array([])
    assert examine(none, none, 0.0).score == 50


def test_the_winner_of_54_without_skill_is_rarely_called_skilled():
    """The plain ratio calls the winner skilled in most months, the deflated one in a few of a hundred."""
    dice, plain, deflated, months = np.random.default_rng(6), 0, 0, 150
    for _ in range(months):
        daily = dice.standard_normal((54, 90)) * 0.02
        tried = health.effective_number(daily)
        samples = [return_statistics(row) for row in daily]
        best = max(samples, key=lambda sample: sample.sharpe)
        plain += probability_above(best, 0) > 0.95
        deflated += probability_above(best, luckiest(90, tried)) > 0.95
    assert plain / months > 0.7
    assert deflated / months < 0.08


def test_large_skill_is_detected():
    daily = np.random.default_rng(7).standard_normal((54, 90)) * 0.02
    daily[0] += 0.02
    assert probability_above(return_statistics(daily[0]), luckiest(90, health.effective_number(daily))) > 0.95
