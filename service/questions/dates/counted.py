"""Dates counted from today: this and next week, weekdays, "in three days", EOY."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Match, Today, count, number, part, units_ahead, year
from service.questions.dates.roles import NEAR_KINDS, PLURALS
from service.questions.tokens import Token

# The number of weeks in "in the coming weeks".
VAGUE_COUNT = 3
# The highest number of weekdays in "in two Fridays".
SOME_WEEKDAYS = 10
Compound = Callable[[Match, DateRange], DateRange | None]
DAY = timedelta(days=1)
SATURDAY = 5
# Kinds that put a date before its anchor; the others put it after.
EARLIER = {"before", "until", "last"}


def unit(match: Match, today: Today) -> DateRange:
    """This, next or last day, week, month, quarter or year, or a part of it."""
    name, shift = str(match["unit"].value), units_ahead(match)
    if name == "day" and "next" in match and match["unit"].text in PLURALS:
        return some_time(match, today)  # "los próximos días"
    if name in ("minute", "hour"):
        return periods.after(today.now, shift or 1, name)
    return part(match, today.unit(name, shift))


def end_of_unit(match: Match, today: Today) -> DateRange:
    """EOW, EOM, EOY, "EOY 2027"."""
    name, named_year = str(match["eo"].value), year(match)
    if named_year is not None and name == "year":
        return periods.day(date(named_year, 12, 31))
    return periods.day(today.unit(name, units_ahead(match)).end.date())


def relative_day(match: Match, today: Today) -> DateRange:
    """Today, tomorrow, yesterday."""
    return periods.day(today.date + timedelta(days=int(match["rel"].quantity)))


def same_time(match: Match, today: Today) -> DateRange:
    """Example: "This time tomorrow", "this time next week": the time of day at which it is asked."""
    if "unit" in match:
        return periods.after(today.now, units_ahead(match), str(match["unit"].value))
    dates = relative_day(match, today) if "rel" in match else weekday(match, today)
    days = (dates.start.date() - today.date).days
    return periods.after(today.now, days or (7 if "weekday" in match else 0), "day")


def weekday(match: Match, today: Today) -> DateRange:
    """The next such day, today included; "next Friday" and "Friday next week" are in the coming week."""
    day_of_week = int(match["weekday"].quantity)
    if "last" in match:
        return periods.day(today.date - timedelta(days=(today.date.weekday() - day_of_week - 1) % 7 + 1))
    if "next" in match:
        monday = periods.week(today.date + timedelta(weeks=units_ahead(match))).start.date()
        dates = periods.day(monday + timedelta(days=day_of_week))
        return dates if "unit" in match or day_of_week <= today.date.weekday() else periods.unsure(dates)
    return periods.day(today.date + timedelta(days=(day_of_week - today.date.weekday()) % 7))


def weekday_week(match: Match, today: Today) -> DateRange | None:
    """Example: "Friday week", French "mardi en huit", "Tuesday in a week": a week after the coming one."""
    if "a" not in match and match["week"].text not in ("week", "en huit"):
        return None  # German "freitag woche"
    return periods.day(_coming(match, today) + timedelta(weeks=1))


def count_of_weekdays(match: Match, today: Today) -> DateRange | None:
    """Example: "In two Fridays"."""
    amount = count(match["many"])
    if not 1 <= amount <= SOME_WEEKDAYS:
        return None
    return periods.unsure(periods.day(_coming(match, today) + timedelta(weeks=int(amount) - 1)))


def after_next(match: Match, today: Today) -> DateRange:
    """Example: "The week after next", "the weekend after next", "the Friday after next"."""
    if "weekend" in match:
        return periods.unsure(periods.weekend(today.date + timedelta(weeks=2)))
    if "weekday" in match:
        day = _coming(match, today)
        return periods.unsure(periods.day(day + timedelta(weeks=1 if day > today.date else 2)))
    return part(match, periods.unit(str(match["unit"].value), today.date, 2))


def member_of_unit(match: Match, today: Today) -> DateRange | None:
    """Example: "The last Friday of the month"; the next month's if this one's has passed."""
    name = str(match["whole"].value)
    if name not in ("week", *periods.MONTHS):
        return None
    ranges = (member(match, periods.unit(name, today.date, shift)) for shift in (0, 1))
    return next((dates for dates in ranges if dates and dates.end > today.now), None)


def weekend(match: Match, today: Today) -> DateRange:
    """The weekend; a bare one on a Sunday may also be the coming one."""
    dates = periods.weekend(today.date + timedelta(weeks=units_ahead(match)))
    is_bare_sunday = dates.start.date() < today.date and not NEAR_KINDS & match.keys()
    return periods.unsure(dates) if "next" in match or is_bare_sunday else dates


def duration(match: Match, today: Today) -> DateRange:
    """A number of minutes, hours, … years after now, "a week and a half", or before now with "ago" or "last"."""
    amount = (count(match["count"]) if "count" in match else 1.0) + ("half" in match) / 2
    sign = -1 if "ago" in match or "last" in match else 1
    return periods.after(today.now, sign * amount, str(match["unit"].value))


def some_units(match: Match, today: Today) -> DateRange | None:
    """Example: "Two or three weeks", "2-3 weeks", "a week or two", "2/3 weeks": the longer time."""
    amount = float(match["few"].text.partition("/")[2]) if "few" in match else count(match["many"])
    least = count(match["count"]) if "count" in match else 1.0
    return periods.unsure(periods.after(today.now, amount, str(match["unit"].value))) if amount > least else None


def sum_of_durations(match: Match, today: Today) -> DateRange:
    """Example: "2 days and 3 hours", "2h30m"."""
    first = periods.after(today.now, count(match["count"]), str(match["larger"].value))
    return periods.after(first.end, count(match["rest"]), str(match["smaller"].value))


def some_time(match: Match, today: Today) -> DateRange:
    """Example: "In the coming weeks"."""
    return periods.unsure(periods.after(today.now, VAGUE_COUNT, str(match["unit"].value)))


def _coming(match: Match, today: Today) -> date:
    return weekday({"weekday": match["weekday"]}, today).start.date()


def offset(match: Match, anchor: DateRange) -> DateRange:
    """Example: "2 weeks before Christmas", "10 days from December 1"."""
    name = str(match["unit"].value)
    start, sign = (anchor.start, -1) if match["relation"].kind in EARLIER else (anchor.end, 1)
    instant = periods.after(start, sign * count(match["count"]), name)
    return periods.unsure(instant if name in ("hour", "minute") else periods.day(instant.end.date()))


def beside(match: Match, anchor: DateRange) -> DateRange:
    """Example: "The day before Christmas", "the week after Easter": the unit that touches the anchor."""
    name, instant = str(match["unit"].value), timedelta(seconds=1)
    if match["relation"].kind in EARLIER:
        first = periods.after(anchor.start, -1, name).end.date()
        return periods.unsure(periods.between(first, (anchor.start - instant).date()))
    last = periods.after(anchor.end, 1, name).end.date()
    return periods.unsure(periods.between((anchor.end + instant).date(), last))


def weekday_beside(match: Match, anchor: DateRange) -> DateRange | None:
    """Example: "The Friday before Christmas", "the first Monday after Easter"."""
    weekday, ordinal = int(match["weekday"].quantity), number(match["which"]) if "which" in match else 1
    if ordinal < 1 or (match["relation"].kind == "last" and match["relation"].text != "前の"):
        return None  # "December's last Friday"
    before, later = periods.day(anchor.start.date() - DAY), periods.day(anchor.end.date() + DAY)
    if match["relation"].kind in EARLIER:
        return periods.unsure(periods.day(periods.nth_weekday(before, weekday, -1)))
    return periods.unsure(periods.day(periods.nth_weekday(later, weekday, ordinal)))


def weekend_beside(match: Match, anchor: DateRange) -> DateRange:
    """Example: "The weekend before Christmas"."""
    if match["relation"].kind in EARLIER:
        return periods.unsure(periods.weekend(anchor.start.date() - timedelta(weeks=1)))
    later = anchor.end.date() + DAY
    return periods.unsure(periods.weekend(later if later.weekday() <= SATURDAY else later + DAY))


def week_of(match: Match, anchor: DateRange) -> DateRange | None:
    """Example: "The week of December 7", from Monday to Sunday."""
    del match
    return None if anchor.is_period else periods.unsure(periods.week(anchor.start.date()))


def member(match: Match, anchor: DateRange) -> DateRange | None:
    """Example: "The last Friday of December", "the second half of 2027", "the first week of next month"."""
    if not anchor.is_period:
        return None
    ordinal = -1 if match["which"].kind == "last" else number(match["which"])
    member = match["member"]
    if member.kind == "weekday":
        part = periods.day(periods.nth_weekday(anchor, int(member.quantity), ordinal))
    elif member.kind == "weekend":
        part = periods.weekend(periods.nth_weekday(anchor, SATURDAY, ordinal))
    else:
        part = _part(member, anchor, ordinal)
    return part if part and anchor.start <= part.start and part.end <= anchor.end else None


def day_of(match: Match, anchor: DateRange) -> DateRange | None:
    """The 5th of the month that precedes it: "来月5日"."""
    first, monthday = anchor.start.date(), number(match["day"])
    month = periods.months(first.year, first.month)
    is_month = (anchor.start, anchor.end) == (month.start, month.end)
    return periods.day(first.replace(day=monthday)) if is_month and 1 <= monthday <= month.end.day else None


def _part(token: Token, anchor: DateRange, ordinal: int) -> DateRange | None:
    """The unit or the half of the anchor that is counted from its begin or, if negative, from its end."""
    first, days = anchor.start.date(), (anchor.end - anchor.start).days + 1
    name = "half" if token.kind == "halfyear" else str(token.value)
    if name in periods.MONTHS:
        return _months(first, days, periods.MONTHS[name], ordinal)
    if name == "half":
        return _half(first, days, ordinal) if ordinal in (1, 2, -1) else None
    if name not in ("day", "week"):
        return None
    length = 1 if name == "day" else 7
    start = days + ordinal * length if ordinal < 0 else (ordinal - 1) * length
    last = min(start + length, days) - 1
    part = periods.between(first + timedelta(days=start), first + timedelta(days=max(start, last)))
    return part if name == "day" else periods.unsure(part)


def _months(first: date, days: int, length: int, ordinal: int) -> DateRange:
    total = round(days / 30.44)
    shift = total + ordinal * length if ordinal < 0 else (ordinal - 1) * length
    return periods.months(first.year, first.month + shift, length)


def _half(first: date, days: int, ordinal: int) -> DateRange:
    if days > 300:
        return _months(first, days, 6, ordinal)
    middle = first + timedelta(days=days // 2)
    dates = periods.between(first, middle - DAY) if ordinal == 1 else periods.between(middle, first + (days - 1) * DAY)
    return periods.unsure(dates)


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
