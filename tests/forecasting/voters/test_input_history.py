"""Inputs depend on the past alone, and closed hours do not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.voters.input_history import InputHistory, survey
from service.forecasting.voters.inputs import LOOK_BACK_H
from service.market.bars import Bars
from service.market.instants import DAY, HOUR

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


def test_a_peek_of_one_bar_is_caught(hourly):
    """The control: closes that come one hour early, the smallest look-ahead there is, break the prefix."""

    def peeking(bars_of: dict[str, Bars]) -> InputHistory:
        return survey({asset: replace(bars, close=np.roll(bars.close, -1)) for asset, bars in bars_of.items()})

    instant = int(hourly["btc"].time[0]) + 77 * DAY
    with pytest.raises(AssertionError):
        assert_is_prefix(peeking(cut(hourly, instant)), peeking(hourly))


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
