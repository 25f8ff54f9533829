"""What language models and the layers of apex are told of the past: one row each, with its unit.

Every input is 0 when it carries no information.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from service.forecasting.densities.grid import (
    HourGrid,
    HourTrack,
    decayed_mean,
    gain,
    hour_grid,
    trailing_max,
    trailing_mean,
)
from service.forecasting.densities.models import VarianceTrack, variance_tracks
from service.market.assets import COINS, asset_of, calendar_of
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.scores.proper import Array

Week = tuple[tuple[int, ...], tuple[int, ...]]

# Each input, and how a value of it is worded.
INPUTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

WINDOW = ("weekend", "us_session", "month_turn")
PEERS = ("peers_24h", "peers_rising", "leader_4h", "leader_gap_24h")
# What a language model is told in each seat.
SEAT_INPUTS = {
    "momentum": ("move_24h", "move_72h", "move_168h"),
    "reversion": ("move_4h", "mean_distance_48h"),
    "breadth": PEERS,
    "regime": ("vol_ratio_180d", "vol_ratio_12h", "semivariance_skew_7d"),
    "trend": ("mean_50d", "range_position_50d", "move_720h"),
    "news": WINDOW,
}
LOOK_BACK_H = 50 * 24  # hours of history that the longest look-back needs


def is_metal(asset: str) -> bool:
    """Whether an asset trades in exchange hours; the shape of its moves differs as well."""
    return calendar_of(asset) == "comex"


def describe(name: str, value: float, asset: str, label: Callable[[str], str] = str) -> str:
    """The value of an input in words; `label` gives the name of another asset."""
    return INPUTS[name].format(
        value=value,
        ratio=np.exp(value),
        share=100 * value,
        rising=100 * (value + 0.5),
        position=50 * (value + 1),
        leader=label(asset_of(asset).leader),
        peers="coins" if is_metal(asset) else "other coins",
    )


def of_window(asset: str, since: int, until: int, hours: float) -> dict[str, float]:
    """The inputs that depend on the calendar of the horizon alone, between two unix seconds with so many open hours.

    `weekend` and `us_session` are the shares of the open hours on Saturday and Sunday, and from 13 to 21 UTC on
    weekdays, `month_turn` is the share of the days that are the last or the first three of a month (Ariel 1987), each
    less its average share, in [-1, 1]. `weekend` is 0 for metals.
    """
    open_h, metal = max(hours, 1 / HOUR), is_metal(asset)
    turn_s = _turns_until(until) - _turns_until(since)
    return {
        "weekend": 0.0 if metal else _within(_WEEKEND, since, until) / open_h - 2 / 7,
        "us_session": min(1.0, _within(_US_SESSION, since, until) / open_h) - (8 / 23 if metal else 40 / 168),
        "month_turn": turn_s / max(until - since, 1) - 4 * 12 / 365.2425,
    }


# Knots of a week that begins like unix time, on a Thursday: hours, and hours counted up to each.
_WEEKEND: Week = ((0, 48, 96, 168), (0, 0, 48, 48))
_US_SESSION: Week = (
    (0, 13, 21, 37, 45, 109, 117, 133, 141, 157, 165, 168),
    (0, 0, 8, 8, 16, 16, 24, 24, 32, 32, 40, 40),
)


def _within(week: Week, since: int, until: int) -> float:
    """Hours between two instants that fall into the counted hours of a week."""
    knots, totals = week
    weeks, hours = np.divmod(np.array([since, until]) / HOUR, 168)
    begins, ends = (weeks * totals[-1] + np.interp(hours, knots, totals)).tolist()
    return ends - begins


def _turns_until(time: int) -> int:
    """Seconds of turn-of-month days (the first three and the last) from January 1970 until `time`."""
    at = utc(time)
    months, before = 12 * (at.year - 1970) + at.month - 1, at.day - 1
    is_turn = before < 3 or utc(time + DAY).month != at.month
    return (4 * months + min(before, 3)) * DAY + (time % DAY if is_turn else 0)


FAST_HALF_LIFE_H = 72
FASTEST_HALF_LIFE_H = 12
SLOW_H = 180 * 24
NEEDED_H = 210 * 24  # longer than any window of an input or a feature, also in open hours
LEAST_VARIANCE = 1e-12  # per open hour: a constant price must not divide by zero


@dataclass(frozen=True)
class InputTrack:
    """The `hours` of one asset on the grid, and what follows from them, shape (hours,) each.

    `fast` and `slow` are variances of the log return per open hour (half-life 72 h; 180 days), `variance` is what the
    models of variance see, `inputs` are NaN where history is too short.
    """

    hours: HourTrack
    fast: Array
    slow: Array
    variance: VarianceTrack
    inputs: Mapping[str, Array]


@dataclass(frozen=True)
class InputHistory:
    """All assets on one grid of hours."""

    grid: HourGrid
    tracks: Mapping[str, InputTrack]


def survey(hourly: Mapping[str, Bars], latest_h: int | None = None) -> InputHistory:
    """The history of the assets that have hourly bars; at least one must.

    The inputs of an asset are NaN until it has 50 days of bars.
    With `latest_h`, only so many of the last rows are computed; earlier ones count in the seasonal clock alone. The
    last row equals that of the whole history, up to rounding, if `latest_h` is at least NEEDED_H.
    """
    long_grid = hour_grid(hourly)
    since = max(0, len(long_grid) - latest_h) if latest_h else 0
    grid, variance = long_grid.since(since), variance_tracks(long_grid, since)
    tracks: dict[str, InputTrack] = {}
    for asset, hours in grid.tracks.items():
        squares = hours.returns**2
        fast = np.maximum(decayed_mean(squares, hours.open_hours, FAST_HALF_LIFE_H), LEAST_VARIANCE)
        slow = np.maximum(trailing_mean(squares, hours.open_hours, SLOW_H), LEAST_VARIANCE)
        tracks[asset] = InputTrack(hours, fast, slow, variance[asset], inputs={})
    moves = {asset: {span: _move(track, span) for span in (4, 24, 168)} for asset, track in tracks.items()}
    for asset, track in tracks.items():
        inputs = _recent(track, moves[asset]) | _breadth(asset, moves) | _volatility(track) | _trend(track)
        is_long_enough = np.arange(len(grid)) >= track.hours.first + LOOK_BACK_H
        inputs = {name: np.where(is_long_enough, series, np.nan) for name, series in inputs.items()}
        tracks[asset] = replace(track, inputs=inputs)
    return InputHistory(grid, tracks)


def _sigma_of(track: InputTrack, span: int) -> Array:
    """Standard deviation of a return over the last `span` hours at the 180-day volatility."""
    return np.sqrt(track.slow * np.maximum(gain(track.hours.open_hours, span), 1.0))


def _move(track: InputTrack, span: int) -> Array:
    earlier = np.append(np.full(span, np.nan), track.hours.close)[: len(track.hours.close)]
    return (track.hours.close - earlier) / _sigma_of(track, span)


def _mean(series: Array, span: int) -> Array:
    """Mean of the trailing `span` values; NaN until there are as many."""
    is_finite = np.isfinite(series)
    is_full = gain(np.cumsum(is_finite), span) == span
    return np.where(is_full, gain(np.cumsum(np.where(is_finite, series, 0.0)), span) / span, np.nan)


def _recent(track: InputTrack, moves: Mapping[int, Array]) -> dict[str, Array]:
    """Moves over 4 hours to 30 days in 180-day sigmas, and the distance from the 48-hour mean in present ones."""
    return {
        "move_4h": moves[4],
        "move_24h": moves[24],
        "move_72h": _move(track, 72),
        "move_168h": moves[168],
        "move_720h": _move(track, 720),
        "mean_distance_48h": (track.hours.close - _mean(track.hours.close, 48)) / np.sqrt(track.fast * 48),
    }


def _breadth(asset: str, moves: Mapping[str, Mapping[int, Array]]) -> dict[str, Array]:
    """The moves of the other coins, and the lead of the leading one; NaN until all of them have enough history."""
    peers = [coin for coin in COINS if coin != asset and coin in moves]
    leader = moves.get(asset_of(asset).leader)
    if leader is None:
        return dict.fromkeys(PEERS, np.full(len(moves[asset][4]), np.nan))
    week = np.array([moves[coin][168] for coin in peers])
    return {
        "peers_24h": np.array([moves[coin][24] for coin in peers]).mean(axis=0),
        "peers_rising": np.where(np.isfinite(week), np.sign(week), np.nan).mean(axis=0) / 2,
        "leader_4h": leader[4],
        "leader_gap_24h": leader[24] - moves[asset][24],
    }


def _volatility(track: InputTrack) -> dict[str, Array]:
    """Log ratios of volatilities, and the semivariance skew of 7 days in [-1, 1].

    The skew is the variance from up-moves less that from down-moves, over their sum: good and bad volatility of Patton
    and Sheppard (2015).
    """
    squares = track.hours.returns**2
    fastest = np.maximum(decayed_mean(squares, track.hours.open_hours, FASTEST_HALF_LIFE_H), LEAST_VARIANCE)
    signed_squares = np.cumsum(np.sign(track.hours.returns) * squares)
    return {
        "vol_ratio_180d": np.log(track.fast / track.slow) / 2,
        "vol_ratio_12h": np.log(fastest / track.fast) / 2,
        "semivariance_skew_7d": gain(signed_squares, 168) / np.maximum(gain(np.cumsum(squares), 168), LEAST_VARIANCE),
    }


def _trend(track: InputTrack) -> dict[str, Array]:
    """Distance from the 50-day mean in sigmas, and position in the 50-day range from -1 (low) to 1 (high)."""
    close = track.hours.close
    high, low = trailing_max(close, LOOK_BACK_H), -trailing_max(-close, LOOK_BACK_H)
    return {
        "mean_50d": (close - _mean(close, LOOK_BACK_H)) / _sigma_of(track, LOOK_BACK_H),
        "range_position_50d": (2 * close - high - low) / np.maximum(high - low, LEAST_VARIANCE),
    }
