"""The authors of challenges."""

from __future__ import annotations

from bot.store import Draft, LiveMessage
from bot.store.challenges import MAX_A_CHAT
from tests.bot.store.conftest import ANN, BEN, GROUP, QUESTION


def test_a_challenge_has_one_author(store, again):
    store.remember_challenge(ANN, ANN, 17)
    store.remember_challenge(ANN, ANN, 17)
    assert again.is_author(ANN, 17)
    assert not again.is_author(BEN, 17)
    assert not again.is_author(ANN, 18)


def test_a_reused_number_belongs_to_its_new_author(store):
    store.remember_challenge(ANN, ANN, 1)
    store.remember_challenge(BEN, BEN, 1)
    assert store.is_author(BEN, 1)
    assert not store.is_author(ANN, 1)


def test_a_draft_is_a_question_and_then_a_date(store, again):
    id = store.save_draft(ANN, QUESTION)
    assert store.draft(ANN, id) == Draft(QUESTION, None)
    assert store.set_deadline(ANN, id, "2026-12-31")
    assert again.draft(ANN, id) == Draft(QUESTION, "2026-12-31")


def test_the_draft_of_another_person_is_not_visible(store):
    id = store.save_draft(ANN, QUESTION)
    assert store.draft(BEN, id) is None
    assert not store.set_deadline(BEN, id, "2026-12-31")
    assert store.begin_creating(BEN, id) is None
    assert not store.drop_draft(BEN, id)
    assert store.draft(ANN, id) == Draft(QUESTION, None)


def test_ids_are_never_reused(store):
    old = store.save_draft(ANN, QUESTION)
    assert store.drop_draft(ANN, old)
    new = store.save_draft(ANN, "Will gold rise?")
    assert store.draft(ANN, old) is None
    assert new != old


def test_a_draft_is_kept_for_seven_days(store, clock):
    id = store.save_draft(ANN, QUESTION)
    clock.move(days=7, seconds=1)
    assert store.draft(ANN, id) is None
    assert not store.set_deadline(ANN, id, "2026-12-31")


def test_the_newest_20_of_a_person_are_kept(store):
    ids = [store.save_draft(ANN, QUESTION) for _ in range(22)]
    assert [store.draft(ANN, id) is None for id in ids] == [True] * 2 + [False] * 20


def test_creating_twice_uses_one_key(store, again):
    id = store.save_draft(ANN, QUESTION)
    key = store.begin_creating(ANN, id)
    assert len(key) >= 20
    assert store.begin_creating(ANN, id) == again.begin_creating(ANN, id) == key
    assert store.begin_creating(ANN, store.save_draft(ANN, QUESTION)) != key


def test_a_draft_expires_before_its_idempotency_key(store, clock):
    id = store.save_draft(ANN, QUESTION)
    store.begin_creating(ANN, id)
    clock.move(hours=23)
    assert store.begin_creating(ANN, id)
    clock.move(seconds=1)
    assert store.begin_creating(ANN, id) is None
    assert store.draft(ANN, id) is None


def test_a_dropped_draft_has_no_key(store):
    id = store.save_draft(ANN, QUESTION)
    store.drop_draft(ANN, id)
    assert store.begin_creating(ANN, id) is None


def test_a_message_keeps_what_it_shows_last(store, again):
    for state in ("0 0", "1 0"):
        store.show_live(LiveMessage(GROUP, 5, 17, state))
    assert again.live_messages() == [(GROUP, 5, 17, "1 0")]
    store.drop_live(LiveMessage(GROUP, 5, 17, ""))
    assert again.live_messages() == []


def test_only_the_newest_of_a_group_are_kept(store):
    store.show_live(LiveMessage(GROUP - 1, 1, 17, ""))
    for message in range(1, MAX_A_CHAT + 3):
        store.show_live(LiveMessage(GROUP, message, 17, ""))
    ids = [live.message_id for live in store.live_messages() if live.chat_id == GROUP]
    assert ids == list(range(3, MAX_A_CHAT + 3))
    assert len(store.live_messages()) == MAX_A_CHAT + 1


def test_the_messages_of_a_challenge_are_found(store):
    for number in (17, 18):
        store.show_live(LiveMessage(GROUP, number, number, ""))
    assert [live.number for live in store.live_messages(18)] == [18]
