"""All assets on one grid of hours."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.densities.grid import (
    decayed_mean,
    decayed_sum,
    gain,
    hour_grid,
    open_gain,
    open_mean,
    trailing_max,
    trailing_mean,
)
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


def test_a_gain_before_a_full_span_counts_from_the_start():
    assert gain(np.array([1.0, 3.0, 6.0, 10.0]), 2).tolist() == [1.0, 3.0, 5.0, 7.0]


def test_a_trailing_mean_divides_by_open_hours():
    """The third hour is closed: two values share one open hour."""
    values, opened = np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 2.0])
    assert trailing_mean(values, opened, 2).tolist() == [2.0, 3.0, 10.0]


def test_weights_decay_in_open_hours_alone():
    """With a half-life of one hour: 4, then (2 + 8) / 1.5, then a closed hour that adds without a decay."""
    opened = np.array([1.0, 2.0, 2.0])
    assert decayed_mean(np.array([4.0, 8.0, 3.0]), opened, 1) == pytest.approx([4.0, 10 / 1.5, 13 / 1.5])


@pytest.mark.parametrize("span", [1, 3, 7, 50])
def test_the_trailing_maximum_is_that_of_the_window(span):
    values = np.random.default_rng(span).normal(size=40)
    expected = [values[max(0, place - span + 1) : place + 1].max() for place in range(40)]
    assert trailing_max(values, span).tolist() == expected


def test_a_window_of_open_hours_stays_while_the_market_is_closed():
    """Two hours closed after the second: the last two open hours are still the first two."""
    opened = np.array([1.0, 2.0, 2.0, 2.0, 3.0])
    values = np.array([2.0, 4.0, 0.0, 0.0, 6.0])
    assert open_gain(np.cumsum(values), opened, 2).tolist() == [2.0, 6.0, 6.0, 6.0, 10.0]
    assert open_mean(values, opened, 2).tolist() == [2.0, 3.0, 3.0, 3.0, 5.0]


def test_windows_of_a_market_that_never_closes_are_those_of_the_clock():
    values = np.random.default_rng(1).normal(size=60) ** 2
    opened = np.maximum(np.arange(60.0) - 4, 0.0)
    values[:5] = 0.0
    np.testing.assert_array_equal(open_gain(np.cumsum(values), opened, 7), gain(np.cumsum(values), 7))


@pytest.mark.parametrize("decay", [0.9, 0.5 ** (1 / 72)])
def test_a_decayed_sum_is_that_of_a_loop(decay):
    """Over more rows than a block has, with closed hours; the sum of a prefix is a prefix of the sum, to the bit."""
    generator = np.random.default_rng(1)
    values, is_open = generator.exponential(size=5_000), generator.random(5_000) < 0.7
    total, expected = 2.0, []
    for value, opened in zip(values, is_open, strict=True):
        total = total * (decay if opened else 1) + value
        expected.append(total)
    sums = decayed_sum(values, is_open, decay, start=2.0)
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
    for rows in (1, 500, 4_999):
        assert decayed_sum(values[:rows], is_open[:rows], decay, start=2.0).tobytes() == sums[:rows].tobytes()
