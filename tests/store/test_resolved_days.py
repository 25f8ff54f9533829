"""The resolved questions of each day; a settlement outdates them."""

from __future__ import annotations

import pytest

from service.forecasting.voters.track_record import Resolved, ResolvedVote
from service.market.instants import DAY
from service.store import predictions


@pytest.fixture
def db(database):
    with database.writing() as db:
        yield db


def resolved(resolved_at: int) -> list[Resolved]:
    return [Resolved("day", resolved_at - 60, resolved_at, True, (ResolvedVote("vol", "embedded", 0.6),))]


def test_a_settlement_outdates_its_day(db):
    predictions.outdate_days(db, [3 * DAY, DAY + 5, DAY + 7])
    assert predictions.outdated_days(db) == [DAY, 3 * DAY]
    assert predictions.resolved_questions(db) == []


def test_stored_questions_are_read_in_the_order_of_the_days(db):
    for day in (3 * DAY, DAY):
        predictions.keep_day(db, day, resolved(day + 5))
    assert predictions.outdated_days(db) == []
    assert predictions.resolved_questions(db) == [*resolved(DAY + 5), *resolved(3 * DAY + 5)]


def test_an_outdated_day_has_no_questions(db):
    predictions.keep_day(db, DAY, resolved(DAY + 5))
    predictions.outdate_days(db, [DAY + 9])
    assert (predictions.outdated_days(db), predictions.resolved_questions(db)) == ([DAY], [])
