"""Rules that follow past returns."""

from __future__ import annotations

import numpy as np

from service.trading.rules import momentum
from tests.trading.rules.bars import bars_of

NAN = float("nan")


def test_rate_of_change_by_hand():
    """Over two bars: +20% enters, +8% stays, a negative change leaves, -20% enters the other side."""
    targets = momentum.rate_of_change(bars_of([100, 100, 120, 108, 118, 95]), period=2, width=0.1)
    assert targets.tolist() == [0, 0, 1, 1, 0, -1]


def test_time_series_momentum_scales_by_volatility():
    calm = bars_of([100 * 1.001**at * (1 + 0.0001 * (-1) ** at) for at in range(30)])
    wild = bars_of([100 * 1.001**at * (1 + 0.05 * (-1) ** at) for at in range(30)])
    assert momentum.time_series_momentum(calm, lookback=10, width=1)[-1] == 1
    assert momentum.time_series_momentum(wild, lookback=10, width=1)[-1] == 0


def test_a_scaled_return_by_hand():
    """Logs 0, 1, 1, 2, 2: over two bars +1; returns 1, 0 have a deviation of 1/2, over two bars of sqrt(2)/2."""
    logs = np.array([0, 1, 1, 2, 2], dtype=float)
    np.testing.assert_allclose(momentum.scaled_return(logs, 2), [NAN, NAN, 2**0.5, 2**0.5, 2**0.5])
