"""Dates that need another date: "2 weeks before Christmas", "the Monday after Easter", "the last Friday of May".

The other date is the anchor. Where words such as "before" follow the date, the pattern follows the anchor, too.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, count, number
from service.questions.tokens import Token

Compound = Callable[[Named, DateRange], DateRange | None]

DAY = timedelta(days=1)
SATURDAY = 5
# Kinds that put a date before its anchor; the others put it after.
EARLIER = {"before", "until", "last"}


def offset(named: Named, anchor: DateRange) -> DateRange:
    """ "2 weeks before Christmas", "10 days from December 1"."""
    name = str(named["unit"].value)
    sign = -1 if named["relation"].kind in EARLIER else 1
    moved = periods.after(anchor.begin if sign < 0 else anchor.end, sign * count(named["count"]), name)
    return periods.unsure(moved if name in ("hour", "minute") else periods.day(moved.end.date()))


def beside(named: Named, anchor: DateRange) -> DateRange:
    """ "The day before Christmas", "the week after Easter": the unit that touches the anchor."""
    name, instant = str(named["unit"].value), timedelta(seconds=1)
    if named["relation"].kind in EARLIER:
        first = periods.after(anchor.begin, -1, name).end.date()
        return periods.unsure(periods.between(first, (anchor.begin - instant).date()))
    last = periods.after(anchor.end, 1, name).end.date()
    return periods.unsure(periods.between((anchor.end + instant).date(), last))


def weekday_beside(named: Named, anchor: DateRange) -> DateRange | None:
    """ "The Friday before Christmas", "the first Monday after Easter"."""
    weekday, which = int(named["weekday"].quantity), number(named["which"]) if "which" in named else 1
    if named["relation"].kind == "last" and named["relation"].text != "前の":
        return None  # "December's last Friday"
    if named["relation"].kind in EARLIER:
        before = anchor.begin.date() - DAY
        return periods.unsure(periods.day(before - timedelta(days=(before.weekday() - weekday) % 7)))
    return periods.unsure(_nth_weekday(anchor.end.date() + DAY, weekday, which))


def weekend_beside(named: Named, anchor: DateRange) -> DateRange:
    """ "The weekend before Christmas"."""
    if named["relation"].kind in EARLIER:
        return periods.unsure(periods.weekend(anchor.begin.date() - timedelta(weeks=1)))
    later = anchor.end.date() + DAY
    return periods.unsure(periods.weekend(later if later.weekday() <= SATURDAY else later + DAY))


def week_of(named: Named, anchor: DateRange) -> DateRange | None:
    """ "The week of December 7", from Monday to Sunday."""
    del named
    return None if _is_period(anchor) else periods.unsure(periods.week(anchor.begin.date()))


def member(named: Named, anchor: DateRange) -> DateRange | None:
    """ "The last Friday of December", "the second half of 2027", "the first week of next month"."""
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
