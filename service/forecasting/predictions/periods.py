"""The days, weeks and months that the series cover; each ends at the last second of a day in UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from service.market import months
from service.market.instants import DAY, HOUR, utc

# The weekday on which the weeks of an asset begin (Monday is 0). They differ, so that markets do not all end at once.
# The weeks of metals begin after a day with long trading hours.
WEEK_BEGINS = {"btc": 0, "eth": 1, "gold": 2, "silver": 3, "sol": 4, "bnb": 5, "xrp": 6}

DAY_BEGINS_S = 12 * HOUR
MONDAY = 4  # days after 1 January 1970


@dataclass(frozen=True)
class Period:
    """A period of the series of one asset, from the unix second `begins` to the unix second `deadline`.

    `is_overlaid` is true if a longer period of the asset has the same deadline.
    """

    category: Literal["daily", "weekly", "monthly"]
    asset: str
    begins: int
    deadline: int
    is_overlaid: bool


def current(asset: str, now: int) -> Iterator[Period]:
    """The periods of an asset that include the unix second `now`, longest first."""
    yield _month(asset, now)
    yield _week(asset, now)
    today = now // DAY * DAY
    for begins in (today - DAY + DAY_BEGINS_S, today + DAY_BEGINS_S):
        if begins <= now:
            yield _day(asset, begins)


def _month(asset: str, now: int) -> Period:
    month = months.month_of(now)
    return Period("monthly", asset, months.begins(month), months.ends(month) - 1, is_overlaid=False)


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
