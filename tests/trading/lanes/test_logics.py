"""What each of the four logics wants at an hour's close."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from service.market.bars import empty
from service.market.instants import HOUR
from service.trading.lanes.logics import OUT, Holding, Intent, View, break_out, fade_stretch, follow_trend, follow_votes
from service.trading.lanes.readings import Reading, readings, rolling_mean


def view(held: int = 0, vote: float | None = None, opened_at: int = 0, stop: float | None = None, **read) -> View:
    usual = dict.fromkeys(Reading._fields, 1.0) | {"time": 100 * HOUR} | read
    holding = Holding(held, 100.0, 0.0, opened_at, stop) if held else None
    return View(Reading(**usual), holding, vote)


def test_a_trend_is_followed_from_one_true_range_on_until_the_averages_cross():
    assert follow_trend(view(trend=1.2, volatility=0.4)) == Intent(1)
    assert follow_trend(view(trend=-1.2, volatility=0.4)) == Intent(-1)
    assert follow_trend(view(trend=0.8)) == OUT
    assert follow_trend(view(1, trend=0.1)).side == 1
    assert follow_trend(view(1, trend=-0.1)) == OUT
    assert follow_trend(view(1, trend=-1.1)).side == -1


def test_the_wilder_the_asset_the_smaller_the_position():
    assert follow_trend(view(trend=2.0, volatility=0.8)).weight == 0.5
    assert follow_trend(view(trend=2.0, volatility=0.1)).weight == 1


def test_a_stretch_is_faded_once_the_price_has_come_back_inside():
    assert fade_stretch(view(stretch_before=-2.5, stretch=-1.9)) == Intent(1)
    assert fade_stretch(view(stretch_before=2.5, stretch=1.9)) == Intent(-1)
    assert fade_stretch(view(stretch_before=-2.5, stretch=-2.4)) == OUT
    assert fade_stretch(view(stretch_before=-1.9, stretch=-1.5)) == OUT


def test_the_mean_reverter_leaves_at_the_mean_or_after_two_days():
    assert fade_stretch(view(1, stretch=-0.5, opened_at=90 * HOUR)) == Intent(1)
    assert fade_stretch(view(1, stretch=0.1, opened_at=90 * HOUR)) == OUT
    assert fade_stretch(view(-1, stretch=0.5, opened_at=53 * HOUR)) == OUT
    assert fade_stretch(view(-1, stretch=0.5, opened_at=54 * HOUR)) == Intent(-1)


def test_a_breakout_is_entered_with_a_stop_three_true_ranges_away():
    assert break_out(view(close=110, ceiling=109, true_range=2)) == Intent(1, stop=104)
    assert break_out(view(close=90, ceiling=109, floor=91, true_range=2)) == Intent(-1, stop=96)
    assert break_out(view(close=100, ceiling=109, floor=91, true_range=2)) == OUT


def test_the_stop_of_a_breakout_follows_and_never_gives_way():
    assert break_out(view(1, stop=104, high=120, true_range=2)).stop == 114
    assert break_out(view(1, stop=104, high=105, true_range=2)).stop == 104
    assert break_out(view(-1, stop=96, low=80, true_range=2)).stop == 86
    assert break_out(view(-1, stop=96, low=95, true_range=2)).stop == 96


@pytest.mark.parametrize(
    ("held", "vote", "side"),
    [(0, 0.55, 1), (0, 0.45, -1), (0, 0.54, 0), (1, 0.51, 1), (1, 0.5, 0), (1, 0.4, -1), (0, None, 0), (1, None, 0)],
)
def test_votes_are_followed_when_convinced_kept_while_they_lean_and_left_when_silent(held, vote, side):
    assert follow_votes(view(held, vote)).side == side


@pytest.mark.parametrize("logic", [follow_trend, fade_stretch, break_out, follow_votes])
def test_what_is_not_known_opens_nothing(logic):
    unknown = dict.fromkeys(Reading._fields[1:], nan)
    assert logic(view(**unknown)) == OUT


def test_readings_are_unknown_until_there_are_enough_hours(hours):
    assert readings(empty(HOUR)) == []
    rows = readings(hours["btc"][:400])
    assert np.isnan(rows[46].stretch)
    assert np.isfinite(rows[47].stretch)
    assert np.isnan(rows[167].volatility)
    assert np.isfinite(rows[168].volatility)
    assert np.isfinite(rows[0].turnover)
    assert np.isnan(rows[47].ceiling)
    assert rows[48].ceiling == hours["btc"].high[:48].max()


def test_volatility_is_that_of_the_time_that_passed_also_over_weekends(hours):
    """Every hour moves by one percent: a metal moves less often and is the calmer for it."""
    for asset in ("btc", "gold"):
        bars = hours[asset]
        moved = bars.close[0] * np.exp(0.01 * (np.arange(len(bars)) % 2))
        row = readings(type(bars)(bars.time, moved, moved, moved, moved, bars.volume, HOUR))[-1]
        passed = (bars.time[-1] - bars.time[-169]) / (365 * 24 * HOUR)
        assert row.volatility == pytest.approx(0.01 * (168 / passed) ** 0.5, rel=1e-9)
    assert row.volatility < 0.01 * 8760**0.5 * 0.9


def test_a_rolling_mean_takes_what_there_is():
    assert rolling_mean(np.array([1.0, 3.0, 5.0, 7.0]), 2).tolist() == [1, 2, 4, 6]
    assert rolling_mean(np.array([1.0, 3.0]), 720).tolist() == [1, 2]
