"""The grid of hours, and the seasonal clock: weights of the hours of a week, and horizons measured in them."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.densities.grid import (
    HourGrid,
    decayed_mean,
    decayed_sum,
    gain,
    hour_grid,
    open_gain,
    open_mean,
    trailing_max,
    trailing_mean,
)
from service.forecasting.densities.season import EVENTS_WORTH, Season, seasons_at, weights_of
from service.market.instants import DAY, HOUR
from service.market.scheduled_events import CODES, codes_at
from tests.forecasting.made import made_bars, moved, returns_of

MONDAY = 1_763_942_400  # 2025-11-24T00:00:00Z


def test_a_row_is_known_at_the_end_of_its_hour():
    """A missing bar carries the price on."""
    bars = made_bars("btc", 3, seed=1)
    grid = hour_grid({"btc": bars})
    assert grid.time_of(0) == int(bars.time[0]) + HOUR
    assert (grid.row_at(grid.origin - 1), grid.row_at(grid.origin), len(grid)) == (-1, 0, 72)
    track = hour_grid({"btc": bars[np.arange(72) != 40]}).tracks["btc"]
    assert not track.has_bar[40]
    assert track.close[40] == track.close[39] == track.high[40] == track.low[40]
    assert track.returns[40] == 0
    assert track.returns[41] == pytest.approx(np.log(bars.close[41] / bars.close[39]))


def test_windows_by_hand():
    """A gain before a full span counts from the start, and a mean divides by open hours, of which one is closed.

    Weights with a half-life of an open hour: 4, then (2 + 8) / 1.5, then a closed hour that adds without a decay.
    Two hours closed after the second: the last two open hours are still the first two.
    """
    assert gain(np.array([1.0, 3.0, 6.0, 10.0]), 2).tolist() == [1.0, 3.0, 5.0, 7.0]
    open_hours = np.array([1.0, 2.0, 2.0])
    assert trailing_mean(np.array([2.0, 4.0, 6.0]), open_hours, 2).tolist() == [2.0, 3.0, 10.0]
    assert decayed_mean(np.array([4.0, 8.0, 3.0]), open_hours, 1) == pytest.approx([4.0, 10 / 1.5, 13 / 1.5])
    open_hours, values = np.array([1.0, 2.0, 2.0, 2.0, 3.0]), np.array([2.0, 4.0, 0.0, 0.0, 6.0])
    assert open_gain(np.cumsum(values), open_hours, 2).tolist() == [2.0, 6.0, 6.0, 6.0, 10.0]
    assert open_mean(values, open_hours, 2).tolist() == [2.0, 3.0, 3.0, 3.0, 5.0]


@pytest.mark.parametrize("span", [1, 3, 7, 50])
def test_the_trailing_maximum_is_that_of_the_window(span):
    values = np.random.default_rng(span).normal(size=40)
    expected = [values[max(0, place - span + 1) : place + 1].max() for place in range(40)]
    assert trailing_max(values, span).tolist() == expected


@pytest.mark.parametrize("decay", [0.9, 0.5 ** (1 / 72)])
def test_a_decayed_sum_is_that_of_a_loop(decay):
    """Over more rows than a block has, with closed hours; the sum of a prefix is a prefix of the sum, to the bit."""
    generator = np.random.default_rng(1)
    values, is_open = generator.exponential(size=5_000), generator.random(5_000) < 0.7
    total, expected = 2.0, []
    for value, is_open_hour in zip(values, is_open, strict=True):
        total = total * (decay if is_open_hour else 1) + value
        expected.append(total)
    sums = decayed_sum(values, is_open, decay, start=2.0)
    np.testing.assert_allclose(sums, expected, rtol=1e-12)
    for rows in (1, 500, 4_999):
        assert decayed_sum(values[:rows], is_open[:rows], decay, start=2.0).tobytes() == sums[:rows].tobytes()


def test_a_quiet_weekend_is_a_short_one():
    """Weekdays weigh 1.2, Saturday and Sunday 0.5: by hand 5 * 24 * 1.2 + 48 * 0.5 hours a week.

    A longer horizon adds whole weeks, a closed hour nothing, whatever is announced.
    """
    season = Season((1.2,) * 120 + (0.5,) * 48)
    since = np.array([MONDAY, MONDAY + 5 * DAY, MONDAY + 30 * 60])
    until = np.array([MONDAY + 7 * DAY, MONDAY + 6 * DAY, MONDAY + 90 * 60])
    assert season.hours("btc", since, until) == pytest.approx([168.0, 12.0, 1.2])
    season = Season((1.0,) * 168)
    assert season.hours("btc", np.array([MONDAY]), np.array([MONDAY + 400 * DAY])) == pytest.approx([9600.0])
    season = Season((0.0,) * 168, (5.0,) * CODES)
    assert season.hours("gold", np.array([MONDAY]), np.array([MONDAY + 30 * DAY])) == pytest.approx([0.0])


def _weights(chosen: slice, factor: float) -> np.ndarray:
    """The weights by day and hour where `chosen` of the returns at 14 UTC are `factor` times as large."""
    bars = made_bars("btc", 120, seed=3)
    returns = returns_of(bars)
    returns[np.flatnonzero(bars.time // HOUR % 24 == 14)[chosen]] *= factor
    grid = hour_grid({"btc": moved(bars, returns)})
    return np.array(seasons_at(grid, len(grid) - 1)["always"].weights).reshape(7, 24)


def test_hours_that_move_more_weigh_more():
    """Returns at 14 UTC are made three times as large: that hour's weight is far above the mean.

    One return in ten six times as large: with means of squares the hour's weight would more than double.
    """
    weights = _weights(slice(None), 3)
    assert weights[:, 14].mean() > 3
    assert np.delete(weights, 14, axis=1).mean() < 1
    assert weights.mean() == pytest.approx(1)
    growth = _weights(slice(None, None, 10), 6)[:, 14].mean() / _weights(slice(None), 1)[:, 14].mean()
    assert 1.2 < growth < 1.9


def test_closed_hours_have_no_weight(hourly):
    grid = hour_grid(hourly)
    weights = np.array(seasons_at(grid, len(grid) - 1)["comex"].weights)
    assert (weights == 0).sum() == 168 - 5 * 23
    assert weights[weights > 0].mean() == pytest.approx(1)


def _planted(factor: float) -> tuple[HourGrid, Season]:
    """A grid with returns `factor` times as large in the first hour of each rate decision, and its season."""
    bars = made_bars("btc", 700, seed=5)
    returns = returns_of(bars)
    returns[codes_at("always", bars.time) == 1] *= factor
    grid = hour_grid({"btc": moved(bars, returns)})
    return grid, seasons_at(grid, len(grid) - 1)["always"]


def test_hours_of_events_that_move_prices_weigh_more():
    """Returns 2.5 times as large: a factor near 6.25, its root pulled towards 1 as six ordinary events would.

    Those of ordinary events keep factors near 1.
    """
    grid, season = _planted(2.5)
    n = int((grid.tracks["btc"].event == 1).sum())
    expected = (1 + n / (n + EVENTS_WORTH) * 1.5) ** 2
    assert n >= 10
    assert season.factors[1] == pytest.approx(expected, rel=0.4)
    assert season.factors[0] == 1
    weights = weights_of(grid.tracks["btc"], season)
    first, second = (np.flatnonzero(grid.tracks["btc"].event == code)[0] for code in (1, 2))
    assert weights[first] > 2 * weights[second]
    _, season = _planted(1)
    assert np.log(season.factors) == pytest.approx(np.zeros(CODES), abs=0.7)


def test_a_horizon_counts_the_events_within_it():
    """A factor of 5 adds four hours to a horizon over a rate decision, half of them to one that ends in its midst."""
    decision = 1_734_548_400  # 2024-12-18T19:00:00Z
    season = Season((1.0,) * 168, (1.0, 5.0, *(1.0,) * (CODES - 2)))
    since = np.array([decision - DAY, decision - DAY, decision + HOUR])
    until = np.array([decision + DAY, decision + HOUR // 2, decision + DAY])
    assert season.hours("btc", since, until) == pytest.approx([52.0, 26.5, 23.0])
