"""The messages in groups that show challenges."""

from __future__ import annotations

from bot.store import LiveMessage
from bot.store.live_challenges import MAX_A_CHAT
from tests.bot.store.people import GROUP


def test_a_message_keeps_what_it_shows_last(store, again):
    for shown in ("0 0", "1 0"):
        store.show_live(LiveMessage(GROUP, 5, 17, shown))
    assert again.live_messages() == [(GROUP, 5, 17, "1 0")]
    store.drop_live(LiveMessage(GROUP, 5, 17, ""))
    assert again.live_messages() == []


def test_only_the_newest_of_a_group_are_kept(store):
    store.show_live(LiveMessage(GROUP - 1, 1, 17, ""))
    for message in range(1, MAX_A_CHAT + 3):
        store.show_live(LiveMessage(GROUP, message, 17, ""))
    kept = [live.message_id for live in store.live_messages() if live.chat_id == GROUP]
    assert kept == list(range(3, MAX_A_CHAT + 3))
    assert len(store.live_messages()) == MAX_A_CHAT + 1


def test_the_messages_of_a_challenge_are_found(store):
    for number in (17, 18):
        store.show_live(LiveMessage(GROUP, number, number, ""))
    assert [live.number for live in store.live_messages(18)] == [18]
