"""What is known of an asset's variance: causal, and 0 where nothing is unusual."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from service.forecasting.densities.features import MOST_VOLUME, PERSISTENT, variance_tracks
from service.forecasting.densities.grid import hour_grid
from service.forecasting.densities.views import BASES, VIEWS
from service.market.instants import HOUR

PRICES_ALONE = {"momentum", "regime", "trend", "vol"}


def test_no_feature_depends_on_a_later_bar(hourly):
    """The prefix test over every feature of every asset."""
    past = {asset: bars.until(int(hourly["btc"].time[0]) + 95 * 24 * HOUR) for asset, bars in hourly.items()}
    shorter, longer = variance_tracks(hour_grid(past)), variance_tracks(hour_grid(hourly))
    for asset, track in shorter.items():
        rows = len(track.level)
        np.testing.assert_array_equal(track.level, longer[asset].level[:rows])
        for name, values in track.features.items():
            np.testing.assert_array_equal(values, longer[asset].features[name][:rows], err_msg=f"{asset} {name}")


def test_later_bars_would_be_seen(hourly):
    """The comparison can fail: bars that are one hour early change the features."""
    early = {asset: replace(bars, close=np.roll(bars.close, -1)) for asset, bars in hourly.items()}
    tracks = [variance_tracks(hour_grid(bars))["btc"] for bars in (hourly, early)]
    assert not np.array_equal(tracks[0].features["garch"], tracks[1].features["garch"])


def test_a_constant_variance_is_nothing_unusual(hourly):
    """Made bars have one variance: persistent features are near 0 on average."""
    track = variance_tracks(hour_grid(hourly))["btc"]
    for name in PERSISTENT:
        if not name.startswith("range"):
            assert abs(track.features[name][60 * 24 :].mean()) < 0.35, name


def test_a_storm_raises_the_fast_features_first(hourly):
    """Two days of returns three times as large: the 12-hour feature is above the 72-hour one."""
    bars = hourly["btc"]
    returns = np.diff(np.log(bars.close), prepend=np.log(bars.close[0]))
    returns[-24:] *= 4
    stormy = replace(bars, close=bars.close[0] * np.exp(np.cumsum(returns)))
    features = variance_tracks(hour_grid({"btc": stormy}))["btc"].features
    assert features["absolute_12h"][-1] > features["absolute_72h"][-1] > features["variance_720h"][-1]


def test_a_weekend_changes_no_feature_of_a_metal(hourly):
    """From the last open hour of Friday to the first of Sunday nothing is measured, so nothing may look calm."""
    grid = hour_grid(hourly)
    track = variance_tracks(grid)["gold"]
    closed = np.flatnonzero(~grid.tracks["gold"].is_open)
    closed = closed[closed > 60 * 24]
    assert len(closed) > 24
    for name, values in track.features.items():
        if not name.startswith(("drawdown", "class", "leader")):
            np.testing.assert_allclose(values[closed], values[closed - 1], atol=0.05, err_msg=name)


def test_every_view_sees_the_last_hour(hourly):
    """A range of five percent in the last hour is seen at once, whatever the windows of a view are."""
    bars = hourly["btc"]
    high = bars.high.copy()
    high[-1] *= 1.05
    calm, stormy = (variance_tracks(hour_grid({"btc": each}))["btc"] for each in (bars, replace(bars, high=high)))
    last = np.array([len(calm.level) - 1])
    for voter, view in VIEWS.items():
        change = stormy.matrix(view.features, last) - calm.matrix(view.features, last)
        assert change.max() > 1, voter


def test_five_views_see_the_volume_of_the_last_hours(hourly):
    """A day of volume three times as large is seen by the views that say so, and by no other."""
    bars = hourly["btc"]
    volume = bars.volume.copy()
    volume[-24:] *= 3
    calm, busy = (variance_tracks(hour_grid({"btc": each}))["btc"] for each in (bars, replace(bars, volume=volume)))
    last = np.array([len(calm.level) - 1])
    seen = {
        voter
        for voter, view in VIEWS.items()
        if (busy.matrix(view.features, last) - calm.matrix(view.features, last)).max() > 0.5
    }
    assert seen == {voter for voter in VIEWS if "volume" in BASES[voter]} == set(VIEWS) - PRICES_ALONE


def test_the_volume_of_another_exchange_is_bounded(hourly):
    """A source that trades a thousandth, or nothing at all, says no more than the bound."""
    bars = hourly["btc"]
    for factor, expected in ((1e-3, -MOST_VOLUME), (0.0, -MOST_VOLUME), (1e3, MOST_VOLUME)):
        volume = bars.volume.copy()
        volume[-24:] *= factor
        features = variance_tracks(hour_grid({"btc": replace(bars, volume=volume)}))["btc"].features
        assert features["volume_24h"][-1] == expected
    silent = variance_tracks(hour_grid({"btc": replace(bars, volume=np.zeros(len(bars)))}))["btc"].features
    assert not silent["volume_2h"].any()
