"""Simulated paths: the clock they follow, their symmetry, and their running extremes."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.densities import paths as module
from service.forecasting.densities.paths import PATHS, Paths, paths
from service.forecasting.densities.season import Season
from service.market.assets import trading_days
from service.market.instants import DAY, HOUR

MONDAY = 1_768_780_800  # 2026-01-19T00:00:00Z


@pytest.fixture(scope="module")
def week() -> Paths:
    return paths("btc", MONDAY + 1234, MONDAY + 7 * DAY - 1, None)


def test_the_same_question_has_the_same_paths(week):
    """Seeded: two calls, and two processes, simulate the same."""
    again = paths("btc", MONDAY + 1234, MONDAY + 7 * DAY - 1, None)
    assert np.array_equal(again.closes, week.closes)
    module._process.cache_clear()
    assert np.array_equal(paths("btc", MONDAY + 1234, MONDAY + 7 * DAY - 1, None).closes, week.closes)


def test_every_path_has_its_mirror_image(week):
    """Up and down are alike, extremes included."""
    half = PATHS // 2
    assert np.array_equal(week.closes[:, :half], -week.closes[:, half:])
    assert np.allclose(week.highest[:, :half], -week.lowest[:, half:])
    assert np.allclose(week.lowest[:, :half], -week.highest[:, half:])
    assert (week.highest >= week.closes - 1e-6).all(), "extremes enclose the closes and never recede"
    assert (week.lowest <= week.closes + 1e-6).all()
    assert (np.diff(week.highest, axis=0) >= 0).all()
    assert (np.diff(week.lowest, axis=0) <= 0).all()


def test_variance_grows_with_the_open_hours(week):
    """Halfway through the week, half of the variance, within Monte Carlo error of a heavy tail."""
    places = np.searchsorted(week.times, [MONDAY + 3.5 * DAY, MONDAY + 7 * DAY - 1])
    half, whole = np.square(week.closes[places]).mean(axis=1)
    assert whole == pytest.approx(1.0, abs=0.15)
    assert half / whole == pytest.approx(0.5, abs=0.06)


def test_touches_are_twice_as_often_as_closes(week):
    """Reflection principle: in continuous time P(max > z) = 2 P(close > z); steps alone would miss many touches."""
    for z in (0.5, 1.0, 1.5):
        closes, touches = (week.closes[-1] > z).mean(), (week.highest[-1] > z).mean()
        assert touches == pytest.approx(2 * closes, rel=0.06)


def test_a_season_moves_the_variance_into_its_hours():
    """All of the clock's week in its Wednesday: nothing moves before it."""
    weights = np.zeros(168)
    weights[48:72] = 7.0
    calm = paths("btc", MONDAY, MONDAY + 7 * DAY - 1, Season(tuple(weights)))
    assert MONDAY + 2 * DAY < calm.times[0] <= MONDAY + 2 * DAY + 3 * HOUR
    assert calm.times[-1] == MONDAY + 3 * DAY


def test_metals_do_not_move_over_a_weekend():
    friday, sunday = MONDAY + 4 * DAY, MONDAY + 6 * DAY
    closed = paths("gold", friday, sunday, None)
    assert closed.times[-1] == friday + 22 * HOUR  # 17:00 in New York
    ends = np.array([friday + DAY, sunday])
    assert np.array_equal(*closed.at(ends))
    assert not closed.at(np.array([friday + 60])).any()


@pytest.mark.parametrize("days", [1, 3, 30, 60])
def test_the_close_of_every_day_is_a_step(days):
    ends = trading_days("btc", MONDAY + 1234, MONDAY + days * DAY - 1)
    times = paths("btc", MONDAY + 1234, MONDAY + days * DAY - 1, None).times
    assert len(ends) == days
    assert set(ends[:-1]) <= set(times.tolist())


@pytest.mark.parametrize("hours", [0.2, 1, 36, 37, 97, 98, 720, 24 * 731])
def test_no_horizon_has_more_steps_than_shocks(hours):
    until = MONDAY + 1800 + int(hours * HOUR)
    walked = paths("btc", MONDAY + 1800, until, None)
    assert 1 <= len(walked.times) <= module.STEPS
    assert walked.times[-1] == until
    assert walked.hours.sum() == pytest.approx(hours, rel=1e-6)
