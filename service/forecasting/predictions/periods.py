"""The days, weeks and months over which the series ask; each ends with the last second of a day in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from service.market.instants import DAY, HOUR, utc

# The weekday on which an asset's weeks begin, Monday being 0: another for each, so that they do not all end at once,
# and for the metals one after a day on which they trade for long.
WEEK_BEGINS = {"btc": 0, "eth": 1, "gold": 2, "silver": 3, "sol": 4, "bnb": 5, "xrp": 6}

DAY_BEGINS_S = 12 * HOUR
MONDAY = 4  # days after the 1 January 1970


@dataclass(frozen=True)
class Period:
    """A stretch of time that series of one asset ask about, from the second `begins` to the second `deadline`.

    `is_overlaid`: a longer one of the same asset has the same deadline.
    """

    category: Literal["daily", "weekly", "monthly"]
    asset: str
    begins: int
    deadline: int
    is_overlaid: bool


def current(asset: str, now: int) -> Iterator[Period]:
    """The periods of an asset that run at the unix second `now`, the longest first."""
    yield _month(asset, now)
    yield _week(asset, now)
    today = now // DAY * DAY
    for begins in (today - DAY + DAY_BEGINS_S, today + DAY_BEGINS_S):
        if begins <= now:
            yield _day(asset, begins)


def _month(asset: str, now: int) -> Period:
    begins = utc(now).replace(day=1, hour=0, minute=0, second=0)
    ends = (begins + timedelta(days=31)).replace(day=1)
    return Period("monthly", asset, int(begins.timestamp()), int(ends.timestamp()) - 1, is_overlaid=False)


def _week(asset: str, now: int) -> Period:
    day = now // DAY
    begins = (day - (day - MONDAY - WEEK_BEGINS[asset]) % 7) * DAY
    ends = begins + 7 * DAY
    return Period("weekly", asset, begins, ends - 1, is_overlaid=_begins_month(ends))


def _day(asset: str, begins: int) -> Period:
    ends = begins - DAY_BEGINS_S + 2 * DAY
    overlaid = _begins_month(ends) or _begins_week(asset, ends)
    return Period("daily", asset, begins, ends - 1, is_overlaid=overlaid)


def _begins_month(midnight: int) -> bool:
    return utc(midnight).day == 1


def _begins_week(asset: str, midnight: int) -> bool:
    return (midnight // DAY - MONDAY - WEEK_BEGINS[asset]) % 7 == 0
