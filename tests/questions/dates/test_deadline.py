"""The deadline of a question: which date counts, and the limits."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from service.errors import InvalidQuestion
from service.questions.dates import periods
from service.questions.dates.deadline import DEFAULT, FARTHEST, SOONEST, Candidate, Deadline, find_deadline
from service.questions.dates.matching import Span
from service.questions.dates.periods import DateRange
from service.questions.numerals import spelled
from service.questions.tokens import Token, read
from tests.questions.asking import NOW


def _deadline(text: str, *, strict: bool = True) -> Deadline:
    language, tokens = read(text)
    return find_deadline(spelled(tokens), NOW, language, strict=strict)


@pytest.mark.parametrize(
    ("text", "at", "preposition"),
    [
        ("btc up by december 31", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), "by"),
        ("btc up before december", datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), "before"),
        ("btc up from monday to friday", datetime(2026, 11, 27, 23, 59, 59, tzinfo=UTC), "until"),
        ("btc up in 3 hours", NOW + timedelta(hours=3), "in"),
        ("btc up on november 30 at 5pm ET", datetime(2026, 11, 30, 22, 0, tzinfo=UTC), "on"),
        ("btc up at 9:00", datetime(2026, 11, 22, 9, 0, tzinfo=UTC), "on"),
        ("btc 3/4", datetime(2027, 3, 4, 23, 59, 59, tzinfo=UTC), "slash"),
        ("wird bitcoin steigen 3/4", datetime(2027, 4, 3, 23, 59, 59, tzinfo=UTC), "slash"),
        ("比特币12月31日前上涨", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), "before"),
    ],
)
def test_a_text_has_this_deadline(text, at, preposition):
    deadline = _deadline(text)
    assert (deadline.at, deadline.preposition, deadline.is_named) == (at, preposition, True)


def test_without_a_date_the_deadline_is_in_seven_days():
    deadline = _deadline("will btc reach 100k")
    assert (deadline.at, deadline.is_named) == (NOW + DEFAULT, False)


def test_the_words_of_the_date_are_taken_out():
    rest = [token.text for token in _deadline("will btc rise by the end of december").rest]
    assert rest == ["will", "btc", "rise"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("btc up by november 20 2026", "in the past"),
        ("btc up yesterday", "in the past"),
        ("btc up in 4 minutes", "five minutes"),
        ("btc up by 2029", "two years"),
        ("btc up by february 30", "no such date"),
        ("btc up at 25:00", "no such date"),
    ],
)
def test_a_deadline_outside_the_limits_is_refused(text, word):
    with pytest.raises(InvalidQuestion, match=word):
        _deadline(text)


def test_past_dates_are_ignored_where_they_are_not_the_deadline():
    assert not _deadline("btc up yesterday", strict=False).is_named


def test_the_limits_themselves_are_allowed():
    assert _deadline("btc up in 5 minutes").at == NOW + SOONEST
    assert _deadline("btc up in 732 days").at == NOW + FARTHEST


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
