"""Erased answers keep their numbers; what an email asked and voted is nobody's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import Connection

from service.store import keys, listings, predictions
from service.store.answers import ERASED, Erasure, erase_answers, erase_email
from service.store.listings import Tally
from tests.forecasting.markets import MONDAY, settled, waiting

SECRET = b"secret"


@pytest.fixture
def db(database):
    with database.writing() as db:
        yield db


def add(db: Connection, author: str, prefix: str = "") -> None:
    """An answer that is open and one that is settled, a challenge, and a market, which has no author."""
    answers = [
        replace(prediction(f"{prefix}{id}"), category="answer", author=author, odds=None)
        for id, prediction in (("open", waiting), ("done", settled))
    ]
    challenge = replace(waiting(f"{prefix}challenge"), category="challenge", number=1, author=author, odds=None)
    predictions.add_predictions(db, [*answers, challenge, settled(f"{prefix}market")])


def test_old_answers_lose_their_text_and_keep_their_outcome(db):
    add(db, "key:1a")
    deadline = waiting().deadline
    assert (erase_answers(db, deadline), erase_answers(db, deadline + 1), erase_answers(db, deadline + 1)) == (0, 2, 0)
    assert predictions.find_prediction(db, "open") is None
    done = predictions.find_prediction(db, "done")
    assert (done.question.text, done.author, done.rule, done.outcome) == (ERASED, None, "", "yes")
    assert predictions.find_prediction(db, "market").question.text == "market?"
    assert predictions.find_prediction(db, "challenge").author == "key:1a"


def test_an_email_is_forgotten_with_all_its_keys(db):
    _, key = keys.register_key(db, SECRET, "you@example.com", MONDAY)
    add(db, f"key:{key.id}:alice")
    for caller in (f"key:{key.id}", f"key:{key.id}:alice", "key:other"):
        listings.cast_vote(db, "market", caller, True, MONDAY)
    assert erase_email(db, "you@example.com") == Erasure(keys=1, answers=2, challenges=1, votes=2, webhooks=0)
    assert keys.listed_keys(db, "you@example.com") == []
    assert predictions.find_prediction(db, "challenge").author is None
    assert listings.vote_tallies(db, ["market"]) == {"market": Tally(3, 0)}
    assert listings.find_own_vote(db, "market", f"key:{key.id}") is None
    assert listings.find_own_vote(db, "market", "key:other") is not None


def test_another_email_is_left_alone(db):
    """The id of its key begins as the forgotten one does."""
    _, key = keys.register_key(db, SECRET, "you@example.com", MONDAY)
    add(db, f"key:{key.id}0")
    assert erase_email(db, "you@example.com").answers == 0
    assert predictions.find_prediction(db, "done").author == f"key:{key.id}0"
    assert erase_email(db, "me@example.com") == Erasure(0, 0, 0, 0, 0)
