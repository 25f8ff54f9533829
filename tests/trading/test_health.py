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
from service.trading.health import (
    ReturnStatistics,
    examine,
    left_of_costs,
    luckiest,
    probability_above,
    return_statistics,
    share_of_deeper_paths,
    shrunken_sharpe,
    simulated_drawdowns,
)
from service.trading.performance import max_drawdown


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


def test_turnover_is_what_a_year_of_costs_leaves():
    """Ten round trips a month at 0.14%: 120 times .9986."""
    assert left_of_costs(0) == 1
    assert left_of_costs(10) == pytest.approx(0.9986**120)


@pytest.mark.parametrize(
    ("days", "own", "of_class", "annual"),
    [(0, 0.0, 1.0, 1.0), (90, 2.0, 0.0, 2 * 90 / 455), (90, 2.0, 1.0, 1 + 90 / 455), (365, 3.0, 1.0, 2.0)],
)
def test_a_sharpe_ratio_is_drawn_to_its_class(days, own, of_class, annual):
    """By the weight of a normal prior of standard deviation 1 a year: after a year one half."""
    year = sqrt(365)
    shrunken, certainty = shrunken_sharpe(ReturnStatistics(days, own / year, 0.0, 3.0), of_class / year)
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


def test_the_drawdown_of_a_walk_is_as_deep_as_of_others():
    """Over many strategies without skill the measure is uniform; a steady climb has 1, a steady fall 0."""
    daily = np.random.default_rng(4).standard_normal((300, 90)) * 0.01
    shares = [share_of_deeper_paths(max_drawdown(np.cumprod(1 + row), 1.0), row) for row in daily]
    assert np.mean(shares) == pytest.approx(0.5, abs=0.05)
    assert np.quantile(shares, [0.1, 0.9]) == pytest.approx([0.1, 0.9], abs=0.06)
    wobble = np.tile([0.001, 0.002], 45)
    assert share_of_deeper_paths(0.0, wobble) == 1
    assert share_of_deeper_paths(max_drawdown(np.cumprod(1 - wobble), 1.0), -wobble) == 0
    assert share_of_deeper_paths(0.0, np.zeros(90)) == share_of_deeper_paths(0.0, np.array([])) == 0.5


def test_a_whole_score_by_hand():
    """Every measure computed again with scipy, from 60 days; equal weights."""
    recent = np.random.default_rng(5).standard_normal(60) * 0.02 + 0.002
    result = examine(recent, trades_a_month=6.0, class_sharpe=0.01, tried=10.0)
    ratio, weight = recent.mean() / recent.std(ddof=1), 60 / 425
    spread = sqrt(1 - stats.skew(recent) * ratio + (stats.kurtosis(recent, fisher=False) - 1) / 4 * ratio**2)
    euler = 0.5772156649
    best = (1 - euler) * stats.norm.ppf(1 - 1 / 10) + euler * stats.norm.ppf(1 - 1 / (10 * e))
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
    assert result.beyond_luck == pytest.approx(stats.norm.cdf((ratio - best / sqrt(59)) * sqrt(59) / spread), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    arrays(float, st.integers(0, 90), elements=st.floats(-0.5, 1.0)),
    st.floats(0, 5_000),
    st.floats(-2, 2),
    st.floats(0, 54),
)
def test_every_measure_is_within_0_and_1(returns, trades_a_month, class_sharpe, tried):
    result = examine(returns, trades_a_month, class_sharpe, tried)
    assert all(0 <= value <= 1 for value in result.measures.values())
    assert 0 <= result.score <= 100


def test_no_record_is_neither_good_nor_bad():
    assert examine(np.array([]), 0.0, 0.0, 0.0).score == 50


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
