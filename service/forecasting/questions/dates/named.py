"""What a date of the calendar means: days, months, quarters, halves, years, holidays and seasons.

Each function takes the tokens under the names that its rule in `rules` gives them.
"""

from __future__ import annotations

import re
from datetime import date

from service.forecasting.questions.dates import periods
from service.forecasting.questions.dates.periods import Period
from service.forecasting.questions.dates.reading import Named, Today, day, next_time, no_such_date, number, part, year


def iso(named: Named, _: Today) -> Period:
    """2026-12-31, with or without a time of day."""
    written, _, clock = named["iso"].text.replace("t", " ").partition(" ")
    whole = day(*(int(one) for one in written.split("-")))
    if not clock:
        return whole
    hour, minute = (int(one) for one in clock.split(":")[:2])
    if hour > 23 or minute > 59:
        raise no_such_date()
    instant = whole.begin.replace(hour=hour, minute=minute)
    return Period(instant, instant, exact=True)


def numeric(named: Named, today: Today) -> Period:
    """31.12.2026, 12/31/2026, 2026/12/31; points and hyphens mean the day comes first."""
    text = named["date"].text
    first, second, third = (int(one) for one in re.split(r"[./-]", text))
    if first > 31:
        return day(first, second, third)
    month, which = _month_and_day(first, second, "/" not in text or today.day_first)
    return day(third if third > 99 else 2000 + third, month, which)


def slashed(named: Named, today: Today) -> Period | None:
    """12/31, but not 24/7."""
    first, second = (int(one) for one in named["slash"].text.split("/"))
    if (first, second) == (24, 7):
        return None
    return _day_of(today, None, *_month_and_day(first, second, today.day_first))


def dotted(named: Named, today: Today) -> Period:
    """31.12. where a word before it says that it is a date."""
    which, month = (int(one) for one in named["daymonth"].text.split("."))
    return _day_of(today, None, month, which)


def glyph_date(named: Named, today: Today) -> Period:
    """2026年12月31日, 12月末."""
    text = named["glyphdate"].text
    said_year, month, which = (re.search(rf"(\d+)\s*[{glyph}]", text) for glyph in ("年", "月", "日号號"))
    in_year = int(said_year[1]) if said_year else year(named)
    if which:
        return _day_of(today, in_year, int(month[1]), int(which[1]))
    return part(named, _month(today, in_year, int(month[1])))


def month_day(named: Named, today: Today) -> Period:
    """December 31, 31 December 2026, "31 December next year"."""
    month, which = int(named["month"].value), number(named["day"])
    if "next" in named:
        return day(today.now.year + 1, month, which)
    return _day_of(today, year(named), month, which)


def month_days(named: Named, today: Today) -> Period:
    """November 24-30: the last day counts."""
    return month_day({**named, "day": named["last_day"]}, today)


def day_of_month(named: Named, today: Today) -> Period | None:
    """ "The 15th": of this month, or of the next one that has such a day."""
    which = number(named["day"])
    for ahead in range(3):
        month = periods.shifted(today.date.replace(day=1), ahead)
        if which <= periods.months(month.year, month.month).end.day and month.replace(day=which) >= today.date:
            return periods.day(month.replace(day=which))
    return None


def month_name(named: Named, today: Today) -> Period:
    """December, "end of December 2026"."""
    return part(named, _month(today, year(named), int(named["month"].value)))


def last_month_name(named: Named, today: Today) -> Period:
    """ "Last December"."""
    month = int(named["month"].value)
    return periods.months(today.now.year - (month >= today.now.month), month)


def week_of_month(named: Named, today: Today) -> Period:
    """ "The first week of December" ends on the seventh."""
    whole = _month(today, year(named), int(named["month"].value))
    last = min(7 * number(named["which"]), whole.end.day)
    return periods.between(whole.begin.date(), whole.begin.date().replace(day=last))


def quarter(named: Named, today: Today) -> Period | None:
    """Q1, "the third quarter of 2027"."""
    which = number(named["which"])
    if not 1 <= which <= 4:
        return None
    return part(named, next_time(today, year(named), lambda in_year: periods.months(in_year, 3 * which - 2, 3)))


def half(named: Named, today: Today) -> Period | None:
    """H1, "the first half of 2027"."""
    which = number(named["which"])
    if not 1 <= which <= 2:
        return None
    return next_time(today, year(named), lambda in_year: periods.months(in_year, 6 * which - 5, 6))


def whole_year(named: Named, _: Today) -> Period:
    """2027, "early 2027"."""
    return part(named, periods.months(year(named), 1, 12))


def holiday(named: Named, today: Today) -> Period:
    name = str(named["holiday"].value)
    return next_time(today, year(named), lambda in_year: periods.day(periods.holiday(name, in_year)))


def season(named: Named, today: Today) -> Period:
    name = str(named["season"].value)
    return part(named, next_time(today, year(named), lambda in_year: periods.season(name, in_year)))


def impossible(*_: object) -> Period:
    """ "By 32 December"."""
    raise no_such_date()


def _month(today: Today, in_year: int | None, month: int) -> Period:
    if not 1 <= month <= 12:
        raise no_such_date()
    return next_time(today, in_year, lambda in_year: periods.months(in_year, month))


def _day_of(today: Today, in_year: int | None, month: int, which: int) -> Period:
    """That day in the year named or its next time; February 29 waits for a leap year."""
    if in_year is None and (month, which) == (2, 29):
        in_year = next(later for later in range(today.now.year, today.now.year + 9) if _has_leap_day(later, today))
    return next_time(today, in_year, lambda in_year: day(in_year, month, which))


def _has_leap_day(in_year: int, today: Today) -> bool:
    leap = in_year % 4 == 0 and (in_year % 100 != 0 or in_year % 400 == 0)
    return leap and date(in_year, 2, 29) >= today.date


def _month_and_day(first: int, second: int, day_first: bool) -> tuple[int, int]:
    """Month and day of two numbers: as the language writes them, the other way round if only that is a date."""
    month, which = (second, first) if day_first else (first, second)
    return (which, month) if month > 12 >= which else (month, which)
