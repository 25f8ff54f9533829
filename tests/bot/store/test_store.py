"""The deletion of a person's data."""

from __future__ import annotations

from bot.store import Draft, Hours, Store, Target
from tests.bot.store.people import ANN, BEN, QUESTION, alert


def fill(store: Store, user: int) -> tuple[str, int]:
    """Store every kind of data of a person; returns the token of the payload and the id of the draft."""
    store.remember_challenge(user, user, user)
    store.set_digest(user, user, 7, "UTC")
    store.queue([alert(user)])
    store.set_conversation("challenge", (user, user), 1)
    store.open_question(user, user, None, QUESTION)
    store.remember_vote(user, "market", "yes")
    store.remember_forecast(user, "market", 0.7)
    store.follow(user, user, Target("market", "daily-btc-up"))
    store.set_quiet_hours(user, Hours(22, 7, "UTC"))
    return store.keep(user, "votes", {"question": QUESTION}), store.save_draft(user, QUESTION)


def test_all_data_of_a_person_is_deleted_and_counted(store):
    fill(store, ANN)
    assert store.forget(ANN) == {
        "answers": 1,
        "drafts": 1,
        "challenges": 1,
        "alerts": 1,
        "waiting": 1,
        "sent": 1,
        "questions": 1,
        "votes": 1,
        "forecasts": 1,
        "follows": 1,
        "quiet_hours": 1,
        "conversations": 1,
    }
    assert set(store.forget(ANN).values()) == {0}


def test_the_data_of_other_people_stays(store):
    fill(store, ANN)
    token, draft = fill(store, BEN)
    store.forget(ANN)
    assert store.find(BEN, token) == {"question": QUESTION}
    assert store.draft(BEN, draft) == Draft(QUESTION, None)
    assert store.is_author(BEN, BEN)
    assert [follow.user_id for follow in store.follows("market")] == [BEN]
    assert store.quiet_hours(BEN) == (22, 7, "UTC")
    assert store.digest(BEN) == {"hour": 7, "timezone": "UTC"}
    assert [waiting.user_id for waiting in store.waiting()] == [BEN]
    assert store.conversations("challenge") == {(BEN, BEN): 1}


def test_nobody_follows_the_answer_of_a_deleted_person(store):
    """The follow names the person whose question it is."""
    store.follow(BEN, BEN, Target("answer", "a1", owner_id=ANN))
    store.forget(ANN)
    assert store.follows_of(BEN) == []


def test_deleted_data_is_not_left_on_the_disk(store, file):
    fill(store, ANN)
    store.keep(ANN, "votes", {"question": "whether a certain ship comes in"})
    files = list(file.parent.iterdir())
    assert any(b"a certain ship" in path.read_bytes() for path in files)
    store.forget(ANN)
    assert not any(b"a certain ship" in path.read_bytes() for path in files)
