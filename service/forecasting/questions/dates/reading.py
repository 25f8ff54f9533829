"""What the rules for dates share: when it is asked, the tokens a rule has named, numbers, parts of a period."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import NamedTuple

from service.errors import InvalidQuestion
from service.forecasting.questions.dates import periods
from service.forecasting.questions.dates.periods import Period
from service.forecasting.questions.numerals import readings
from service.forecasting.questions.refusals import invalid
from service.forecasting.questions.tokens import Token

# How far into a period its parts lie; "late" is the whole of it.
PARTS = {"start": 0.0, "early": 1 / 3, "mid": 1 / 2, "end": 1.0}

# The tokens of a match under the names and roles that its rule gives them.
Named = dict[str, Token]


class Today(NamedTuple):
    """When the question is asked, and whether 3/4 is the third of April in its language."""

    now: datetime
    day_first: bool

    @property
    def date(self) -> date:
        return self.now.date()


def no_such_date() -> InvalidQuestion:
    return invalid("There is no such date in the calendar; write the deadline like 2026-12-31 or 31 December 2026.")


def day(year: int, month: int, which: int) -> Period:
    """That day of the calendar; a day that does not exist is refused."""
    try:
        return periods.day(date(year, month, which))
    except ValueError:
        raise no_such_date() from None


def number(token: Token) -> int:
    """The whole number that a token of digits or words stands for."""
    if token.value is not None:
        return int(float(token.value))
    return int(re.match(r"\d+", token.text)[0])


def count(token: Token) -> float:
    """How many of a unit: digits, words, or "a" for one."""
    if token.kind == "a":
        return 1.0
    return float(token.value) if token.value is not None else readings(token.text)[-1]


def year(named: Named) -> int | None:
    """The year that is named; '27 is 2027."""
    if "year" not in named:
        return None
    said = number(named["year"])
    return said if said > 99 else 2000 + said


def next_time(today: Today, named_year: int | None, at: Callable[[int], Period]) -> Period:
    """The period in the year named or, without one, the first that has not ended yet."""
    if named_year is not None:
        return at(named_year)
    this = at(today.now.year)
    return this if this.end > today.now else at(today.now.year + 1)


def part(named: Named, whole: Period) -> Period:
    """The end, beginning, middle or early part of a period; the period itself when none is named."""
    share = next((PARTS[name] for name in PARTS if name in named), None)
    if share is None:
        return whole
    first, last = whole.begin.date(), whole.end.date()
    return periods.day(first + timedelta(days=int((last - first).days * share)))
