"""Open questions and own votes."""

from __future__ import annotations

from tests.bot.store.people import ANN, BEN, GROUP, QUESTION


def test_a_question_is_open_until_it_is_closed(store):
    number = store.open_question(ANN, GROUP, 5, QUESTION)
    store.set_waiting(number, 6)
    (question,) = store.open_questions()
    assert question[:6] == (number, ANN, GROUP, 5, 6, QUESTION)
    store.close_question(number)
    assert store.open_questions() == []


def test_the_latest_vote_of_each_person_counts(store):
    for vote in ("yes", "no"):
        store.remember_vote(ANN, "a", vote)
    store.remember_vote(ANN, "b", "yes")
    assert store.votes_of(ANN, ["a"]) == {"a": "no"}
    assert store.votes_of(BEN, ["a", "b"]) == {}
