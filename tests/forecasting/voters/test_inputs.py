"""The inputs from the calendar of a horizon, and every input in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from service.forecasting.voters.inputs import INPUTS, LOOK_BACK_H, InputHistory, describe, of_window, survey
from service.market.bars import Bars
from service.market.instants import DAY, HOUR


def at(year: int, month: int, day: int, hour: int = 0) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("asset", "since", "until", "hours", "shares"),
    [
        pytest.param(
            "btc", (1, 8, 5), (1, 15, 5), 168.0, {"weekend": 2 / 7, "us_session": 40 / 168}, id="a whole week"
        ),
        pytest.param("btc", (1, 11), (1, 12), 24.0, {"weekend": 1, "us_session": 0}, id="a Saturday"),
        pytest.param("btc", (1, 12), (1, 13), 24.0, {"weekend": 1}, id="a Sunday"),
        pytest.param("btc", (1, 10), (1, 11), 24.0, {"weekend": 0}, id="a Friday"),
        pytest.param("btc", (1, 13), (1, 14), 24.0, {"weekend": 0}, id="a Monday"),
        pytest.param("eth", (1, 13, 17), (1, 14, 1), 8.0, {"us_session": 4 / 8}, id="half a session"),
        pytest.param("btc", (1, 30), (2, 5), 144.0, {"month_turn": 4 / 6}, id="31 January and 1 to 3 February"),
    ],
)
def test_a_window_has_its_shares_less_the_average(asset, since, until, hours, shares):
    """In 2025, in UTC: the American session is from 13:00 to 21:00 on weekdays."""
    usual = {"weekend": 2 / 7, "us_session": 40 / 168, "month_turn": 48 / 365.2425}
    window = of_window(asset, at(2025, *since), at(2025, *until), hours)
    assert {name: window[name] + usual[name] for name in shares} == pytest.approx(shares)


def test_metals_have_no_weekend_and_a_session_of_8_in_23_hours():
    window = of_window("gold", at(2025, 1, 15), at(2025, 1, 16), 23.0)
    assert (window["weekend"], window["us_session"]) == (0, pytest.approx(0))


def test_a_leap_year_ends_february_on_the_29th():
    assert of_window("btc", at(2024, 2, 28), at(2024, 2, 29), 24.0)["month_turn"] < 0
    assert of_window("btc", at(2024, 2, 29), at(2024, 3, 1), 24.0)["month_turn"] == pytest.approx(1 - 48 / 365.2425)


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_can_be_worded(name):
    words = describe(name, 0.25, "btc")
    assert "{" not in words
    assert "nan" not in words


@pytest.mark.parametrize(("asset", "peers"), [("btc", "other coins"), ("gold", "coins")])
def test_the_peers_of_a_metal_are_not_other_coins(asset, peers):
    assert describe("peers_24h", 2.0, asset) == f"{peers}' 24-hour move of +2.0 sigma"
    assert describe("peers_rising", 0.25, asset) == f"75% of the {peers} up over 7 days"


SERIES = ("log_price", "opened", "returns", "fast", "slow")


def assert_is_prefix(part: InputHistory, whole: InputHistory) -> None:
    """Every row of `part` is, bit for bit, the same row of `whole`."""
    rows = len(part)
    for asset, track in part.tracks.items():
        for name in SERIES:
            np.testing.assert_array_equal(getattr(track, name), getattr(whole.tracks[asset], name)[:rows])
        for name, values in track.inputs.items():
            np.testing.assert_array_equal(values, whole.tracks[asset].inputs[name][:rows])


def cut(hourly: dict[str, Bars], instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in hourly.items()}


@pytest.mark.parametrize("days", [51, 60.5, 77, 100.25, 119])
def test_inputs_of_a_prefix_are_the_prefix_of_the_inputs(hourly, days):
    first = int(hourly["btc"].time[0])
    assert_is_prefix(survey(cut(hourly, first + int(days * DAY))), survey(hourly))


@pytest.mark.slow
def test_inputs_of_real_bars_depend_on_the_past_alone(real_hourly):
    instant = int(real_hourly["btc"].time[0]) + 200 * DAY + 5 * HOUR
    assert_is_prefix(survey(cut(real_hourly, instant)), survey(cut(real_hourly, instant + 30 * DAY)))


def test_inputs_are_nan_before_fifty_days(hourly):
    track = survey(hourly).tracks["btc"]
    for values in track.inputs.values():
        assert np.isnan(values[:LOOK_BACK_H]).all()
        assert np.isfinite(values[LOOK_BACK_H:]).all()


def test_variance_is_per_open_hour(hourly):
    """The made bars move 0.5% an open hour, metals over the gap of a weekend too."""
    history = survey(hourly)
    for asset in ("btc", "gold"):
        assert np.sqrt(history.tracks[asset].slow[-1]) == pytest.approx(0.005, rel=0.05)


def test_a_closed_market_does_not_age_its_volatility(hourly):
    """From Friday 22:00 to Sunday 22:00 UTC gold does not trade: its variance stays to the last bit."""
    history = survey(hourly)
    track = history.tracks["gold"]
    friday = history.row_at(1_736_550_000)  # 2025-01-10T23:00:00Z
    assert len(set(track.fast[friday : friday + 40].tolist())) == 1
    assert not track.traded[friday : friday + 40].any()


def test_a_missing_hour_carries_the_price_and_no_return(hourly):
    bars = hourly["btc"]
    holed = replace(
        bars,
        **{name: np.delete(getattr(bars, name), 500) for name in ("time", "open", "high", "low", "close", "volume")},
    )
    track = survey({"btc": holed}).tracks["btc"]
    assert track.returns[500] == 0
    assert track.returns[501] == pytest.approx(np.log(bars.close[501] / bars.close[499]))


def test_without_other_coins_only_breadth_is_missing(hourly):
    inputs = survey({"btc": hourly["btc"]}).tracks["btc"].inputs
    unknown = {name for name, values in inputs.items() if not np.isfinite(values).any()}
    assert unknown == {"peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"}


def test_moves_are_in_sigmas_of_180_days(hourly):
    history = survey(hourly)
    bars, track = hourly["eth"], history.tracks["eth"]
    expected = np.log(bars.close[-1] / bars.close[-25]) / np.sqrt(24 * track.slow[-1])
    assert track.inputs["move_24h"][-1] == pytest.approx(expected)
