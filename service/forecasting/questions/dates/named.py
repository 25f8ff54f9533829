"""What each way to name a date means: from the tokens that a rule has named to a stretch of time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import NamedTuple

from service.errors import FieldError, InvalidQuestion
from service.forecasting.questions.dates import periods
from service.forecasting.questions.dates.periods import Period
from service.forecasting.questions.tokens import Token


class Today(NamedTuple):
    """When the question is asked, and whether 3/4 is the third of April in its language."""

    now: datetime
    day_first: bool

    @property
    def date(self) -> date:
        return self.now.date()


Named = dict[str, Token]


def no_such_date() -> InvalidQuestion:
    detail = "There is no such date in the calendar; write the deadline like 2026-12-31 or 31 December 2026."
    return InvalidQuestion(detail, [FieldError("question", detail)])


def number(token: Token) -> int:
    """The whole number that a token of digits or words stands for."""
    if token.value is not None:
        return int(float(token.value))
    return int(re.match(r"\d+", token.text)[0])


def _count(token: Token) -> float:
    if token.kind == "a":
        return 1.0
    return float(token.value if token.value is not None else token.text.replace(",", "."))


def _year(named: Named) -> int | None:
    if "year" not in named:
        return None
    year = number(named["year"])
    return year if year > 99 else 2000 + year


def _next_time(today: Today, year: int | None, at: Callable[[int], Period]) -> Period:
    """The period in `year` or, without one, the first that has not ended yet."""
    if year is not None:
        return at(year)
    this = at(today.now.year)
    return this if this.end > today.now else at(today.now.year + 1)


def _date(year: int, month: int, which: int) -> date:
    try:
        return date(year, month, which)
    except ValueError:
        raise no_such_date() from None


def _day_of(today: Today, year: int | None, month: int, which: int) -> Period:
    if year is None and (month, which) == (2, 29):
        year = next(later for later in range(today.now.year, today.now.year + 9) if _is_leap(later, today))
    return _next_time(today, year, lambda year: periods.day(_date(year, month, which)))


def _is_leap(year: int, today: Today) -> bool:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return leap and date(year, 2, 29) >= today.date


def iso(named: Named, today: Today) -> Period:
    day, _, clock = named["iso"].text.replace("t", " ").partition(" ")
    year, month, which = (int(part) for part in day.split("-"))
    whole = periods.day(_date(year, month, which))
    if not clock:
        return whole
    hour, minute = (int(part) for part in clock.split(":")[:2])
    if hour > 23 or minute > 59:
        raise no_such_date()
    instant = whole.begin.replace(hour=hour, minute=minute)
    return Period(instant, instant, exact=True)


def numeric(named: Named, today: Today) -> Period:
    text = named["date"].text
    first, second, third = (int(part) for part in re.split(r"[./-]", text))
    if first > 31:
        return periods.day(_date(first, second, third))
    month, which = _month_and_day(first, second, "/" not in text or today.day_first)
    return periods.day(_date(third if third > 99 else 2000 + third, month, which))


def slashed(named: Named, today: Today) -> Period | None:
    first, second = (int(part) for part in named["slash"].text.split("/"))
    if (first, second) == (24, 7):
        return None
    return _day_of(today, None, *_month_and_day(first, second, today.day_first))


def dotted(named: Named, today: Today) -> Period:
    """ "31.12." where a word before it says that it is a date."""
    which, month = (int(part) for part in named["daymonth"].text.split("."))
    return _day_of(today, None, month, which)


def _month_and_day(first: int, second: int, day_first: bool) -> tuple[int, int]:
    """Month and day of two numbers: as the language writes them, the other way round if only that is a date."""
    month, which = (second, first) if day_first else (first, second)
    return (which, month) if month > 12 >= which else (month, which)


def glyph_date(named: Named, today: Today) -> Period:
    text = named["glyphdate"].text
    year = re.search(r"(\d+)\s*年", text)
    month = re.search(r"(\d+)\s*月", text)
    which = re.search(r"(\d+)\s*[日号號]", text)
    said = int(year[1]) if year else _year(named)
    if which:
        return _day_of(today, said, int(month[1]), int(which[1]))
    return _part(named, _month_period(today, said, int(month[1])))


def month_day(named: Named, today: Today) -> Period:
    month, which = int(named["month"].value), number(named["day"])
    if "next" in named:
        return periods.day(_date(today.now.year + 1, month, which))
    return _day_of(today, _year(named), month, which)


def month_days(named: Named, today: Today) -> Period:
    """A stretch of days of one month: its last day counts."""
    return month_day({**named, "day": named["last_day"]}, today)


def month_name(named: Named, today: Today) -> Period:
    return _part(named, _month_period(today, _year(named), int(named["month"].value)))


def week_of_month(named: Named, today: Today) -> Period:
    """ "The first week of December" ends on the seventh."""
    whole = _month_period(today, _year(named), int(named["month"].value))
    last = min(7 * number(named["which"]), whole.end.day)
    return periods.between(whole.begin.date(), whole.begin.date().replace(day=last))


def last_month_name(named: Named, today: Today) -> Period:
    month = int(named["month"].value)
    return periods.months(today.now.year - (month >= today.now.month), month)


def _month_period(today: Today, year: int | None, month: int) -> Period:
    if not 1 <= month <= 12:
        raise no_such_date()
    return _next_time(today, year, lambda year: periods.months(year, month))


def quarter(named: Named, today: Today) -> Period | None:
    which = number(named["which"])
    if not 1 <= which <= 4:
        return None
    return _part(named, _next_time(today, _year(named), lambda year: periods.months(year, 3 * which - 2, 3)))


def half(named: Named, today: Today) -> Period | None:
    which = number(named["which"])
    if not 1 <= which <= 2:
        return None
    return _next_time(today, _year(named), lambda year: periods.months(year, 6 * which - 5, 6))


def calendar_unit(named: Named, today: Today) -> Period:
    """This, the next or the last day, week, month, quarter or year, or a part of it."""
    ahead = 1 if "next" in named else -1 if "last" in named else 0
    if named["unit"].value in ("minute", "hour"):
        return periods.after(today.now, ahead or 1, str(named["unit"].value))
    return _part(named, periods.unit(str(named["unit"].value), today.date, ahead))


def end_of_unit(named: Named, today: Today) -> Period:
    """EOY and its kind; of another year where one is named."""
    year = _year(named)
    ahead = 1 if "next" in named else 0
    if year is not None and named["eo"].value == "year":
        return periods.day(date(year, 12, 31))
    whole = periods.unit(str(named["eo"].value), today.date, ahead)
    return periods.day(whole.end.date())


def whole_year(named: Named, today: Today) -> Period:
    return _part(named, periods.months(_year(named), 1, 12))


def _part(named: Named, whole: Period) -> Period:
    """The end, beginning, middle, early or late part of a period; the period itself when none is named."""
    part = next((name for name in ("end", "late", "start", "early", "mid") if name in named), None)
    if part in (None, "late"):
        return whole
    first, last = whole.begin.date(), whole.end.date()
    share = {"start": 0.0, "early": 1 / 3, "mid": 1 / 2, "end": 1.0}[part]
    return periods.day(first + timedelta(days=int((last - first).days * share)))


def relative_day(named: Named, today: Today) -> Period:
    return periods.day(today.date + timedelta(days=int(named["rel"].value)))


def weekday(named: Named, today: Today) -> Period:
    """The next such day, today included; "next Friday" and "Friday next week" lie in the coming week."""
    which = int(named["weekday"].value)
    if "last" in named:
        return periods.day(today.date - timedelta(days=(today.date.weekday() - which - 1) % 7 + 1))
    if "next" in named:
        return periods.day(periods.week(today.date + timedelta(weeks=1)).begin.date() + timedelta(days=which))
    return periods.day(today.date + timedelta(days=(which - today.date.weekday()) % 7))


def weekday_after_next(named: Named, today: Today) -> Period | None:
    """ "Friday week": a week after the coming Friday."""
    if named["week"].text != "week":
        return None
    coming = weekday({"weekday": named["weekday"]}, today).begin.date()
    return periods.day(coming + timedelta(weeks=1))


def weekend(named: Named, today: Today) -> Period:
    return periods.weekend(today.date + timedelta(weeks=1 if "next" in named else -1 if "last" in named else 0))


def holiday(named: Named, today: Today) -> Period:
    name = str(named["holiday"].value)
    return _next_time(today, _year(named), lambda year: periods.day(periods.holiday(name, year)))


def season(named: Named, today: Today) -> Period:
    name = str(named["season"].value)
    return _part(named, _next_time(today, _year(named), lambda year: periods.season(name, year)))


def duration(named: Named, today: Today) -> Period:
    """So many minutes … years from now; back from now with "ago" or "last"."""
    count = _count(named["count"]) if "count" in named else 1.0
    sign = -1 if "ago" in named or "last" in named else 1
    return periods.after(today.now, sign * count, str(named["unit"].value))


def some_time(named: Named, today: Today) -> Period:
    """ "In the coming weeks": three of them."""
    return periods.after(today.now, 3, str(named["unit"].value))


def after_weekday(named: Named, today: Today) -> Period:
    """ "A week from Friday"."""
    coming = weekday({"weekday": named["weekday"]}, today).begin
    return periods.day(periods.after(coming, _count(named["count"]), str(named["unit"].value)).end.date())


def impossible(named: Named, today: Today) -> Period:
    """ "By 32 December"."""
    raise no_such_date()


def day_of_month(named: Named, today: Today) -> Period | None:
    """ "The 15th": of this month, or of the next month once it has passed."""
    which = number(named["day"])
    for ahead in range(3):
        month = periods.shifted(today.date.replace(day=1), ahead)
        if which <= periods.months(month.year, month.month).end.day and month.replace(day=which) >= today.date:
            return periods.day(month.replace(day=which))
    return None
