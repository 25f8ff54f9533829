"""The authors of challenges."""

from __future__ import annotations

from bot.store import LiveMessage
from bot.store.follows import MAX_A_CHAT
from tests.bot.store.conftest import ANN, BEN, GROUP


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
