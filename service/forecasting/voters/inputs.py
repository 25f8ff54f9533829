"""The inputs that voters may use: one row each, with its unit and the way it acts.

A `lean` separates up from down: it changes sign when the price history is mirrored, and is added to the log-odds. A
`width` separates wide from narrow moves: it is multiplied by the distance of the level, so it has no effect on the
direction. Every input is 0 when it carries no information.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from service.market.assets import calendar_of
from service.market.instants import DAY, HOUR

Array = NDArray[np.float64]
Instants = NDArray[np.int64]  # unix seconds
Week = tuple[tuple[int, ...], tuple[int, ...]]

Action = Literal["lean", "width"]


@dataclass(frozen=True)
class Input:
    """`phrase` is how reasoning words a value of it."""

    name: str
    action: Action
    phrase: str


INPUTS: dict[str, Input] = {
    row.name: row
    for row in (
        Input("move_24h", "lean", "24-hour move of {value:+.1f} sigma"),
        Input("move_72h", "lean", "3-day move of {value:+.1f} sigma"),
        Input("move_168h", "lean", "7-day move of {value:+.1f} sigma"),
        Input("move_4h", "lean", "4-hour move of {value:+.1f} sigma"),
        Input("mean_distance_48h", "lean", "distance of {value:+.1f} sigma from the 48-hour mean"),
        Input("peers_24h", "lean", "{peers}' 24-hour move of {value:+.1f} sigma"),
        Input("peers_rising", "lean", "{rising:.0f}% of the {peers} up over 7 days"),
        Input("leader_4h", "lean", "{leader}'s 4-hour move of {value:+.1f} sigma"),
        Input("leader_gap_24h", "lean", "{leader}'s lead of {value:+.1f} sigma over 24 hours"),
        Input("semivariance_skew_7d", "lean", "7-day semivariance skew of {value:+.2f}"),
        Input("mean_50d", "lean", "distance of {value:+.1f} sigma from the 50-day mean"),
        Input("range_position_50d", "lean", "position {position:.0f} of 100 in the 50-day range"),
        Input("move_720h", "lean", "30-day move of {value:+.1f} sigma"),
        Input("vol_ratio_180d", "width", "volatility {ratio:.2f} times its 180-day level (average {average:.2f})"),
        Input("vol_ratio_12h", "width", "12-hour volatility {ratio:.2f} times the 3-day one (average {average:.2f})"),
        Input("weekend", "width", "weekend share {share:+.1f} pp from average"),
        Input("us_session", "width", "US session share {share:+.1f} pp from average"),
        Input("month_turn", "lean", "turn-of-month share {share:+.1f} pp from average"),
        Input("news_level", "lean", "news score of {value:+.2f}"),
        Input("news_change", "lean", "24-hour change of {value:+.2f} in the news score"),
        Input("news_volume", "width", "{ratio:.2f} times the usual number of stories (average {average:.2f})"),
        Input("news_surprise", "lean", "news score {value:+.2f} from its week before"),
    )
}

ONE_DAY = np.timedelta64(1, "D")
WINDOW = ("weekend", "us_session", "month_turn")
PEERS = ("peers_24h", "peers_rising", "leader_4h", "leader_gap_24h")
HEADLINES = ("news_level", "news_change", "news_volume", "news_surprise")  # only of the news seat
LOOK_BACK_H = 50 * 24  # hours of history that the longest look-back needs


def is_metal(asset: str) -> bool:
    """Whether an asset trades in exchange hours; the shape of its moves differs as well."""
    return calendar_of(asset) == "comex"


def leader_of(asset: str) -> str:
    """The coin that leads the others: bitcoin, and ether for bitcoin itself."""
    return "eth" if asset == "btc" else "btc"


def can_have(names: Collection[str], assets: Collection[str]) -> bool:
    """Whether any of `assets` has all these inputs once there is enough history: those of peers need its leader."""
    return set(PEERS).isdisjoint(names) or any(leader_of(asset) in assets for asset in assets)


def describe(name: str, value: float, center: float, asset: str, label: Callable[[str], str] = str) -> str:
    """The value of an input in words; `center` is its average over the questions that the voter was fitted to.

    `label` gives the name of another asset.
    """
    return INPUTS[name].phrase.format(
        value=value,
        ratio=np.exp(value),
        average=np.exp(center),
        share=100 * value,
        rising=100 * (value + 0.5),
        position=50 * (value + 1),
        leader=label(leader_of(asset)),
        peers="coins" if is_metal(asset) else "other coins",
    )


@overload
def of_window(asset: str, since: int, until: int, hours: float) -> dict[str, float]: ...


@overload
def of_window(asset: str, since: Instants, until: Instants, hours: Array) -> dict[str, Array]: ...


def of_window(
    asset: str, since: int | Instants, until: int | Instants, hours: float | Array
) -> Mapping[str, float | Array]:
    """The inputs that depend on the calendar of the horizon alone.

    Parameters
    ----------
    since, until : int or ndarray of int
        Unix seconds at which the question is asked and decided.
    hours : float or ndarray
        Open hours of `asset` between them.

    Returns
    -------
    dict of str to float or ndarray of float
        `weekend` and `us_session` (share of the open hours on Saturday and Sunday, and from 13 to 21 UTC on weekdays)
        and `month_turn` (share of the days that are the last or the first three of a month: Ariel 1987), each less its
        average share, in [-1, 1]. `weekend` is 0 for metals.
    """
    open_seconds = np.maximum(hours, 1 / HOUR) * HOUR
    metal = is_metal(asset)
    weekend = _within(_WEEKEND, since, until) / open_seconds - 2 / 7
    us_average = 8 / 23 if metal else 40 / 168
    turn = (_turns_until(until) - _turns_until(since)) / np.maximum(until - since, 1)
    return {
        "weekend": weekend * 0.0 if metal else weekend,
        "us_session": np.clip(_within(_US_SESSION, since, until) / open_seconds, 0, 1) - us_average,
        "month_turn": turn - 4 * 12 / 365.2425,
    }


# Knots of a week that begins like unix time, on a Thursday: hours, and hours counted up to each.
_WEEKEND: Week = ((0, 48, 96, 168), (0, 0, 48, 48))
_US_SESSION: Week = (
    (0, 13, 21, 37, 45, 109, 117, 133, 141, 157, 165, 168),
    (0, 0, 8, 8, 16, 16, 24, 24, 32, 32, 40, 40),
)


def _within(week: Week, since: int | Instants, until: int | Instants) -> float | Array:
    """Seconds between two instants that fall into the counted hours of a week."""
    return (_counted_until(week, until) - _counted_until(week, since)) * HOUR


def _counted_until(week: Week, time: int | Instants) -> float | Array:
    """Counted hours from January 1970 until `time`."""
    knots, counted = week
    hour = np.divide(time, HOUR)
    return hour // 168 * counted[-1] + np.interp(hour % 168, knots, counted)


def _turns_until(time: int | Instants) -> NDArray[np.int64]:
    """Seconds of turn-of-month days (the first three and the last) from January 1970 until `time`."""
    day = np.asarray(time) // DAY
    date = day.astype("datetime64[D]")
    month = date.astype("datetime64[M]")
    before = (date - month.astype("datetime64[D]")).astype(np.int64)
    is_last = (date + ONE_DAY).astype("datetime64[M]") != month
    whole_days = month.astype(np.int64) * 4 + np.minimum(before, 3)
    return whole_days * DAY + np.where((before < 3) | is_last, np.asarray(time) % DAY, 0)
