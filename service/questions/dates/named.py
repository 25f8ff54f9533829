"""Dates of the calendar: days, months, quarters, halves, years, holidays and seasons.

Each function takes the matched tokens under the names that its rule in `rules` gives them.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import (
    Named,
    Today,
    day,
    next_time,
    no_such_date,
    number,
    part,
    units_ahead,
    written_year,
    year,
)

# How far ahead a weekday with a day of the month is looked for: "Friday the 13th", "viernes 27".
MANY_DAYS, FEW_DAYS = 2 * 366, 62
# A holiday before this day of the week ends a long weekend, a later one begins it.
WEDNESDAY = 2


def iso(named: Named, _today: Today) -> DateRange:
    """2026-12-31, 20261231."""
    if "iso" in named:
        return _on_weekday(named, day(*map(int, named["iso"].text.split("-"))))
    text = named["compact"].text
    return _on_weekday(named, day(int(text[:4]), int(text[4:6]), int(text[6:])))


def stamp(named: Named, _today: Today) -> DateRange:
    """2026-12-31T15:00+02:00."""
    try:
        instant = datetime.fromisoformat(named["stamp"].text.upper()).astimezone(UTC)
    except ValueError:
        raise no_such_date() from None
    return DateRange(instant, instant, exact=True)


def numeric(named: Named, today: Today) -> DateRange:
    """31.12.2026, 12/31/2026, 2026/12/31; with points and hyphens the day comes first."""
    text = named["date"].text
    first, second, third = map(int, re.split(r"[./-]", text))
    if first > 31:
        return day(first, second, third)
    in_year = third if third > 99 else 2000 + third
    month, which = _month_and_day(first, second, "/" not in text or today.day_first)
    if "." in text or not _is_ambiguous(first, second):
        return _on_weekday(named, day(in_year, month, which))
    swapped = day(in_year, which, month)
    written = day(in_year, month, which)
    return periods.unsure(swapped if written.end <= today.now < swapped.end else written, _read_as(text))


def slashed(named: Named, today: Today) -> DateRange | None:
    """12/31, but not 24/7."""
    first, second = map(int, named["slash"].text.split("/"))
    if (first, second) == (24, 7):
        return None
    dates = _day_of(today, None, *_month_and_day(first, second, today.day_first))
    return periods.unsure(dates, _read_as(named["slash"].text)) if _is_ambiguous(first, second) else dates


def dotted(named: Named, today: Today) -> DateRange:
    """31.12. after a word that makes it a date."""
    which, month = map(int, named["daymonth"].text.split("."))
    return _day_of(today, None, month, which)


def glyph_date(named: Named, today: Today) -> DateRange:
    """2026年12月31日, 12月末."""
    before, _, after = named["glyphdate"].text.partition("月")
    *years, month = map(int, re.findall(r"\d+", before))
    days = re.findall(r"\d+", after)
    in_year = years[0] if years else year(named)
    if days:
        return _day_of(today, in_year, month, int(days[0]))
    return part(named, _month(today, in_year, month))


def month_day(named: Named, today: Today) -> DateRange:
    """December 31, 31 December 2026, "31 December next year"."""
    month, which = int(named["month"].quantity), number(named["day"])
    if "next" in named:
        return day(today.now.year + 1, month, which)
    return _on_weekday(named, _day_of(today, year(named), month, which))


def month_days(named: Named, today: Today) -> DateRange:
    """November 24-30: the last day counts."""
    return month_day({**named, "day": named["last_day"]}, today)


def day_of_month(named: Named, today: Today) -> DateRange | None:
    """Example: "The 15th": of this month, or of the next month that has such a day."""
    which = number(named["day"])
    if not 1 <= which <= 31:
        raise no_such_date()
    for ahead in range(3):
        month = periods.shifted(today.date.replace(day=1), ahead)
        if which <= periods.months(month.year, month.month).end.day and month.replace(day=which) >= today.date:
            return periods.day(month.replace(day=which))
    return None


def bare_day(named: Named, today: Today) -> DateRange | None:
    """Example: "D'ici le 5", "bis zum 5."."""
    dates = day_of_month(named, today)
    return periods.unsure(dates) if dates else None


def day_in_month(named: Named, today: Today) -> DateRange | None:
    """Example: "The 5th of next month", "the first of the month"."""
    if "near" not in named:
        return day_of_month(named, today)
    month = periods.shifted(today.date.replace(day=1), units_ahead(named))
    return day(month.year, month.month, number(named["day"]))


def weekday_and_day(named: Named, today: Today) -> DateRange | None:
    """Example: "Friday the 13th": the next Friday that is a 13th; a bare number must be that of the coming weeks."""
    weekday, which = int(named["weekday"].quantity), number(named["day"])
    days = MANY_DAYS if named["day"].kind == "nth" else FEW_DAYS
    coming = (today.date + timedelta(days=here) for here in range(days))
    match = next((periods.day(each) for each in coming if (each.weekday(), each.day) == (weekday, which)), None)
    return periods.unsure(match) if match and named["day"].kind != "nth" else match


def month_name(named: Named, today: Today) -> DateRange:
    """December, "end of December 2026"."""
    return part(named, _month(today, year(named), int(named["month"].quantity)))


def last_month_name(named: Named, today: Today) -> DateRange:
    """Example: "Last December"."""
    month = int(named["month"].quantity)
    return periods.months(today.now.year - (month >= today.now.month), month)


def week_of_month(named: Named, today: Today) -> DateRange:
    """Example: "The first week of December" ends on the seventh."""
    whole = _month(today, year(named), int(named["month"].quantity))
    last = min(7 * number(named["which"]), whole.end.day) if number(named["which"]) > 0 else whole.end.day
    return periods.unsure(periods.between(whole.begin.date(), whole.begin.date().replace(day=last)))


def quarter(named: Named, today: Today) -> DateRange | None:
    """Q1, "the third quarter of 2027"."""
    which = number(named["which"]) % 5  # the final quarter is -1
    if not 1 <= which <= 4:
        return None
    return part(named, next_time(today, year(named), lambda in_year: periods.months(in_year, 3 * which - 2, 3)))


def half(named: Named, today: Today) -> DateRange | None:
    """H1, "the first half of 2027"."""
    which = number(named["which"])
    if not 1 <= which <= 2:
        return None
    return part(named, next_time(today, year(named), lambda in_year: periods.months(in_year, 6 * which - 5, 6)))


def whole_year(named: Named, _today: Today) -> DateRange:
    """2027, "early 2027"."""
    return part(named, periods.months(written_year(named["year"]), 1, 12))


def holiday(named: Named, today: Today) -> DateRange:
    name = str(named["holiday"].value)
    dates = next_time(today, _year_of(named, today), lambda in_year: periods.day(periods.holiday(name, in_year)))
    return periods.unsure(dates) if name in periods.UNSURE else dates


def sunday_of_advent(named: Named, today: Today) -> DateRange | None:
    """Example: "3. Advent", "zweiter Advent"."""
    later = timedelta(weeks=number(named["which"]) - 1)
    if named["holiday"].value != "advent":
        return None
    return next_time(today, year(named), lambda in_year: periods.day(periods.holiday("advent", in_year) + later))


def holiday_week(named: Named, today: Today) -> DateRange:
    """Example: "Christmas week": from Monday to Sunday."""
    return periods.unsure(part(named, periods.week(holiday(named, today).begin.date())))


def holiday_weekend(named: Named, today: Today) -> DateRange:
    """Example: "Thanksgiving weekend": its Sunday, or the Monday or Tuesday after it that is the holiday itself."""
    which = holiday(named, today).begin.date()
    sunday = which + timedelta(days=6 - which.weekday())
    return periods.unsure(periods.between(which, which) if which.weekday() < WEDNESDAY else periods.weekend(sunday))


def season(named: Named, today: Today) -> DateRange:
    name = str(named["season"].value)
    return part(named, next_time(today, year(named), lambda in_year: periods.season(name, in_year)))


def impossible(*_: object) -> DateRange:
    """Example: "By 32 December"."""
    raise no_such_date()


def _month(today: Today, in_year: int | None, month: int) -> DateRange:
    if not 1 <= month <= 12:
        raise no_such_date()
    return next_time(today, in_year, lambda in_year: periods.months(in_year, month))


def _day_of(today: Today, in_year: int | None, month: int, which: int) -> DateRange:
    """That day in the named year, or the next such day; the next February 29 is in a leap year."""
    if in_year is None and (month, which) == (2, 29):
        in_year = next(later for later in range(today.now.year, today.now.year + 9) if _has_leap_day(later, today))
    return next_time(today, in_year, lambda in_year: day(in_year, month, which))


def _has_leap_day(in_year: int, today: Today) -> bool:
    leap = in_year % 4 == 0 and (in_year % 100 != 0 or in_year % 400 == 0)
    return leap and date(in_year, 2, 29) >= today.date


def _year_of(named: Named, today: Today) -> int | None:
    """The named year; "Christmas next year" is in the next one."""
    return today.now.year + 1 if "next" in named and "unit" in named else year(named)


def _on_weekday(named: Named, dates: DateRange) -> DateRange:
    """The same day, with a note if it is not the weekday that is named beside it."""
    if "weekday" not in named or int(named["weekday"].quantity) == dates.begin.weekday():
        return dates
    return periods.unsure(dates, f"{dates.begin:%Y-%m-%d} is a {dates.begin:%A}: the date counts, not the weekday.")


def _is_ambiguous(first: int, second: int) -> bool:
    """Whether the two numbers make a date in either order, and not the same."""
    return first != second and first <= 12 and second <= 12


def _read_as(text: str) -> str:
    return f"{text} is understood as {{deadline}}. Write 2026-12-31 to be certain."


def _month_and_day(first: int, second: int, day_first: bool) -> tuple[int, int]:
    """Month and day of two numbers: in the order of the language, or in the other if only that is a date."""
    month, which = (second, first) if day_first else (first, second)
    return (which, month) if month > 12 >= which else (month, which)
