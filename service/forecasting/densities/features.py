"""What is known of an asset's variance, hour by hour: measured on returns freed of the seasonal clock.

Every feature but the level is a log ratio to the level, which is the variance of the last 180 days; so 0 says nothing
unusual. Features built on absolute returns are scaled like variances; a single jump moves them less. The volume traded,
also freed of the clock, has its own level: it is information that prices do not hold (Clark 1973).
Windows count open hours: on a Sunday the last day of a metal is its Friday.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.forecasting.densities.grid import HourGrid, HourTrack
from service.forecasting.densities.season import LEAST_WEIGHT, monthly_weights
from service.forecasting.densities.windows import (
    decayed_mean,
    decayed_sum,
    open_gain,
    open_mean,
    trailing_max,
    trailing_mean,
)
from service.market.assets import calendar_of

Array = NDArray[np.float64]

LEVEL_H = 180 * 24
LEAST_VARIANCE = 1e-10
LEAST_VOLUME = 1e-9  # units of the asset per hour
MOST_VOLUME = 2.0  # a larger log ratio counts as this, as when another exchange answers with its own volume
# A GARCH(1,1) process around the level with the coefficients usual for hourly returns (Bollerslev 1986). Fitted every
# month by maximum likelihood they forecast no better: CRPS 0.9859 of the base rate's instead of 0.9861.
ALPHA, BETA = 0.08, 0.90
PARKINSON = 4 * np.log(2)  # squared log range over variance (Parkinson 1980)

# Features that measure the asset's own present variance. The others have no prior effect, nor has the range of the last
# two hours, which says much of the next hours and nothing of the next weeks.
PERSISTENT = (
    *("garch", "absolute_12h", "absolute_72h", "variance_6h", "variance_24h", "variance_168h", "variance_720h"),
    *("range_6h", "range_24h", "range_168h"),
)
LEADER = "btc"


@dataclass(frozen=True)
class VarianceTrack:
    """`level` is the log variance per seasonal hour over 180 days, `features` the log ratios; shape (hours,) each."""

    level: Array
    features: Mapping[str, Array]

    def matrix(self, names: tuple[str, ...], rows: NDArray[np.int64]) -> Array:
        """The named features at some rows, shape (rows, names)."""
        return np.column_stack([self.features[name][rows] for name in names])


def variance_tracks(grid: HourGrid, since: int = 0) -> dict[str, VarianceTrack]:
    """The features of every asset in the rows from `since` on; earlier rows count in the seasonal clock alone."""
    weights, tracks = monthly_weights(grid, since), grid.since(since).tracks
    own = {asset: _own(track, np.maximum(weights[asset], LEAST_WEIGHT)) for asset, track in tracks.items()}
    return {asset: VarianceTrack(track.level, {**track.features, **_class(asset, own)}) for asset, track in own.items()}


def _own(track: HourTrack, weights: Array) -> VarianceTrack:
    squares = track.returns**2 / weights
    ranges = np.nan_to_num(track.high - track.low) ** 2 / PARKINSON / weights
    absolutes = np.sqrt(squares)
    opened = track.opened

    def log_mean(values: Array, hours: int) -> Array:
        return _log(open_mean(values, opened, hours))

    level, seasonal_level = (_log(trailing_mean(values, opened, LEVEL_H)) for values in (track.returns**2, squares))
    absolute_level = 2 * _log(trailing_mean(absolutes, opened, LEVEL_H), LEAST_VARIANCE**0.5)
    features = {
        "garch": _log(_garch(squares, np.exp(seasonal_level), track.is_open)) - seasonal_level,
        **{
            f"absolute_{hours}h": 2 * _log(decayed_mean(absolutes, opened, hours), LEAST_VARIANCE**0.5) - absolute_level
            for hours in (12, 72)
        },
        **{f"variance_{hours}h": log_mean(squares, hours) - seasonal_level for hours in (6, 24, 168, 720)},
        **{f"range_{hours}h": log_mean(ranges, hours) - seasonal_level for hours in (2, 6, 24, 168)},
        **{f"volume_{hours}h": _volume(track.volume / weights, opened, hours) for hours in (2, 24)},
        **{f"down_{hours}h": _share(squares * (track.returns < 0), squares, opened, hours) for hours in (24, 168)},
        **{f"drawdown_{hours}h": _drawdown(track.close, level, hours) for hours in (720, LEVEL_H)},
    }
    return VarianceTrack(level, features)


def _class(asset: str, own: Mapping[str, VarianceTrack]) -> dict[str, Array]:
    """The mean over the assets of one calendar, and the leader's, of two features."""
    peers = [track for other, track in own.items() if calendar_of(other) == calendar_of(asset)]
    leader = own.get(LEADER, own[asset])
    return {
        **{
            f"class_{hours}h": np.mean([peer.features[f"absolute_{hours}h"] for peer in peers], 0) for hours in (12, 72)
        },
        **{f"leader_{hours}h": leader.features[f"absolute_{hours}h"] for hours in (12, 72)},
    }


def _volume(volume: Array, opened: Array, hours: int) -> Array:
    """Log ratio of the volume of the last open hours to that of 180 days; 0 without any."""
    recent, usual = open_mean(volume, opened, hours), trailing_mean(volume, opened, LEVEL_H)
    return np.clip(_log(recent, LEAST_VOLUME) - _log(usual, LEAST_VOLUME), -MOST_VOLUME, MOST_VOLUME)


def _share(part: Array, whole: Array, opened: Array, hours: int) -> Array:
    """Log share of a part in the whole over the last open hours; half of it where there is nothing."""
    sums = [open_gain(np.cumsum(values), opened, hours) for values in (part, whole)]
    return np.log((sums[0] + LEAST_VARIANCE / 2) / (sums[1] + LEAST_VARIANCE) + 0.05)


def _garch(squares: Array, level: Array, is_open: NDArray[np.bool_]) -> Array:
    """The variance that the process expects for the next open hour."""
    increments = np.where(is_open, (1 - ALPHA - BETA) * level + ALPHA * squares, 0.0)
    return decayed_sum(increments, is_open, BETA, start=float(level[0]))


def _drawdown(close: Array, level: Array, hours: int) -> Array:
    """How far the price is below its highest close of the last `hours`, in standard deviations of as many hours."""
    highest = trailing_max(np.where(np.isfinite(close), close, -np.inf), hours)
    return np.where(np.isfinite(close), highest - close, 0.0) / np.sqrt(np.exp(level) * hours)


def _log(values: Array, least: float = LEAST_VARIANCE) -> Array:
    return np.log(np.maximum(values, least))
