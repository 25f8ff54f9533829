"""Dates counted from today: this and next week, weekdays, "in three days", EOY.

Each function takes the matched tokens under the names that its rule in `rules` gives them.
"""

from __future__ import annotations

from datetime import date, timedelta

from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, Today, count, part, year

# The number of weeks in "in the coming weeks".
SOME = 3


def unit(named: Named, today: Today) -> DateRange:
    """This, next or last day, week, month, quarter or year, or a part of it."""
    name, ahead = str(named["unit"].value), _ahead(named)
    if name in ("minute", "hour"):
        return periods.after(today.now, ahead or 1, name)
    return part(named, periods.unit(name, today.date, ahead))


def closed_unit(named: Named, today: Today) -> DateRange:
    """ "Close the month above …": this month."""
    return unit({"unit": named["closed"]}, today)


def end_of_unit(named: Named, today: Today) -> DateRange:
    """EOW, EOM, EOY, "EOY 2027"."""
    name, named_year = str(named["eo"].value), year(named)
    if named_year is not None and name == "year":
        return periods.day(date(named_year, 12, 31))
    return periods.day(periods.unit(name, today.date, _ahead(named)).end.date())


def relative_day(named: Named, today: Today) -> DateRange:
    """Today, tomorrow, yesterday."""
    return periods.day(today.date + timedelta(days=int(named["rel"].quantity)))


def weekday(named: Named, today: Today) -> DateRange:
    """The next such day, today included; "next Friday" and "Friday next week" are in the coming week."""
    which = int(named["weekday"].quantity)
    if "last" in named:
        return periods.day(today.date - timedelta(days=(today.date.weekday() - which - 1) % 7 + 1))
    if "next" in named:
        return periods.day(periods.week(today.date + timedelta(weeks=1)).begin.date() + timedelta(days=which))
    return periods.day(today.date + timedelta(days=(which - today.date.weekday()) % 7))


def weekday_after_next(named: Named, today: Today) -> DateRange | None:
    """ "Friday week": a week after the coming Friday."""
    if named["week"].text != "week":
        return None
    return periods.day(_coming(named, today) + timedelta(weeks=1))


def after_weekday(named: Named, today: Today) -> DateRange:
    """ "A week from Friday"."""
    begin = periods.day(_coming(named, today)).begin
    return periods.day(periods.after(begin, count(named["count"]), str(named["unit"].value)).end.date())


def weekend(named: Named, today: Today) -> DateRange:
    return periods.weekend(today.date + timedelta(weeks=_ahead(named)))


def duration(named: Named, today: Today) -> DateRange:
    """A number of minutes, hours, … years after now, or before now with "ago" or "last"."""
    many = count(named["count"]) if "count" in named else 1.0
    sign = -1 if "ago" in named or "last" in named else 1
    return periods.after(today.now, sign * many, str(named["unit"].value))


def some_time(named: Named, today: Today) -> DateRange:
    """ "In the coming weeks"."""
    return periods.after(today.now, SOME, str(named["unit"].value))


def _ahead(named: Named) -> int:
    return 1 if "next" in named else -1 if "last" in named else 0


def _coming(named: Named, today: Today) -> date:
    return weekday({"weekday": named["weekday"]}, today).begin.date()
