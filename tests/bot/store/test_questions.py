"""Open questions and own votes."""

from __future__ import annotations

from tests.bot.store.people import ANN, BEN, GROUP, QUESTION


def test_a_question_is_open_until_it_is_closed(store):
    opened = store.open_question(ANN, GROUP, 5, QUESTION)
    store.set_waiting(opened.number, 6)
    (question,) = store.open_questions()
    assert question == opened._replace(waiting=6)
    assert question[1:6] == (ANN, GROUP, 5, 6, QUESTION)
    store.close_question(opened.number)
    assert store.open_questions() == []


def test_a_later_question_has_another_key(store, clock):
    """Also when it gets the number of a question that was closed."""
    keys = set()
    for _ in range(2):
        question = store.open_question(ANN, ANN, None, QUESTION)
        store.close_question(question.number)
        keys.add(question.key)
        clock.move(seconds=1)
    assert len(keys) == 2


def test_the_latest_vote_of_each_person_counts(store):
    for vote in ("yes", "no"):
        store.remember_vote(ANN, "a", vote)
    store.remember_vote(ANN, "b", "yes")
    assert store.votes_of(ANN, ["a"]) == {"a": "no"}
    assert store.votes_of(BEN, ["a", "b"]) == {}
