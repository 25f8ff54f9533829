"""The causal features of every asset, hour by hour: what training and the request both read.

Row i of every array is what was known at the end of hour i, computed from bars that were complete by then.
Every step is sequential (running sums, recursions, trailing windows), so the panel of a prefix of the bars
is, bit for bit, a prefix of the panel. Variances count open hours: a metal's weekend adds none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from service.forecasting.inputs import LOOK_BACK_H, leader_of
from service.market.assets import ASSETS, open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR

Series = NDArray[np.float64]

FAST_HALF_LIFE_H = 72
SPARK_HALF_LIFE_H = 12
SLOW_H = 180 * 24
LEAST_VARIANCE = 1e-12  # per open hour: a price that stands still must not divide by zero
COINS = tuple(key for key, asset in ASSETS.items() if asset.calendar == "always")


@dataclass(frozen=True)
class Track:
    """One asset on the hour grid, shape (hours,) each; NaN where too little is known.

    `log_price` is carried forward over hours without a bar, `traded` says which hours had one, `opened`
    counts open hours, `returns` are hourly log returns, `fast` and `slow` variances per open hour.
    `first` is the row of the first bar.
    """

    log_price: Series
    traded: NDArray[np.bool_]
    opened: Series
    returns: Series
    fast: Series
    slow: Series
    first: int
    inputs: Mapping[str, Series]


@dataclass(frozen=True)
class Panel:
    """All assets on one grid; row 0 ends at the unix second `origin`."""

    origin: int
    tracks: Mapping[str, Track]

    def __len__(self) -> int:
        return len(next(iter(self.tracks.values())).log_price)

    def row_at(self, instant: int) -> int:
        """The last row known at a unix second; negative before the first."""
        return min((instant - self.origin) // HOUR, len(self) - 1)

    def time_of(self, row: int) -> int:
        """The unix second at which a row became known."""
        return self.origin + row * HOUR

    def history_days(self, asset: str, row: int) -> float:
        """Days from the first bar of `asset` to `row`."""
        return max(0, row + 1 - self.tracks[asset].first) * HOUR / DAY


def survey(hourly: Mapping[str, Bars]) -> Panel:
    """The panel of the assets that have hourly bars; at least one must.

    Inputs of an asset are NaN until it has 50 days of bars behind it.
    """
    stored = {asset: bars for asset, bars in hourly.items() if len(bars)}
    start = min(int(bars.time[0]) for bars in stored.values())
    hours = (max(int(bars.time[-1]) for bars in stored.values()) - start) // HOUR + 1
    tracks = {asset: _track(asset, bars, start, hours) for asset, bars in stored.items()}
    moves = {asset: {span: _move(track, span) for span in (4, 24, 168)} for asset, track in tracks.items()}
    return Panel(
        origin=start + HOUR,
        tracks={asset: _with_inputs(asset, track, moves) for asset, track in tracks.items()},
    )


def _track(asset: str, bars: Bars, start: int, hours: int) -> Track:
    row = (bars.time - start) // HOUR
    close = np.full(hours, np.nan)
    close[row] = bars.close
    traded = np.isfinite(close)
    last = np.maximum.accumulate(np.where(traded, np.arange(hours), -1))
    log_price = np.where(last < 0, np.nan, np.log(close[np.maximum(last, 0)]))
    opened = np.cumsum(open_at(asset, start + np.arange(hours) * HOUR).astype(float))
    returns = np.nan_to_num(np.diff(log_price, prepend=np.nan))
    first = int(row[0])
    opened = np.maximum(opened - (opened[first - 1] if first else 0.0), 0.0)
    return Track(
        log_price=log_price,
        traded=traded,
        opened=opened,
        returns=returns,
        fast=_decayed_variance(returns, opened, FAST_HALF_LIFE_H),
        slow=_trailing_variance(returns, opened, SLOW_H),
        first=first,
        inputs={},
    )


def _decayed_variance(returns: Series, opened: Series, half_life: float) -> Series:
    """Exponentially weighted variance per open hour; the weights decay in open hours alone."""
    decay = 0.5 ** (1 / half_life)

    def forward(sums, hour):
        squares, weight = sums
        square, is_open = hour
        if is_open:
            squares, weight = squares * decay, weight * decay + 1
        return squares + square, weight

    hours = zip((returns**2).tolist(), (np.diff(opened, prepend=0.0) > 0).tolist(), strict=True)
    sums = np.array(list(accumulate(hours, forward, initial=(0.0, 0.0))))[1:]
    return np.maximum(sums[:, 0] / np.maximum(sums[:, 1], 1.0), LEAST_VARIANCE)


def _trailing_variance(returns: Series, opened: Series, span: int) -> Series:
    """Variance per open hour over the last `span` hours, or over what there is of them."""
    squares = np.cumsum(returns**2)
    return np.maximum(_over(squares, span) / np.maximum(_over(opened, span), 1.0), LEAST_VARIANCE)


def _over(running: Series, span: int) -> Series:
    """What a running sum gained over the last `span` rows, or since its start."""
    earlier = np.zeros_like(running)
    earlier[span:] = running[:-span] if span < len(running) else []
    return running - earlier


def _back(series: Series, span: int) -> Series:
    """The value `span` rows earlier, NaN where there is none."""
    earlier = np.full_like(series, np.nan)
    earlier[span:] = series[:-span] if span < len(series) else []
    return earlier


def _windows(series: Series, span: int) -> NDArray[np.float64]:
    """The trailing `span` values of each row, shape (rows, span), NaN before the start."""
    return sliding_window_view(np.concatenate([np.full(span - 1, np.nan), series]), span)


def _sigma_of(track: Track, span: int) -> Series:
    """Standard deviation of a return over the last `span` hours at the 180-day volatility."""
    return np.sqrt(track.slow * np.maximum(_over(track.opened, span), 1.0))


def _move(track: Track, span: int) -> Series:
    return (track.log_price - _back(track.log_price, span)) / _sigma_of(track, span)


def _mean(series: Series, span: int) -> Series:
    """Mean of the trailing `span` values; NaN until there are as many."""
    known = np.isfinite(series)
    full = _over(np.cumsum(known), span) == span
    return np.where(full, _over(np.cumsum(np.where(known, series, 0.0)), span) / span, np.nan)


def _with_inputs(asset: str, track: Track, moves: Mapping[str, Mapping[int, Series]]) -> Track:
    inputs = {
        **_recent(track, moves[asset]),
        **_breadth(asset, moves),
        **_volatility(track),
        **_trend(track),
    }
    known = np.arange(len(track.log_price)) >= track.first + LOOK_BACK_H
    return replace(track, inputs={name: np.where(known, series, np.nan) for name, series in inputs.items()})


def _recent(track: Track, moves: Mapping[int, Series]) -> dict[str, Series]:
    """Moves over 4 hours to 30 days in 180-day sigmas, and the distance from the 48-hour mean in present ones."""
    return {
        "move_4h": moves[4],
        "move_24h": moves[24],
        "move_72h": _move(track, 72),
        "move_168h": moves[168],
        "move_720h": _move(track, 720),
        "stretch_48h": (track.log_price - _mean(track.log_price, 48)) / np.sqrt(track.fast * 48),
    }


def _breadth(asset: str, moves: Mapping[str, Mapping[int, Series]]) -> dict[str, Series]:
    """What the other coins do, and by how much the leading one is ahead; NaN until all of them are known."""
    peers = [coin for coin in COINS if coin != asset and coin in moves]
    leader = moves.get(leader_of(asset))
    if leader is None:
        nothing = np.full(len(moves[asset][4]), np.nan)
        return dict.fromkeys(("peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"), nothing)
    week = np.array([moves[coin][168] for coin in peers])
    return {
        "peers_24h": np.array([moves[coin][24] for coin in peers]).mean(axis=0),
        "peers_rising": np.where(np.isfinite(week), np.sign(week), np.nan).mean(axis=0) / 2,
        "leader_4h": leader[4],
        "leader_gap_24h": leader[24] - moves[asset][24],
    }


def _volatility(track: Track) -> dict[str, Series]:
    """Log ratios of volatilities, and the share by which up-moves outweigh down-moves in the 7-day variance.

    The tilt lies in [-1, 1]: good and bad volatility of Patton and Sheppard (2015).
    """
    spark = _decayed_variance(track.returns, track.opened, SPARK_HALF_LIFE_H)
    squares = np.cumsum(track.returns**2)
    signed = np.cumsum(np.sign(track.returns) * track.returns**2)
    return {
        "heat": np.log(track.fast / track.slow) / 2,
        "spark": np.log(spark / track.fast) / 2,
        "tilt_168h": _over(signed, 168) / np.maximum(_over(squares, 168), LEAST_VARIANCE),
    }


def _trend(track: Track) -> dict[str, Series]:
    """Distance from the 50-day mean in sigmas, and the place in the 50-day range from -1 (low) to 1 (high)."""
    windows = _windows(track.log_price, LOOK_BACK_H)
    high, low = windows.max(axis=1), windows.min(axis=1)
    return {
        "mean_50d": (track.log_price - _mean(track.log_price, LOOK_BACK_H)) / _sigma_of(track, LOOK_BACK_H),
        "place_50d": (2 * track.log_price - high - low) / np.maximum(high - low, LEAST_VARIANCE),
    }
