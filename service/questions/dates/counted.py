"""Dates counted from today: this and next week, weekdays, "in three days", EOY.

Each function takes the matched tokens under the names that its rule in `rules` gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, Today, count, number, part, units_ahead, year
from service.questions.dates.roles import PLURALS
from service.questions.tokens import Token

# The number of weeks in "in the coming weeks".
SOME = 3
# The highest number of weekdays in "in two Fridays".
SOME_WEEKDAYS = 10
Compound = Callable[[Named, DateRange], DateRange | None]
DAY = timedelta(days=1)
SATURDAY = 5
# Kinds that put a date before its anchor; the others put it after.
EARLIER = {"before", "until", "last"}


def unit(named: Named, today: Today) -> DateRange:
    """This, next or last day, week, month, quarter or year, or a part of it."""
    name, ahead = str(named["unit"].value), units_ahead(named)
    if name == "day" and "next" in named and named["unit"].text in PLURALS:
        return some_time(named, today)  # "los próximos días"
    if name in ("minute", "hour"):
        return periods.after(today.now, ahead or 1, name)
    return part(named, periods.unit(name, today.date, ahead))


def closed_unit(named: Named, today: Today) -> DateRange:
    """Example: "Close the month above …": this month."""
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
    """Example: "This time tomorrow", "this time next week": the time of day at which it is asked."""
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
    """Example: "Friday week", French "mardi en huit", "Tuesday in a week": a week after the coming one."""
    if "a" not in named and named["week"].text not in ("week", "en huit"):
        return None
    return periods.day(_coming(named, today) + timedelta(weeks=1))


def count_of_weekdays(named: Named, today: Today) -> DateRange | None:
    """Example: "In two Fridays"."""
    many = count(named["many"])
    if not 1 <= many <= SOME_WEEKDAYS:
        return None
    return periods.unsure(periods.day(_coming(named, today) + timedelta(weeks=int(many) - 1)))


def after_next(named: Named, today: Today) -> DateRange:
    """Example: "The week after next", "the weekend after next", "the Friday after next"."""
    if "weekend" in named:
        return periods.unsure(periods.weekend(today.date + timedelta(weeks=2)))
    if "weekday" in named:
        coming = _coming(named, today)
        return periods.unsure(periods.day(coming + timedelta(weeks=1 if coming > today.date else 2)))
    return part(named, periods.unit(str(named["unit"].value), today.date, 2))


def member_of_unit(named: Named, today: Today) -> DateRange | None:
    """Example: "The last Friday of the month"; the next month's if this one's has passed."""
    name = str(named["whole"].value)
    if name not in ("week", *periods.MONTHS):
        return None
    dates = (member(named, periods.unit(name, today.date, ahead)) for ahead in (0, 1))
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
    """Example: "Two or three weeks", "2-3 weeks", "a week or two", "2/3 weeks": the longer time."""
    many = float(named["few"].text.partition("/")[2]) if "few" in named else count(named["many"])
    least = count(named["count"]) if "count" in named else 1.0
    return periods.unsure(periods.after(today.now, many, str(named["unit"].value))) if many > least else None


def sum_of_durations(named: Named, today: Today) -> DateRange:
    """Example: "2 days and 3 hours", "2h30m"."""
    first = periods.after(today.now, count(named["count"]), str(named["larger"].value))
    return periods.after(first.end, count(named["rest"]), str(named["smaller"].value))


def week_and_a_half(named: Named, today: Today) -> DateRange | None:
    """Example: "A week and a half", "una semana y media"."""
    return duration(named, today) if named["half"].quantity == 1 / 2 else None


def some_time(named: Named, today: Today) -> DateRange:
    """Example: "In the coming weeks"."""
    return periods.unsure(periods.after(today.now, SOME, str(named["unit"].value)))


def _coming(named: Named, today: Today) -> date:
    return weekday({"weekday": named["weekday"]}, today).begin.date()


def offset(named: Named, anchor: DateRange) -> DateRange:
    """Example: "2 weeks before Christmas", "10 days from December 1"."""
    name = str(named["unit"].value)
    sign = -1 if named["relation"].kind in EARLIER else 1
    moved = periods.after(anchor.begin if sign < 0 else anchor.end, sign * count(named["count"]), name)
    return periods.unsure(moved if name in ("hour", "minute") else periods.day(moved.end.date()))


def beside(named: Named, anchor: DateRange) -> DateRange:
    """Example: "The day before Christmas", "the week after Easter": the unit that touches the anchor."""
    name, instant = str(named["unit"].value), timedelta(seconds=1)
    if named["relation"].kind in EARLIER:
        first = periods.after(anchor.begin, -1, name).end.date()
        return periods.unsure(periods.between(first, (anchor.begin - instant).date()))
    last = periods.after(anchor.end, 1, name).end.date()
    return periods.unsure(periods.between((anchor.end + instant).date(), last))


def weekday_beside(named: Named, anchor: DateRange) -> DateRange | None:
    """Example: "The Friday before Christmas", "the first Monday after Easter"."""
    weekday, which = int(named["weekday"].quantity), number(named["which"]) if "which" in named else 1
    if named["relation"].kind == "last" and named["relation"].text != "前の":
        return None  # "December's last Friday"
    if named["relation"].kind in EARLIER:
        before = anchor.begin.date() - DAY
        return periods.unsure(periods.day(before - timedelta(days=(before.weekday() - weekday) % 7)))
    return periods.unsure(_nth_weekday(anchor.end.date() + DAY, weekday, which))


def weekend_beside(named: Named, anchor: DateRange) -> DateRange:
    """Example: "The weekend before Christmas"."""
    if named["relation"].kind in EARLIER:
        return periods.unsure(periods.weekend(anchor.begin.date() - timedelta(weeks=1)))
    later = anchor.end.date() + DAY
    return periods.unsure(periods.weekend(later if later.weekday() <= SATURDAY else later + DAY))


def week_of(named: Named, anchor: DateRange) -> DateRange | None:
    """Example: "The week of December 7", from Monday to Sunday."""
    del named
    return None if _is_period(anchor) else periods.unsure(periods.week(anchor.begin.date()))


def member(named: Named, anchor: DateRange) -> DateRange | None:
    """Example: "The last Friday of December", "the second half of 2027", "the first week of next month"."""
    if not _is_period(anchor):
        return None
    which = -1 if named["which"].kind == "last" else number(named["which"])
    of_week = named["member"].kind in ("weekday", "weekend")
    part = _weekday_in(named["member"], anchor, which) if of_week else _part(named["member"], anchor, which)
    return part if part and anchor.begin <= part.begin and part.end <= anchor.end else None


def day_of(named: Named, anchor: DateRange) -> DateRange | None:
    """The 5th of the month that precedes it: "来月5日"."""
    first, which = anchor.begin.date(), number(named["day"])
    month = periods.months(first.year, first.month)
    is_month = (anchor.begin, anchor.end) == (month.begin, month.end)
    return periods.day(first.replace(day=which)) if is_month and 1 <= which <= month.end.day else None


def _weekday_in(token: Token, anchor: DateRange, which: int) -> DateRange:
    weekday = int(token.quantity) if token.kind == "weekday" else SATURDAY
    if which < 0:
        last = anchor.end.date()
        dates = periods.day(last - timedelta(days=(last.weekday() - weekday) % 7))
    else:
        dates = _nth_weekday(anchor.begin.date(), weekday, which)
    return dates if token.kind == "weekday" else periods.weekend(dates.begin.date())


def _part(token: Token, anchor: DateRange, which: int) -> DateRange | None:
    """The unit or the half of the anchor that is counted from its begin or, if negative, from its end."""
    first, days = anchor.begin.date(), (anchor.end - anchor.begin).days + 1
    name = "half" if token.kind == "halfyear" else str(token.value)
    if name in periods.MONTHS:
        return _months(first, days, periods.MONTHS[name], which)
    if name == "half":
        return _half(first, days, which)
    length = {"day": 1, "week": 7}.get(name)
    if length is None:
        return None
    begin = days + which * length if which < 0 else (which - 1) * length
    last = min(begin + length, days) - 1
    part = periods.between(first + timedelta(days=begin), first + timedelta(days=max(begin, last)))
    return part if name == "day" else periods.unsure(part)


def _months(first: date, days: int, length: int, which: int) -> DateRange:
    whole = round(days / 30.44)
    ahead = whole + which * length if which < 0 else (which - 1) * length
    return periods.months(first.year, first.month + ahead, length)


def _half(first: date, days: int, which: int) -> DateRange | None:
    if which not in (1, 2, -1):
        return None
    if days > 300:
        return _months(first, days, 6, which)
    middle = first + timedelta(days=days // 2)
    dates = periods.between(first, middle - DAY) if which == 1 else periods.between(middle, first + (days - 1) * DAY)
    return periods.unsure(dates)


def _nth_weekday(first: date, weekday: int, which: int) -> DateRange:
    return periods.day(first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (which - 1)))


def _is_period(anchor: DateRange) -> bool:
    return not anchor.exact and anchor.end - anchor.begin > DAY


# Patterns like those of `rules`; the anchor follows a leading one and precedes a trailing one.
LEADING: tuple[tuple[str, Compound], ...] = (
    ("count:count|a unit relation:before|after|from", offset),
    ("near? unit relation:before|after", beside),
    ("which:ordinal|nth? near? weekday relation:before|after", weekday_beside),
    ("near? weekend relation:before|after", weekend_beside),
    ("which:ordinal|nth|last member:weekday|weekend|unit|halfyear", member),
    ("week the", week_of),
)
TRAILING: tuple[tuple[str, Compound], ...] = (
    ("count:count|a unit relation:before|later", offset),
    ("relation:before|later count unit", offset),
    ("relation:before|later unit!", beside),
    ("relation:before|later|last weekday", weekday_beside),
    ("which:ordinal|nth|last member:weekday|weekend|unit|halfyear", member),
    ("day:nth", day_of),
)
