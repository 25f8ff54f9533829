"""The hourly indicators that lanes decide on."""

from __future__ import annotations

import numpy as np
import pytest

from service.market.bars import empty
from service.market.instants import HOUR
from service.trading.lanes.readings import readings, rolling_mean


def test_readings_are_unknown_until_there_are_enough_hours(hours):
    assert readings(empty(HOUR)) == []
    rows = readings(hours["btc"][:400])
    assert np.isnan(rows[46].deviation)
    assert np.isfinite(rows[47].deviation)
    assert np.isnan(rows[167].volatility)
    assert np.isfinite(rows[168].volatility)
    assert np.isfinite(rows[0].turnover)
    assert np.isnan(rows[47].ceiling)
    assert rows[48].ceiling == hours["btc"].high[:48].max()


def test_volatility_counts_the_time_of_weekends(hours):
    """Every bar moves by 1%; a metal has fewer bars and so a lower volatility."""
    for asset in ("btc", "gold"):
        bars = hours[asset]
        moved = bars.close[0] * np.exp(0.01 * (np.arange(len(bars)) % 2))
        row = readings(type(bars)(bars.time, moved, moved, moved, moved, bars.volume, HOUR))[-1]
        passed = (bars.time[-1] - bars.time[-169]) / (365 * 24 * HOUR)
        assert row.volatility == pytest.approx(0.01 * (168 / passed) ** 0.5, rel=1e-9)
    assert row.volatility < 0.01 * 8760**0.5 * 0.9


def test_a_rolling_mean_starts_with_fewer_values():
    assert rolling_mean(np.array([1.0, 3.0, 5.0, 7.0]), 2).tolist() == [1, 2, 4, 6]
    assert rolling_mean(np.array([1.0, 3.0]), 720).tolist() == [1, 2]
