"""What language models and the layers of apex are told of the past: one row each, with its unit.

Every input is 0 when it carries no information.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from service.market.assets import calendar_of
from service.market.instants import DAY, HOUR, utc

Week = tuple[tuple[int, ...], tuple[int, ...]]

# Each input, and how a value of it is worded.
INPUTS: dict[str, str] = {
    "move_24h": "24-hour move of {value:+.1f} sigma",
    "move_72h": "3-day move of {value:+.1f} sigma",
    "move_168h": "7-day move of {value:+.1f} sigma",
    "move_4h": "4-hour move of {value:+.1f} sigma",
    "mean_distance_48h": "distance of {value:+.1f} sigma from the 48-hour mean",
    "peers_24h": "{peers}' 24-hour move of {value:+.1f} sigma",
    "peers_rising": "{rising:.0f}% of the {peers} up over 7 days",
    "leader_4h": "{leader}'s 4-hour move of {value:+.1f} sigma",
    "leader_gap_24h": "{leader}'s lead of {value:+.1f} sigma over 24 hours",
    "semivariance_skew_7d": "7-day semivariance skew of {value:+.2f}",
    "mean_50d": "distance of {value:+.1f} sigma from the 50-day mean",
    "range_position_50d": "position {position:.0f} of 100 in the 50-day range",
    "move_720h": "30-day move of {value:+.1f} sigma",
    "vol_ratio_180d": "volatility {ratio:.2f} times its 180-day level",
    "vol_ratio_12h": "12-hour volatility {ratio:.2f} times the 3-day one",
    "weekend": "weekend share {share:+.1f} pp from average",
    "us_session": "US session share {share:+.1f} pp from average",
    "month_turn": "turn-of-month share {share:+.1f} pp from average",
}

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


def leader_of(asset: str) -> str:
    """The coin that leads the others: bitcoin, and ether for bitcoin itself."""
    return "eth" if asset == "btc" else "btc"


def describe(name: str, value: float, asset: str, label: Callable[[str], str] = str) -> str:
    """The value of an input in words; `label` gives the name of another asset."""
    return INPUTS[name].format(
        value=value,
        ratio=np.exp(value),
        share=100 * value,
        rising=100 * (value + 0.5),
        position=50 * (value + 1),
        leader=label(leader_of(asset)),
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
    return _counted_until(week, until) - _counted_until(week, since)


def _counted_until(week: Week, time: int) -> float:
    """Counted hours from January 1970 until `time`."""
    knots, counted = week
    weeks, hour = divmod(time / HOUR, 168)
    return weeks * counted[-1] + float(np.interp(hour, knots, counted))


def _turns_until(time: int) -> int:
    """Seconds of turn-of-month days (the first three and the last) from January 1970 until `time`."""
    at = utc(time)
    months, before = 12 * (at.year - 1970) + at.month - 1, at.day - 1
    is_turn = before < 3 or utc(time + DAY).month != at.month
    return (4 * months + min(before, 3)) * DAY + (time % DAY if is_turn else 0)
