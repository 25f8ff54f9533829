"""What the rules for dates share: the current time, the tokens by name, numbers, parts of a range."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from service.errors import InvalidQuestion
from service.questions.criterion import invalid
from service.questions.dates import periods
from service.questions.dates.periods import DateRange
from service.questions.numerals import readings
from service.questions.tokens import Token

# Where the parts of a range end, as a share of its length.
PARTS = {"start": 0.0, "early": 1 / 3, "mid": 1 / 2, "late": 1.0, "end": 1.0}

# The tokens of a match under their kinds and under the names that the rule gives them.
Match = dict[str, Token]


class Today(NamedTuple):
    """When the question is asked, whether 3/4 means April 3 in its language, and whether this week counts as over."""

    now: datetime
    day_first: bool
    is_week_over: bool = False

    @property
    def date(self) -> date:
        return self.now.date()

    def unit(self, name: str, shift: int) -> DateRange:
        """The unit of the calendar that is `shift` of them later; for a week that is over, the one after it."""
        is_over = name == "week" and shift == 0 and self.is_week_over
        return periods.unit(name, self.date, shift + is_over)


def no_such_date() -> InvalidQuestion:
    return invalid(
        "There is no such date in the calendar. Write the deadline like 2026-12-31 or 31 December 2026.", "deadline"
    )


def day(year: int, month: int, monthday: int) -> DateRange:
    """That day of the calendar; InvalidQuestion if it does not exist."""
    try:
        return periods.day(date(year, month, monthday))
    except ValueError:
        raise no_such_date() from None


def time_of_day(hour: int, minute: int, second: int | None = None) -> time:
    """That time; without seconds, 23:59 is the last second of the day. InvalidQuestion if there is no such time."""
    if hour > 23 or minute > 59 or (second or 0) > 59:
        raise no_such_date()
    return time(hour, minute, (59 if (hour, minute) == (23, 59) else 0) if second is None else second)


def number(token: Token) -> int:
    """The whole number of a token: its value, or its first digits."""
    if token.value is not None:
        return int(token.quantity)
    return int(re.findall(r"\d+", token.text)[0])


def count(token: Token) -> float:
    """How many of a unit: digits, words, or "a" for one."""
    if token.kind == "a":
        return 1.0
    return token.quantity if token.value is not None else readings(token.text)[-1]


def year(match: Match) -> int | None:
    """The year that is named, if any; '27 is 2027."""
    digits = number(match["year"]) if "year" in match else None
    return digits if digits is None or digits > 99 else 2000 + digits


def units_ahead(match: Match) -> int:
    """How many units ahead: one with "next", two where one word means the one after it, one back with "last"."""
    if "next" in match:
        return int(match["next"].value or 1)
    return -1 if "last" in match else 0


def next_time(today: Today, named_year: int | None, at: Callable[[int], DateRange]) -> DateRange:
    """The range in the named year or, without one, the first that has not ended yet."""
    if named_year is not None:
        return at(named_year)
    dates = at(today.now.year)
    return dates if dates.end > today.now else at(today.now.year + 1)


def part(match: Match, dates: DateRange) -> DateRange:
    """The last day of the named part (end, start, middle, …) of a range; the range itself if no part is named."""
    name = next((name for name in PARTS if name in match), None)
    if name is None:
        return dates
    first, last = dates.start.date(), dates.end.date()
    ends = periods.day(first + timedelta(days=int(((last - first).days - (name == "mid")) * PARTS[name])))
    return ends if name == "end" else periods.unsure(ends)
