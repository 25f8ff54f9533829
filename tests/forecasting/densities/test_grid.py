"""All assets on one grid of hours."""

from __future__ import annotations

import numpy as np

from service.forecasting.densities.grid import hour_grid
from service.market.instants import HOUR
from tests.forecasting.made import made_bars


def test_a_row_is_known_at_the_end_of_its_hour():
    bars = made_bars("btc", 3, seed=1)
    grid = hour_grid({"btc": bars})
    assert grid.time_of(0) == int(bars.time[0]) + HOUR
    assert (grid.row_at(grid.origin - 1), grid.row_at(grid.origin), len(grid)) == (-1, 0, 72)


def test_a_missing_bar_carries_the_price_on():
    bars = made_bars("btc", 3, seed=1)
    grid = hour_grid({"btc": bars[np.arange(72) != 40]})
    track = grid.tracks["btc"]
    assert not track.traded[40]
    assert track.close[40] == track.close[39] == track.high[40] == track.low[40]
    assert track.returns[40] == 0
