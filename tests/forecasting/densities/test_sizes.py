"""Quantiles of sizes, and the simulation that they are mixed with."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from service.forecasting.densities.sizes import LEVELS, mean_square, measure, measured_share, simulate, tail_odds

PHI = NormalDist().cdf
MINUTES = 60
NORMAL_SIZES = np.array([NormalDist().inv_cdf((1 + level) / 2) for level in LEVELS])


def walks(seed: int) -> np.ndarray:
    """The close, the high and the low of 20,000 hours of normal steps a minute apart."""
    steps = np.random.default_rng(seed).normal(size=(20_000, MINUTES)) / np.sqrt(MINUTES)
    walk = np.cumsum(steps, axis=1)
    return np.column_stack([walk[:, -1], np.maximum(walk.max(axis=1), 0), np.minimum(walk.min(axis=1), 0)])


def test_normal_sizes_have_normal_tails():
    """P(|z| > 1) = .3173 and P(|z| > 2) = .0455."""
    assert tail_odds(NORMAL_SIZES, np.array([1.0, 2.0])) == pytest.approx([0.3173, 0.0455], abs=0.001)
    tails = tail_odds(NORMAL_SIZES, np.array([3.5, 5.0, 20.0]))
    assert (np.diff(tails) < 0).all(), "they go on falling beyond the last quantile"
    assert 0 < tails[-1] < 1e-6


def test_measured_quantiles_are_those_of_the_sizes():
    sizes = np.arange(1001) / 1000
    assert measure(sizes) == pytest.approx(LEVELS)
    shares = [measured_share(hours, 168) for hours in (1, 168, 720)]
    assert shares == pytest.approx([1, 0.5, 168 / 888], abs=0.01), "a long horizon counts the simulation more"


def test_simulated_normal_shocks_follow_the_reflection_principle():
    """Without clusters the sums are normal; the running maximum is distributed like |close| (André 1887)."""
    close, maximum, realised = simulate(walks(5), (24, 720), 0.0, 0.0).at(720)
    middle = slice(10, 48)
    assert close[middle] == pytest.approx(NORMAL_SIZES[middle], abs=0.05)
    assert maximum[middle] == pytest.approx(close[middle], abs=0.05)
    assert realised[middle] == pytest.approx(1, abs=0.06), "of a constant variance"


def test_simulated_touches_count_the_highs_within_hours():
    """The maximum of a day's walk is distributed like |close|; that of its 24 closes is .58 / sqrt(24) = .12 lower.

    The minutes of the walk lower it by .58 / sqrt(1440) = .015 (Chernoff 1965).
    """
    _, maximum, _ = simulate(walks(7), (24,), 0.0, 0.0).at(24)
    middle = slice(10, 48)
    assert np.mean(maximum[middle] - NORMAL_SIZES[middle]) == pytest.approx(-0.015, abs=0.03)


def test_no_drift_is_simulated():
    """A year of rising prices says nothing about the direction of the next."""
    with_drift, without = (simulate(walks(8) + drift, (24,), 0.08, 0.9) for drift in (0.3, 0.0))
    assert with_drift.maximum == pytest.approx(without.maximum, abs=1e-4)


def test_clusters_of_variance_make_fat_tails():
    shocks = walks(6)
    calm, clustered = (simulate(shocks, (24,), alpha, 0.98 - alpha).close[0] for alpha in (0.0, 0.12))
    assert clustered[-1] > 1.1 * calm[-1]


def test_the_mean_square_counts_the_tail_beyond_the_last_quantile():
    """Without it that of exponential sizes would be 1.92."""
    assert mean_square(NORMAL_SIZES) == pytest.approx(1, abs=0.01)
    assert mean_square(-np.log1p(-LEVELS)) == pytest.approx(2, abs=0.03)
