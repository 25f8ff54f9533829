"""Events in hourly bars: what begins in an hour, whatever lies before or after the windows."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.news.price_events import LOOK_BACK_H, events, streak, track
from service.market.bars import Bars
from service.market.instants import HOUR
from tests.forecasting.made import FIRST, made_bars

BARS = made_bars("btc", 70, seed=3)
ROWS = len(BARS)


def bars_of(close: np.ndarray) -> Bars:
    time = FIRST + HOUR * np.arange(len(close))
    return Bars(time, close, close * 1.0001, close * 0.9999, close, np.ones(len(close)), HOUR)


def named(bars: Bars, first: int) -> set[tuple[int, str, int]]:
    """The events by the time of their bar."""
    prices = track(bars)
    return {(int(prices.time[row]), kind, direction) for row, kind, direction in events("btc", prices, first)}


def test_later_and_earlier_bars_change_no_event():
    cut = LOOK_BACK_H + 10 * 24
    every = named(BARS, LOOK_BACK_H)
    until = int(BARS.time[cut - 1]) + HOUR
    assert every
    assert named(BARS.until(until), LOOK_BACK_H) == {event for event in every if event[0] <= until}
    later = BARS.since(int(BARS.time[5 * 24]))
    since = int(later.time[LOOK_BACK_H]) + HOUR
    assert named(later, LOOK_BACK_H) == {event for event in every if event[0] >= since}


@pytest.mark.parametrize(("factor", "direction"), [(1.2, 1), (0.8, -1)])
def test_a_jump_beyond_the_month_is_one_extreme(factor, direction):
    """It is not reported again while the price stays there."""
    close = 30_500 * np.exp(0.001 * np.sin(np.arange(LOOK_BACK_H + 48)))
    close[LOOK_BACK_H + 10 :] *= factor
    prices = track(bars_of(close))
    extremes = [(row, way) for row, kind, way in events("btc", prices, LOOK_BACK_H) if kind == "extreme"]
    assert extremes == [(LOOK_BACK_H + 10, direction)]


def test_the_round_price_that_was_crossed_is_named():
    close = np.array([98_900.0, 100_100.0, 100_200.0, 99_900.0])
    levels = track(bars_of(close)).level
    assert (levels[1], levels[3]) == (100_000, 100_000)
    assert np.isnan(levels[[0, 2]]).all()


@pytest.mark.parametrize(("days", "expected"), [(3, 3), (-4, -4)])
def test_a_streak_counts_days_in_one_direction(days, expected):
    """Ten days that alternate, then the run."""
    signs = [*([1, -1] * 5), -int(np.sign(days)), *([int(np.sign(days))] * abs(days))]
    midnights = 100 + np.cumsum([0, *signs])
    close = np.repeat(midnights, 24).astype(float)
    prices = track(bars_of(close))
    assert streak(prices, len(close) - 1) == expected
