"""Dates counted from today: this and next week, weekdays, "in three days", EOY.

Each function takes the matched tokens under the names that its rule in `rules` gives them.
"""

from __future__ import annotations

from datetime import date, timedelta

from service.questions.dates import compounds, periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, Today, count, part, units_ahead, year
from service.questions.dates.roles import PLURALS

# The number of weeks in "in the coming weeks".
SOME = 3
# The highest number of weekdays in "in two Fridays".
SOME_WEEKDAYS = 10


def unit(named: Named, today: Today) -> DateRange:
    """This, next or last day, week, month, quarter or year, or a part of it."""
    name, ahead = str(named["unit"].value), units_ahead(named)
    if name == "day" and "next" in named and named["unit"].text in PLURALS:
        return some_time(named, today)  # "los próximos días"
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
    return periods.day(periods.unit(name, today.date, units_ahead(named)).end.date())


def relative_day(named: Named, today: Today) -> DateRange:
    """Today, tomorrow, yesterday."""
    return periods.day(today.date + timedelta(days=int(named["rel"].quantity)))


def same_time(named: Named, today: Today) -> DateRange:
    """ "This time tomorrow", "this time next week": the time of day at which it is asked."""
    if "unit" in named:
        return periods.after(today.now, units_ahead(named), str(named["unit"].value))
    which = relative_day(named, today) if "rel" in named else weekday(named, today)
    days = (which.begin.date() - today.date).days
    return periods.after(today.now, days or (7 if "weekday" in named else 0), "day")


def weekday(named: Named, today: Today) -> DateRange:
    """The next such day, today included; "next Friday" and "Friday next week" are in the coming week."""
    which = int(named["weekday"].quantity)
    if "last" in named:
        return periods.day(today.date - timedelta(days=(today.date.weekday() - which - 1) % 7 + 1))
    if "next" in named:
        monday = periods.week(today.date + timedelta(weeks=units_ahead(named))).begin.date()
        dates = periods.day(monday + timedelta(days=which))
        return dates if "unit" in named or which <= today.date.weekday() else periods.unsure(dates)
    return periods.day(today.date + timedelta(days=(which - today.date.weekday()) % 7))


def weekday_week(named: Named, today: Today) -> DateRange | None:
    """ "Friday week", French "mardi en huit", "Tuesday in a week": a week after the coming Friday or Tuesday."""
    if "a" not in named and named["week"].text not in ("week", "en huit"):
        return None
    return periods.day(_coming(named, today) + timedelta(weeks=1))


def count_of_weekdays(named: Named, today: Today) -> DateRange | None:
    """ "In two Fridays"."""
    many = count(named["many"])
    if not 1 <= many <= SOME_WEEKDAYS:
        return None
    return periods.unsure(periods.day(_coming(named, today) + timedelta(weeks=int(many) - 1)))


def after_next(named: Named, today: Today) -> DateRange:
    """ "The week after next", "the weekend after next", "the Friday after next"."""
    if "weekend" in named:
        return periods.unsure(periods.weekend(today.date + timedelta(weeks=2)))
    if "weekday" in named:
        coming = _coming(named, today)
        return periods.unsure(periods.day(coming + timedelta(weeks=1 if coming > today.date else 2)))
    return part(named, periods.unit(str(named["unit"].value), today.date, 2))


def member_of_unit(named: Named, today: Today) -> DateRange | None:
    """ "The last Friday of the month"; the next month's if this one's has passed."""
    name = str(named["whole"].value)
    if name not in ("week", *periods.MONTHS):
        return None
    dates = (compounds.member(named, periods.unit(name, today.date, ahead)) for ahead in (0, 1))
    return next((each for each in dates if each and each.end > today.now), None)


def weekend(named: Named, today: Today) -> DateRange:
    dates = periods.weekend(today.date + timedelta(weeks=units_ahead(named)))
    return periods.unsure(dates) if "next" in named else dates


def duration(named: Named, today: Today) -> DateRange:
    """A number of minutes, hours, … years after now, or before now with "ago" or "last"."""
    many = count(named["count"]) if "count" in named else 1.0
    if "half" in named:
        many += named["half"].quantity
    sign = -1 if "ago" in named or "last" in named else 1
    return periods.after(today.now, sign * many, str(named["unit"].value))


def some_units(named: Named, today: Today) -> DateRange | None:
    """ "Two or three weeks", "2-3 weeks", "a week or two", "2/3 weeks": the longer time."""
    many = float(named["few"].text.partition("/")[2]) if "few" in named else count(named["many"])
    least = count(named["count"]) if "count" in named else 1.0
    return periods.unsure(periods.after(today.now, many, str(named["unit"].value))) if many > least else None


def sum_of_durations(named: Named, today: Today) -> DateRange:
    """ "2 days and 3 hours", "2h30m"."""
    first = periods.after(today.now, count(named["count"]), str(named["larger"].value))
    return periods.after(first.end, count(named["rest"]), str(named["smaller"].value))


def week_and_a_half(named: Named, today: Today) -> DateRange | None:
    """ "A week and a half", "una semana y media"."""
    return duration(named, today) if named["half"].quantity == 1 / 2 else None


def some_time(named: Named, today: Today) -> DateRange:
    """ "In the coming weeks"."""
    return periods.unsure(periods.after(today.now, SOME, str(named["unit"].value)))


def _coming(named: Named, today: Today) -> date:
    return weekday({"weekday": named["weekday"]}, today).begin.date()
