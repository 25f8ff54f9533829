"""The fan between its horizons, the prices before it, and the horizons that have a dot."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from notebooks.widgets.forecast.fan import LEVELS, fan_curves, past_prices, shown_horizons


def horizon(name: str, until: str, price: float) -> dict[str, Any]:
    return {"horizon": name, "until": until, "quantiles": dict.fromkeys(LEVELS, price)}


HOUR, DAY = horizon("1h", "2026-11-23T08:00:00Z", 100.0), horizon("24h", "2026-11-24T07:00:00Z", 200.0)
MONTH = horizon("30d", "2026-12-23T07:00:00Z", 400.0)
FORECAST = {"as_of": "2026-11-23T07:00:00Z", "price": 50.0, "horizons": [HOUR, DAY, MONTH]}


def test_a_quantile_grows_with_the_root_of_time():
    """Half-way in the root of time from 7:00 to 8:00, at 7:15, the price is the geometric mean of 50 and 100."""
    curves = fan_curves(FORECAST, HOUR)
    series = pd.Series(curves.prices["95"], curves.times.tz_localize("UTC"))
    index = series.index.union(pd.DatetimeIndex(["2026-11-23T07:15:00Z"]))
    assert series.reindex(index).interpolate("time")[pd.Timestamp("2026-11-23T07:15:00Z")] == pytest.approx(
        70.7, abs=0.1
    )


def test_the_fan_meets_every_quantile_up_to_its_reach():
    curves = fan_curves(FORECAST, DAY)
    series = pd.Series(curves.prices["5"], curves.times.tz_localize("UTC"))
    assert series.iloc[0] == pytest.approx(50.0)
    assert series[pd.Timestamp(HOUR["until"])] == pytest.approx(100.0)
    assert (series.index[-1], series.iloc[-1]) == (pd.Timestamp(DAY["until"]), pytest.approx(200.0))


def test_the_past_is_as_long_as_the_reach():
    """A close is at the end of its bar; the last point is the price of the forecast, and later bars are not shown."""
    hours = ("05:00", "06:00", "07:00")
    bars = [{"time": f"2026-11-23T{hour}:00Z", "close": float(place)} for place, hour in enumerate(hours)]
    times, prices = past_prices(FORECAST, {"step_s": 3600, "bars": bars}, HOUR)
    assert [f"{time:%H:%M}" for time in times] == ["06:00", "07:00"]
    assert prices.tolist() == [0.0, 50.0]


def test_a_horizon_near_the_beginning_has_no_dot():
    """1 hour is less than a thirtieth of 30 days; a day is a thirtieth."""
    assert shown_horizons(FORECAST, MONTH) == [DAY, MONTH]
    assert shown_horizons(FORECAST, DAY) == [HOUR, DAY]
