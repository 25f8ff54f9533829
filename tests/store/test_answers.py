from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from service.forecasting.predictions import CommittedVote
from service.store import answers
from service.store.answers import Answer

GIVEN = Answer("a1", 1000, "key:1", "btc", "Above 100k?", "close_above", 5000, 0.4, {"consensus": {"p_yes": 0.4}})
VOTES = (
    CommittedVote("vol", "embedded", 0.35, 1.0, "volatility"),
    CommittedVote("logit", "embedded", 0.45, 1.2, "features"),
)


def add(database, given: Answer = GIVEN, votes=VOTES) -> None:
    with database.writing() as db:
        answers.add(db, given, votes)


def resolve(database, outcome: str, answer_id: str = "a1") -> bool:
    with database.writing() as db:
        return answers.resolve(db, answer_id, outcome, {"close": 99_000.0}, 5300)


def due(database, now: int) -> list[Answer]:
    with database.reading() as db:
        return answers.due(db, now)


def test_an_answer_is_due_from_its_deadline_on(database):
    add(database)
    assert due(database, 4999) == []
    assert due(database, 5000) == [GIVEN]


def test_the_oldest_deadline_is_due_first(database):
    add(database)
    add(database, replace(GIVEN, id="a2", deadline=3000))
    with database.reading() as db:
        assert [given.id for given in answers.due(db, 9000)] == ["a2", "a1"]
        assert [given.id for given in answers.due(db, 9000, limit=1)] == ["a2"]


def test_an_answer_is_resolved_once(database):
    add(database)
    assert resolve(database, "yes")
    assert not resolve(database, "no")
    assert due(database, 9000) == []
    with database.reading() as db:
        assert {vote.happened for vote in answers.resolved_votes(db)} == {True}


def test_resolved_votes_tell_who_said_what_and_whether_it_happened(database):
    add(database)
    resolve(database, "no")
    with database.reading() as db:
        votes = answers.resolved_votes(db)
    assert [(vote.voter, vote.p_yes, vote.happened) for vote in votes] == [("logit", 0.45, False), ("vol", 0.35, False)]
    assert votes[0] == answers.ResolvedVote(
        "a1", "logit", "embedded", 0.45, 1.2, False, "btc", "close_above", 1000, 5000
    )


def test_votes_come_in_the_order_of_the_deadlines(database):
    add(database)
    add(database, replace(GIVEN, id="a2", deadline=3000))
    resolve(database, "yes")
    resolve(database, "no", "a2")
    with database.reading() as db:
        assert [vote.answer for vote in answers.resolved_votes(db)] == ["a2", "a2", "a1", "a1"]


def test_void_and_open_questions_count_for_nobody(database):
    add(database)
    add(database, replace(GIVEN, id="a2"))
    resolve(database, "void")
    with database.reading() as db:
        assert answers.resolved_votes(db) == []


def test_an_answer_and_its_votes_are_stored_together_or_not_at_all(database):
    with pytest.raises(IntegrityError):
        add(database, votes=(VOTES[0], VOTES[0]))
    assert due(database, 9000) == []
