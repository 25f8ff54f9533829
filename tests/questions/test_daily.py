"""The criterion of one day becomes that of a number of days."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

import pytest

from service.errors import InvalidQuestion
from service.questions.criterion import Criterion
from service.questions.daily import counted
from service.questions.day_counts import DayCount
from service.questions.kinds.levels import RANGE_AT_END, between, close, stay, touch

ABOVE = close(60_000.0, upward=True)


@pytest.mark.parametrize(
    ("criterion", "comparator"),
    [(ABOVE, "days_above"), (close(60_000.0, upward=False), "days_below"), (Criterion("up"), "days_up")],
)
def test_a_daily_close_is_counted(criterion: Criterion, comparator: str):
    days = counted(criterion, DayCount(3, in_a_row=True), 7)
    assert (days.comparator, days.level, days.days, days.in_a_row) == (comparator, criterion.level, 3, True)


@pytest.mark.parametrize(
    ("share", "trading_days", "days"), [("", 7, 7), ("most", 7, 4), ("most", 8, 5), ("half", 7, 4), ("half", 8, 4)]
)
def test_a_share_is_counted_in_trading_days(share: Literal["", "most", "half"], trading_days: int, days: int):
    assert counted(ABOVE, DayCount(None, share=share), trading_days).days == days


@pytest.mark.parametrize(("negated", "expected"), [(False, True), (True, False)])
def test_at_most_is_the_opposite_of_one_more(negated: bool, expected: bool):
    """Of a negated question it is the opposite of that."""
    criterion = Criterion("close_above", 60_000.0, negated=negated)
    assert counted(criterion, DayCount(4, negated=True), 7).negated is expected


def test_staying_above_on_some_days_is_to_close_above():
    days = counted(stay(60_000.0, below=False), DayCount(3), 7, stays=True)
    assert (days.comparator, days.negated) == ("days_above", False)


def test_staying_above_every_day_is_to_stay_above():
    criterion = stay(60_000.0, below=False)
    assert counted(criterion, DayCount(None), 7, stays=True) == criterion


def test_a_range_on_every_day_keeps_the_order_of_notes():
    """Between two levels all week counts at the deadline, which is said last and once."""
    notes = tuple("abcdefgh")
    noted = replace(between(60_000.0, 70_000.0, 65_000.0), notes=notes)
    assert counted(noted, DayCount(None), 7).notes == (*notes, RANGE_AT_END)
    assert counted(counted(noted, DayCount(None), 7), DayCount(None), 7).notes == (*notes, RANGE_AT_END)


def test_a_note_says_from_when_days_are_counted():
    assert "from now" in counted(ABOVE, DayCount(3), 7).notes[0]
    begin = datetime(2026, 12, 1, tzinfo=UTC)
    later = counted(ABOVE, DayCount(3), 7, begin)
    assert ("from 2026-12-01" in later.notes[0], later.earlier) == (True, begin)


@pytest.mark.parametrize(
    ("criterion", "days", "trading_days", "complaint"),
    [
        (ABOVE, 8, 7, "Only 7 trading days"),
        (ABOVE, 3, 61, "at most 60 days"),
        (touch(60_000.0, upward=True), 3, 7, "closing prices"),
    ],
)
def test_days_that_cannot_be_counted_are_refused(criterion, days: int, trading_days: int, complaint: str):
    with pytest.raises(InvalidQuestion, match=complaint):
        counted(criterion, DayCount(days), trading_days)
