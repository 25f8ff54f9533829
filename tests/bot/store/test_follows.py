"""What people follow, their calls on markets, and the challenges they wrote or posted."""

from __future__ import annotations

from bot.store import FollowEvent, LiveMessage, OwnCall, Target
from bot.store.follows import CALL_KEPT_S, MAX_A_CHAT, MAX_FOLLOWS
from tests.bot.store.conftest import ANN, BEN, GROUP, alert

MARKET = Target("market", "daily-btc-up", title="Will it?", value=0.44)


def test_a_target_is_followed_once(store, again):
    assert store.follow(ANN, ANN, MARKET)
    assert store.follow(ANN, ANN, MARKET)
    (follow,) = again.follows_of(ANN)
    assert (follow.user_id, follow.chat_id, follow.target) == (ANN, ANN, MARKET)
    assert again.is_following(ANN, "market", "daily-btc-up")
    assert not again.is_following(BEN, "market", "daily-btc-up")


def test_each_level_of_a_price_is_a_follow(store):
    for level in (50_000, 60_000, 60_000):
        store.follow(ANN, ANN, Target("price", "btc", level))
    assert [follow.target.level for follow in store.follows_of(ANN)] == [60_000, 50_000]
    store.drop_follow(BEN, store.follows_of(ANN)[0].number)
    store.drop_follow(ANN, store.follows_of(ANN)[0].number)
    assert [follow.target.level for follow in store.follows_of(ANN)] == [50_000]
    store.unfollow(ANN, "price", "btc")
    assert store.follows_of(ANN) == []


def test_the_number_of_follows_is_limited(store):
    levels = range(1, MAX_FOLLOWS + 2)
    follows = [store.follow(ANN, ANN, Target("price", "btc", level)) for level in levels]
    assert [bool(follow) for follow in follows] == [True] * MAX_FOLLOWS + [False]
    assert store.follow(BEN, BEN, MARKET)


def test_the_least_recently_checked_comes_first(store, clock):
    for number in "123":
        store.follow(ANN, ANN, Target("market", number))
    clock.move(minutes=1)
    store.mark_checked(store.follows("market")[:1])
    assert [follow.target.subject for follow in store.follows("market")] == ["2", "3", "1"]
    assert store.follows("price", "chance") == []


def test_an_event_queues_its_alert_and_ends_the_follow(store):
    """One that was ended meanwhile sends nothing."""
    store.follow(ANN, ANN, MARKET)
    (follow,) = store.follows_of(ANN)
    store.record_events([FollowEvent(follow, alert(key="sides"), 0.55, is_last=False)])
    assert store.follows_of(ANN)[0].target.value == 0.55
    for key in ("end", "nothing"):
        store.record_events([FollowEvent(follow, alert(key=key))])
    assert store.follows_of(ANN) == []
    assert [waiting.key for waiting in store.waiting()] == ["sides", "end"]


def test_a_later_vote_replaces_the_earlier_one(store, again):
    for person, vote in ((ANN, "yes"), (ANN, "no"), (BEN, "yes")):
        store.remember_call(person, "m1", vote)
    assert again.votes_of(ANN, ["m1", "m2"]) == {"m1": "no"}
    assert again.votes_of(BEN, ["m2"]) == {}


def test_vote_and_forecast_of_a_market_are_one_call(store, clock):
    """The newest first, by whichever came last."""
    for person, market, call in ((ANN, "m1", "yes"), (ANN, "m2", 0.3), (ANN, "m1", 0.7), (BEN, "m3", 0.5)):
        store.remember_call(person, market, call)
        clock.move(seconds=1)
    calls = [OwnCall("m1", "yes", 0.7), OwnCall("m2", None, 0.3)]
    assert store.own_calls(ANN, 10) == calls
    assert store.own_calls(ANN, 1) == calls[:1]


def test_calls_older_than_every_market_are_deleted(store, clock):
    for market in ("old", "new"):
        clock.move(seconds=CALL_KEPT_S + 1)
        store.remember_call(ANN, market, "yes")
        store.remember_call(ANN, market, 0.5)
    assert store.own_calls(ANN, 10) == [OwnCall("new", "yes", 0.5)]


def test_a_challenge_has_one_author(store, again):
    """A number that is used again belongs to its new author."""
    for _ in range(2):
        store.remember_challenge(ANN, ANN, 17)
    assert [again.is_author(*place) for place in ((ANN, 17), (BEN, 17), (ANN, 18))] == [True, False, False]
    store.remember_challenge(BEN, BEN, 17)
    assert [store.is_author(person, 17) for person in (ANN, BEN)] == [False, True]


def test_a_message_keeps_what_it_shows_last(store, again):
    """It is found by its challenge."""
    store.show_live(LiveMessage(GROUP, 4, 16, ""))
    for state in ("0 0", "1 0"):
        store.show_live(LiveMessage(GROUP, 5, 17, state))
    assert again.live_messages(17) == [(GROUP, 5, 17, "1 0")]
    store.drop_live(LiveMessage(GROUP, 5, 17, ""))
    assert [live.number for live in again.live_messages()] == [16]


def test_only_the_newest_of_a_group_are_kept(store):
    store.show_live(LiveMessage(GROUP - 1, 1, 17, ""))
    for message in range(1, MAX_A_CHAT + 3):
        store.show_live(LiveMessage(GROUP, message, 17, ""))
    ids = [live.message_id for live in store.live_messages() if live.chat_id == GROUP]
    assert ids == list(range(3, MAX_A_CHAT + 3))
    assert len(store.live_messages()) == MAX_A_CHAT + 1
