"""Days, weeks, months and other ranges of dates, from their first to their last second in UTC."""

from __future__ import annotations

import tomllib
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from dateutil.easter import EASTER_ORTHODOX, easter

from service.errors import InvalidQuestion
from service.questions.criterion import invalid

# The years that a text may name or lead to.
FIRST_YEAR, LAST_YEAR = 1990, 2100
SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800, "fortnight": 1209600}
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
# The first month of each meteorological season of the northern hemisphere, which lasts three: the season of a year ends
# in it, the winter of a year begins in it.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
# Durations are cut to this one, which is past every limit: a longer one would leave the calendar.
MOST_SECONDS = 20 * 366 * 86400
# The note of a deadline that could also have been meant otherwise.
UNSURE_NOTE = "The deadline is understood as {deadline}."
# The first Sunday of Advent is this long before December 24, or the Sunday before it.
ADVENT = timedelta(weeks=3)
# The Chinese calendar is computed up to this year.
LAST_LUNAR_YEAR = 2099
_HOLIDAYS = tomllib.loads(Path(__file__).with_name("holidays.toml").read_text("utf-8"))
FIXED_DATES, LENGTHS, EASTER, WEEKDAYS = (_HOLIDAYS[name] for name in ("fixed", "lengths", "easter", "weekdays"))
LUNAR, LUNAR_DAYS, SOLAR, ISLAMIC = (_HOLIDAYS[name] for name in ("lunar", "lunar_days", "solar", "islamic"))
# The day before the first one of the Islamic calendar, as an ordinal of the Gregorian one.
ISLAMIC_EPOCH = date(622, 7, 18).toordinal()
# Holidays that others celebrate on another day.
UNSURE = {"orthodox christmas", "orthodox easter", "between the years", *ISLAMIC}


def out_of_calendar() -> InvalidQuestion:
    """The refusal of a year that no question can be about."""
    return invalid(f"Dates are understood from {FIRST_YEAR} to {LAST_YEAR}. Write one like 2026-12-31.", "deadline")


@dataclass(frozen=True)
class DateRange:
    """From `start` to `end`; `exact` marks an instant rather than days of the calendar.

    `note` says what is uncertain about it; `UNSURE_NOTE` only that the caller should check the deadline.
    """

    start: datetime
    end: datetime
    exact: bool = False
    note: str = ""

    @property
    def is_period(self) -> bool:
        """Whether these are more than one day of the calendar."""
        return not self.exact and self.end - self.start > timedelta(days=1)

    def __post_init__(self) -> None:
        if self.start.year < FIRST_YEAR or self.end.year > LAST_YEAR:
            raise out_of_calendar()


def unsure(dates: DateRange, note: str = UNSURE_NOTE) -> DateRange:
    """The same dates with a note."""
    return replace(dates, note=note)


def between(first: date, last: date) -> DateRange:
    """The days from `first` to `last`."""
    return DateRange(datetime.combine(first, time(), UTC), datetime.combine(last, time(23, 59, 59), UTC))


def day(anchor: date) -> DateRange:
    return between(anchor, anchor)


def months(year: int, first: int, count: int = 1) -> DateRange:
    """`count` months from month `first` of `year` on; months beyond 12 are those of the next year."""
    start = shifted(date(year, 1, 1), first - 1)
    last = shifted(start, count - 1)
    return between(start, last.replace(day=monthrange(last.year, last.month)[1]))


def week(anchor: date) -> DateRange:
    """The week, from Monday to Sunday, that contains the day."""
    monday = anchor - timedelta(days=anchor.weekday())
    return between(monday, monday + timedelta(days=6))


def weekend(anchor: date) -> DateRange:
    saturday = anchor - timedelta(days=anchor.weekday()) + timedelta(days=5)
    return between(saturday, saturday + timedelta(days=1))


def unit(name: str, anchor: date, shift: int) -> DateRange:
    """The day, week, month, quarter or year that contains the day, or the one that is `shift` of them later."""
    if name == "week":
        return week(anchor + timedelta(weeks=shift))
    if name not in MONTHS:
        return day(anchor + timedelta(days=shift * (14 if name == "fortnight" else 1)))
    length = MONTHS[name]
    index = anchor.year * 12 + anchor.month - 1
    first = index - index % length + shift * length
    return months(first // 12, first % 12 + 1, length)


def after(now: datetime, count: float, name: str) -> DateRange:
    """The instant `count` minutes, hours, … years after now, or before it if negative."""
    if name in SECONDS:
        seconds = max(-MOST_SECONDS, min(MOST_SECONDS, count * SECONDS[name]))
        instant = now + timedelta(seconds=seconds)
    else:
        total = int(max(-240, min(240, count * MONTHS[name])))
        part = max(0.0, count * MONTHS[name] - total) if abs(count) < 20 else 0.0
        instant = datetime.combine(shifted(now.date(), total), now.timetz()) + timedelta(days=30 * part)
    return DateRange(instant, instant, exact=True)


def shifted(anchor: date, count: int) -> date:
    """The same day `count` months later, or the last day of that month if it is shorter."""
    index = anchor.year * 12 + anchor.month - 1 + count
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(anchor.day, monthrange(year, month)[1]))


def holiday(name: str, year: int) -> date:
    """The date of a holiday in `year`."""
    if name in FIXED_DATES:
        return date(year, *FIXED_DATES[name])
    if name in EASTER:
        return easter(year) + timedelta(days=EASTER[name])
    if name == "advent":
        eve = date(year, *FIXED_DATES["christmas eve"])
        return eve - timedelta(days=(eve.weekday() + 1) % 7) - ADVENT
    if name == "orthodox easter":
        return easter(year, EASTER_ORTHODOX)
    if name in LUNAR:
        month, day, delays = LUNAR[name]
        year = min(max(year, FIRST_YEAR), LAST_LUNAR_YEAR)
        return date(year, month, day) + timedelta(days=int(delays[year - FIRST_YEAR], 36))
    if name in LUNAR_DAYS:
        return holiday("chinese new year", year) + timedelta(days=LUNAR_DAYS[name])
    if name in SOLAR:
        return _solar(year, *SOLAR[name])
    if name in ISLAMIC:
        return _islamic(year, *ISLAMIC[name])
    month, weekday, ordinal, later = WEEKDAYS[name]
    return nth_weekday(months(year, month), weekday, ordinal) + timedelta(days=later)


def holidays(name: str, year: int) -> DateRange:
    """The days of a holiday in `year`."""
    first = holiday(name, year)
    return between(first, first + timedelta(days=LENGTHS.get(name, 1) - 1))


def _solar(year: int, month: int, average: float, later: int) -> date:
    """A day of the sun's year, computed from 2000 to 2099."""
    years = year % 100
    leaps = (years - 1) // 4 if month < 3 else years // 4
    return date(year, month, int(years * 0.2422 + average) - leaps) + timedelta(days=later)


def _islamic(year: int, month: int, monthday: int) -> date:
    """The first such day of the tabular Islamic calendar in `year`."""
    first = date(year, 1, 1)
    for islamic_year in range(int((year - 622) * 33 / 32) - 1, int((year - 622) * 33 / 32) + 3):
        days = (islamic_year - 1) * 354 + (3 + 11 * islamic_year) // 30 + (59 * (month - 1) + 1) // 2 + monthday
        at = date.fromordinal(ISLAMIC_EPOCH + days)
        if at >= first:
            return at
    raise ValueError(f"no such day of the Islamic calendar in {year}")


def nth_weekday(dates: DateRange, weekday: int, ordinal: int) -> date:
    """That weekday of the dates, counted from their begin; the last one for a negative number."""
    first, last = dates.start.date(), dates.end.date()
    if ordinal < 0:
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (ordinal - 1))
