"""The position that each of the four logics wants at an hour's close."""

from __future__ import annotations

from math import nan

import pytest

from service.market.instants import HOUR
from service.trading.lanes.lane import HourReading, LaneVote
from service.trading.lanes.logics import (
    OUT,
    Holding,
    Intent,
    LaneView,
    break_out,
    fade_deviation,
    follow_forecast,
    follow_trend,
)

READING = HourReading(100 * HOUR, *[1.0] * (len(HourReading._fields) - 1))


def view(side: int = 0, vote: LaneVote | None = None, opened_at: int = 0, stop=None, **fields) -> LaneView:
    holding = Holding(side, 100.0, 0.0, opened_at, stop) if side else None
    return LaneView(READING._replace(**fields), holding, vote)


def test_a_trend_lasts_until_the_averages_cross():
    assert follow_trend(view(trend=1.2, volatility=0.4)) == Intent(1)
    assert follow_trend(view(trend=-1.2, volatility=0.4)) == Intent(-1)
    assert follow_trend(view(trend=0.8)) == OUT
    assert follow_trend(view(1, trend=0.1)).side == 1
    assert follow_trend(view(1, trend=-0.1)) == OUT
    assert follow_trend(view(1, trend=-1.1)).side == -1
    assert follow_trend(view(trend=2.0, volatility=0.8)).weight == 0.5, "higher volatility reduces it"
    assert follow_trend(view(trend=2.0, volatility=0.1)).weight == 1


def test_an_extreme_is_faded_once_the_price_returns():
    assert fade_deviation(view(deviation_before=-2.5, deviation=-1.9)) == Intent(1)
    assert fade_deviation(view(deviation_before=2.5, deviation=1.9)) == Intent(-1)
    assert fade_deviation(view(deviation_before=-2.5, deviation=-2.4)) == OUT
    assert fade_deviation(view(deviation_before=-1.9, deviation=-1.5)) == OUT


def test_the_mean_reverter_leaves_at_the_mean_or_after_two_days():
    assert fade_deviation(view(1, deviation=-0.5, opened_at=90 * HOUR)) == Intent(1)
    assert fade_deviation(view(1, deviation=0.1, opened_at=90 * HOUR)) == OUT
    assert fade_deviation(view(-1, deviation=0.5, opened_at=53 * HOUR)) == OUT
    assert fade_deviation(view(-1, deviation=0.5, opened_at=54 * HOUR)) == Intent(-1)


def test_a_breakout_has_a_stop_three_true_ranges_away():
    assert break_out(view(close=110, ceiling=109, true_range=2)) == Intent(1, stop=104)
    assert break_out(view(close=90, ceiling=109, floor=91, true_range=2)) == Intent(-1, stop=96)
    assert break_out(view(close=100, ceiling=109, floor=91, true_range=2)) == OUT
    assert break_out(view(1, stop=104, high=120, true_range=2)).stop == 114, "it trails the price"
    assert break_out(view(1, stop=104, high=105, true_range=2)).stop == 104
    assert break_out(view(-1, stop=96, low=80, true_range=2)).stop == 86
    assert break_out(view(-1, stop=96, low=95, true_range=2)).stop == 96


@pytest.mark.parametrize(
    ("state", "intent"),
    [
        (view(vote=LaneVote(0.8, 0.5)), Intent(1, 0.5)),
        (view(vote=LaneVote(0.2, 0.5)), Intent(1, 1.0)),
        (view(vote=LaneVote(0.8, 0.6)), Intent(1, pytest.approx(0.6))),
        (view(vote=LaneVote(0.8, 0.4)), Intent(1, pytest.approx(0.4))),
        (view(volatility=0.8), Intent(1, 0.5)),
        (view(1, volatility=nan), Intent(1)),
        (view(1, vote=LaneVote(0.4, 0.455)), Intent(1)),
        (view(1, vote=LaneVote(0.8, 0.5)), Intent(1, 0.5)),
    ],
)
def test_a_forecast_of_more_volatility_wants_less(state, intent):
    """The weight is .4 over the volatility a year, times twice P(up), at most 1.

    Without a forecast that of last week counts. A position of weight 1 is kept at .91 and reduced to .9 and below.
    """
    assert follow_forecast(state) == intent


@pytest.mark.parametrize("logic", [follow_trend, fade_deviation, break_out, follow_forecast])
def test_unknown_readings_open_nothing(logic):
    unknown = dict.fromkeys(HourReading._fields[1:], nan)
    assert logic(view(**unknown)) == OUT
