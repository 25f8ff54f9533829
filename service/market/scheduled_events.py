"""Hours in which prices are expected to move more than usual, or less: scheduled announcements and holidays.

The announcements are the interest rate decisions of the Federal Reserve, and the reports on consumer prices and on jobs
of the US Bureau of Labor Statistics. Both publish the dates about a year ahead; they are added to the table once a year
(see `service/docs/operations.md`). After the last line of a kind its hours count as ordinary ones. A report that was
moved, as by the shutdown of 2025, is listed on the day on which it came: for it alone a replay knows a date early.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from service.market.assets import EVENING_H, MONDAY, NEW_YORK, Calendar, holidays
from service.market.instants import HOUR

# One event a line: date and time in New York, and the kind. The table was written from memory and checked against bars
# from February 2024 to April 2025 alone, in which these hours move three to sixteen times the usual variance.
EVENTS = Path(__file__).with_name("scheduled_events.txt")
KINDS = ("rates", "inflation", "jobs")
HOURS_AFTER = 3  # hours that an event makes special, from the one in which it takes place

# The code of an ordinary hour is 0; then come the hours of each kind of event, then those of holidays.
HOLIDAY = 1 + len(KINDS) * HOURS_AFTER
CODES = HOLIDAY + 1


@dataclass(frozen=True)
class SpecialHours:
    """The unix seconds at which special hours begin, rising, and the code of each; shape (n,) both."""

    begins: NDArray[np.int64]
    codes: NDArray[np.int64]


@cache
def special_hours(calendar: Calendar) -> SpecialHours:
    """The special hours of a calendar. An hour of a holiday in which something is announced is not one of a holiday.

    Coins trade through the holidays of Wall Street, metals in short sessions on most of them.
    """
    codes: dict[int, int] = {}
    for day, closes in holidays().items():
        if closes < EVENING_H:
            midnight = _unix(MONDAY + timedelta(days=day), time())
            hours = 24 if calendar == "always" else closes
            codes |= dict.fromkeys(range(midnight, midnight + hours * HOUR, HOUR), HOLIDAY)
    for line in EVENTS.read_text(encoding="utf-8").splitlines():
        day, clock, kind = line.split()
        begins = _unix(date.fromisoformat(day), time.fromisoformat(clock)) // HOUR * HOUR
        for after in range(HOURS_AFTER):
            codes[begins + after * HOUR] = 1 + KINDS.index(kind) * HOURS_AFTER + after
    begins = sorted(codes)
    return SpecialHours(np.array(begins, dtype=np.int64), np.array([codes[start] for start in begins], dtype=np.int64))


def codes_at(calendar: Calendar, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The codes of the hours that contain unix seconds, shape (n,)."""
    special = special_hours(calendar)
    hours = times // HOUR * HOUR
    places = np.minimum(np.searchsorted(special.begins, hours), len(special.begins) - 1)
    return np.where(special.begins[places] == hours, special.codes[places], 0)


def _unix(day: date, clock: time) -> int:
    return int(datetime.combine(day, clock, NEW_YORK).timestamp())
