"""The performance of an equity curve."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.instants import DAY
from service.trading.fund.results import performance


def test_the_sharpe_interval_covers_the_truth_95_times_in_100():
    """Two thousand simulated histories of 250 days with a true ratio of 1 a year."""
    generator = np.random.default_rng(12)
    times = DAY * np.arange(251)
    hits = 0
    for _ in range(2000):
        returns = generator.normal(0.02 / 365**0.5, 0.02, 250)
        result = performance(times, np.append(1000, 1000 * np.cumprod(1 + returns)))
        hits += result.sharpe_low <= 1 <= result.sharpe_high
    assert 0.935 <= hits / 2000 <= 0.965


@pytest.mark.parametrize(("returns", "ratio", "half"), [((0.01, -0.01), 0, 3.7446), ((0.02, -0.01), 6.3364, 3.8461)])
def test_the_interval_by_hand(returns: tuple[float, float], ratio: float, half: float):
    """Over 100 days: 1.96 sqrt(365 / 100), and with a ratio of .33166 a day 1.96 sqrt((365 + 6.3364^2 / 2) / 100)."""
    equity = 1000 * np.append(1, np.cumprod(1 + np.tile(returns, 50)))
    result = performance(DAY * np.arange(101), equity)
    assert result.sharpe == pytest.approx(ratio, abs=1e-4)
    assert (result.sharpe_low, result.sharpe_high) == pytest.approx((ratio - half, ratio + half), abs=1e-3)
