"""A date with its preposition: until when, from when, and whether it has passed."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from service.questions.dates import periods
from service.questions.dates.candidate import Candidate
from service.questions.dates.matching import Span
from service.questions.dates.periods import DateRange
from service.questions.tokens import Token
from tests.questions.asking import NOW

DECEMBER = periods.months(2026, 12)
CHRISTMAS = periods.day(date(2026, 12, 25))
IN_AN_HOUR = DateRange(NOW, NOW + timedelta(hours=1), exact=True)


def candidate(dates: DateRange, word: str = "on", *, is_past: bool = False) -> Candidate:
    return Candidate(0, 1, Span(0, 1, dates, is_past), Token(word, word), 2)


@pytest.mark.parametrize(
    ("dates", "word", "end"),
    [
        (DECEMBER, "by", DECEMBER.end),
        (DECEMBER, "before", DECEMBER.begin - timedelta(seconds=1)),
        (CHRISTMAS, "before", CHRISTMAS.end),
        (periods.months(2026, 11), "before", periods.months(2026, 11).end),
    ],
)
def test_before_a_period_is_the_second_before_it(dates: DateRange, word: str, end: datetime):
    """Of a day, and of a month that has begun, it is the end."""
    assert candidate(dates, word).end(NOW) == end


@pytest.mark.parametrize(
    ("dates", "word", "begin"),
    [
        (DECEMBER, "in", DECEMBER.begin),
        (DECEMBER, "by", None),
        (CHRISTMAS, "on", None),
        (IN_AN_HOUR, "in", None),
        (periods.months(2026, 11), "in", None),
    ],
)
def test_a_coming_period_begins_with_its_first_day(dates: DateRange, word: str, begin: datetime | None):
    """A limit, a day, an instant and a period that has begun have no begin."""
    assert candidate(dates, word).begin(NOW) == begin


@pytest.mark.parametrize(
    ("dates", "word", "expected"),
    [(CHRISTMAS, "after", True), (CHRISTMAS, "on", False), (IN_AN_HOUR, "later", False)],
)
def test_after_a_date_means_what_follows_it(dates: DateRange, word: str, expected: bool):
    """ "An hour later" is an instant."""
    assert candidate(dates, word).is_after is expected


def test_a_date_is_past_by_its_end_or_by_its_words():
    assert not candidate(CHRISTMAS).is_past(NOW)
    assert candidate(CHRISTMAS, is_past=True).is_past(NOW)
    assert candidate(periods.day(date(2026, 11, 20))).is_past(NOW)
