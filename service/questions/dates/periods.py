"""Days, weeks, months and other ranges of dates, from their first to their last second in UTC."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800, "fortnight": 1209600}
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
# The first month of each meteorological season of the northern hemisphere.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
# Durations are cut to this one, which is past every limit: a longer one would leave the calendar.
MOST_SECONDS = 20 * 366 * 86400
# The note of a deadline that could also have been meant otherwise.
UNDERSTOOD = "The deadline is understood as {deadline}."


@dataclass(frozen=True)
class DateRange:
    """From `begin` to `end`; `exact` marks an instant rather than days of the calendar.

    `note` says what is uncertain about it; `UNDERSTOOD` only that the caller should check the deadline.
    """

    begin: datetime
    end: datetime
    exact: bool = False
    note: str = ""


def unsure(dates: DateRange, note: str = UNDERSTOOD) -> DateRange:
    """The same dates with a note."""
    return replace(dates, note=note)


def between(first: date, last: date) -> DateRange:
    """The days from `first` to `last`."""
    return DateRange(datetime.combine(first, time(), UTC), datetime.combine(last, time(23, 59, 59), UTC))


def day(which: date) -> DateRange:
    return between(which, which)


def months(year: int, first: int, count: int = 1) -> DateRange:
    """`count` months from month `first` of `year` on; months beyond 12 are those of the next year."""
    begin = shifted(date(year, 1, 1), first - 1)
    last = shifted(begin, count - 1)
    return between(begin, last.replace(day=monthrange(last.year, last.month)[1]))


def week(which: date) -> DateRange:
    """The week, from Monday to Sunday, that contains the day."""
    monday = which - timedelta(days=which.weekday())
    return between(monday, monday + timedelta(days=6))


def weekend(which: date) -> DateRange:
    saturday = which - timedelta(days=which.weekday()) + timedelta(days=5)
    return between(saturday, saturday + timedelta(days=1))


def unit(name: str, which: date, ahead: int) -> DateRange:
    """The day, week, month, quarter or year that contains the day, or the one that is `ahead` of them later."""
    if name == "week":
        return week(which + timedelta(weeks=ahead))
    if name not in MONTHS:
        return day(which + timedelta(days=ahead * (14 if name == "fortnight" else 1)))
    length = MONTHS[name]
    index = which.year * 12 + which.month - 1
    first = index - index % length + ahead * length
    return months(first // 12, first % 12 + 1, length)


def season(name: str, year: int) -> DateRange:
    """The season that ends in `year` or, for winter, begins in it."""
    return months(year, SEASONS[name], 3)


def after(now: datetime, count: float, name: str) -> DateRange:
    """The instant `count` minutes, hours, … years after now, or before it if negative."""
    if name in SECONDS:
        seconds = max(-MOST_SECONDS, min(MOST_SECONDS, count * SECONDS[name]))
        instant = now + timedelta(seconds=seconds)
    else:
        whole = int(max(-240, min(240, count * MONTHS[name])))
        part = max(0.0, count * MONTHS[name] - whole) if abs(count) < 20 else 0.0
        instant = datetime.combine(shifted(now.date(), whole), now.timetz()) + timedelta(days=30 * part)
    return DateRange(instant, instant, exact=True)


def shifted(which: date, count: int) -> date:
    """The same day `count` months later, or the last day of that month if it is shorter."""
    index = which.year * 12 + which.month - 1 + count
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(which.day, monthrange(year, month)[1]))
