"""Dates of the calendar: days, months, quarters, halves, years, holidays and seasons."""

from __future__ import annotations

import re
from calendar import isleap
from datetime import UTC, date, datetime, timedelta

from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import (
    Match,
    Today,
    day,
    next_time,
    no_such_date,
    number,
    part,
    units_ahead,
    year,
)

# How far ahead a weekday with a day of the month is looked for: "Friday the 13th", "viernes 27".
MANY_DAYS, FEW_DAYS = 2 * 366, 62
# A holiday before this day of the week ends a long weekend, a later one begins it.
WEDNESDAY = 2


def iso(match: Match, _today: Today) -> DateRange:
    """2026-12-31, 20261231."""
    text = match["iso"].text
    parts = text.split("-") if "-" in text else (text[:4], text[4:6], text[6:])
    return _on_weekday(match, day(*map(int, parts)))


def stamp(match: Match, _today: Today) -> DateRange:
    """2026-12-31T15:00+02:00."""
    try:
        instant = datetime.fromisoformat(match["stamp"].text.upper()).astimezone(UTC)
    except (OverflowError, ValueError):  # its offset may lead out of all years
        raise no_such_date() from None
    return DateRange(instant, instant, exact=True)


def numeric(match: Match, today: Today) -> DateRange:
    """31.12.2026, 12/31/2026, 2026/12/31; with points and hyphens the day comes first."""
    text = match["date"].text
    first, second, third = map(int, re.split(r"[./-]", text))
    if first > 31:
        return day(first, second, third)
    in_year = third if third > 99 else 2000 + third
    month, monthday = _month_and_day(first, second, "/" not in text or today.day_first)
    if "." in text or not _is_ambiguous(first, second):
        return _on_weekday(match, day(in_year, month, monthday))
    other_order = day(in_year, monthday, month)
    dates = day(in_year, month, monthday)
    return periods.unsure(other_order if dates.end <= today.now < other_order.end else dates, _read_as(text))


def slashed(match: Match, today: Today) -> DateRange | None:
    """12/31, but not 24/7."""
    first, second = map(int, match["slash"].text.split("/"))
    if (first, second) == (24, 7):
        return None
    dates = _day_of(today, None, *_month_and_day(first, second, today.day_first))
    return periods.unsure(dates, _read_as(match["slash"].text)) if _is_ambiguous(first, second) else dates


def dotted(match: Match, today: Today) -> DateRange:
    """31.12. after a word that makes it a date."""
    monthday, month = map(int, match["daymonth"].text.split("."))
    return _day_of(today, None, month, monthday)


def glyph_date(match: Match, today: Today) -> DateRange:
    """2026年12月31日, 12月末."""
    before, _, after = match["glyphdate"].text.partition("月")
    *years, month = map(int, re.findall(r"\d+", before))
    days = re.findall(r"\d+", after)
    in_year = years[0] if years else year(match)
    if days:
        return _day_of(today, in_year, month, int(days[0]))
    return part(match, _month(today, in_year, month))


def month_day(match: Match, today: Today) -> DateRange:
    """December 31, 31 December 2026; of November 24-30 the last day."""
    return _on_weekday(match, _day_of(today, year(match), int(match["month"].quantity), number(match["day"])))


def day_of_month(match: Match, today: Today) -> DateRange | None:
    """Example: "The 15th", "bis zum 5.": of this month, or of the next that has such a day; "the 5th of next month"."""
    is_bare = "bareday" in match
    monthday = number(match["bareday" if is_bare else "day"])
    if "near" in match:
        month = periods.shifted(today.date.replace(day=1), units_ahead(match))
        return day(month.year, month.month, monthday)
    if not 1 <= monthday <= 31:
        raise no_such_date()
    for shift in range(3):
        month = periods.shifted(today.date.replace(day=1), shift)
        if monthday <= periods.months(month.year, month.month).end.day and month.replace(day=monthday) >= today.date:
            dates = periods.day(month.replace(day=monthday))
            return periods.unsure(dates) if is_bare else dates
    return None


def weekday_and_day(match: Match, today: Today) -> DateRange | None:
    """Example: "Friday the 13th": the next Friday that is a 13th; a bare number must be that of the coming weeks."""
    named, is_nth = (int(match["weekday"].quantity), number(match["day"])), match["day"].kind == "nth"
    for days in range(MANY_DAYS if is_nth else FEW_DAYS):
        candidate = today.date + timedelta(days=days)
        if (candidate.weekday(), candidate.day) == named:
            return periods.day(candidate) if is_nth else periods.unsure(periods.day(candidate))
    return None


def month_name(match: Match, today: Today) -> DateRange:
    """December, "end of December 2026", "last December"; in November "next November" is that of the next year."""
    month, in_year = int(match["month"].quantity), year(match)
    if in_year is None and "last" in match:
        in_year = today.now.year - (month >= today.now.month)
    if in_year is None and "next" in match and month == today.now.month:
        in_year = today.now.year + 1
    return part(match, _month(today, in_year, month))


def quarter_or_half(match: Match, today: Today) -> DateRange | None:
    """Q1, "the third quarter of 2027", H1."""
    parts = 2 if {"h", "halfyear"} & match.keys() else 4
    ordinal, length = number(match["which"]), 12 // parts
    ordinal = parts if ordinal == -1 else ordinal  # "the final quarter"
    if not 1 <= ordinal <= parts:
        return None
    return _months(match, today, length * (ordinal - 1) + 1, length)


def whole_year(match: Match, today: Today) -> DateRange:
    """2027, "early 2027"."""
    return _months(match, today, 1, 12)


def holiday(match: Match, today: Today) -> DateRange:
    name = str(match["holiday"].value)
    dates = next_time(today, year(match), lambda in_year: periods.holidays(name, in_year))
    return periods.unsure(dates) if name in periods.UNSURE else dates


def sunday_of_advent(match: Match, today: Today) -> DateRange | None:
    """Example: "3. Advent", "zweiter Advent"."""
    later = timedelta(weeks=number(match["which"]) - 1)
    if match["holiday"].value != "advent":
        return None
    return next_time(today, year(match), lambda in_year: periods.day(periods.holiday("advent", in_year) + later))


def holiday_week(match: Match, today: Today) -> DateRange:
    """Example: "Christmas week": from Monday to Sunday."""
    return periods.unsure(part(match, periods.week(holiday(match, today).start.date())))


def holiday_weekend(match: Match, today: Today) -> DateRange:
    """Example: "Thanksgiving weekend": its Sunday, or the Monday or Tuesday after it that is the holiday itself."""
    first = holiday(match, today).start.date()
    return periods.unsure(periods.day(first) if first.weekday() < WEDNESDAY else periods.weekend(first))


def season(match: Match, today: Today) -> DateRange:
    """The season that ends in the year or, for winter, begins in it."""
    return _months(match, today, periods.SEASONS[str(match["season"].value)], 3)


def _months(match: Match, today: Today, first: int, length: int) -> DateRange:
    return part(match, next_time(today, year(match), lambda in_year: periods.months(in_year, first, length)))


def _month(today: Today, in_year: int | None, month: int) -> DateRange:
    if not 1 <= month <= 12:
        raise no_such_date()
    return next_time(today, in_year, lambda in_year: periods.months(in_year, month))


def _day_of(today: Today, in_year: int | None, month: int, monthday: int) -> DateRange:
    """That day in the named year, or the next such day; the next February 29 is in a leap year."""
    if in_year is None and (month, monthday) == (2, 29):
        years = filter(isleap, range(today.now.year, today.now.year + 9))
        in_year = next(later for later in years if date(later, 2, 29) >= today.date)
    return next_time(today, in_year, lambda in_year: day(in_year, month, monthday))


def _on_weekday(match: Match, dates: DateRange) -> DateRange:
    """The same day, with a note if it is not the weekday that is named beside it."""
    if "weekday" not in match or int(match["weekday"].quantity) == dates.start.weekday():
        return dates
    return periods.unsure(dates, f"{dates.start:%Y-%m-%d} is a {dates.start:%A}: the date counts, not the weekday.")


def _is_ambiguous(first: int, second: int) -> bool:
    """Whether the two numbers make a date in either order, and not the same."""
    return first != second and first <= 12 and second <= 12


def _read_as(text: str) -> str:
    return f"{text} is understood as {{deadline}}. Write 2026-12-31 to be certain."


def _month_and_day(first: int, second: int, day_first: bool) -> tuple[int, int]:
    """Month and day of two numbers: in the order of the language, or in the other if only that is a date."""
    month, monthday = (second, first) if day_first else (first, second)
    return (monthday, month) if month > 12 >= monthday else (month, monthday)
