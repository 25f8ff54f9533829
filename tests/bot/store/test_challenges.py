"""The authors of challenges."""

from __future__ import annotations

from bot.store import AuthoredChallenge
from tests.bot.store.people import ANN, BEN


def test_a_challenge_is_open_until_its_author_is_notified(store, again):
    store.remember_challenge(ANN, ANN, 17)
    store.remember_challenge(BEN, BEN, 18)
    assert again.open_challenges() == [AuthoredChallenge(ANN, ANN, 17), AuthoredChallenge(BEN, BEN, 18)]
    store.mark_notified(17)
    assert again.open_challenges() == [AuthoredChallenge(BEN, BEN, 18)]


def test_the_author_stays_after_the_notification(store):
    store.remember_challenge(ANN, ANN, 17)
    store.mark_notified(17)
    assert store.is_author(ANN, 17)
    assert not store.is_author(BEN, 17)
    assert not store.is_author(ANN, 18)


def test_storing_a_challenge_again_changes_nothing(store):
    store.remember_challenge(ANN, ANN, 17)
    store.remember_challenge(ANN, ANN, 17)
    store.mark_notified(17)
    store.remember_challenge(ANN, ANN, 17)
    assert store.open_challenges() == []


def test_a_reused_number_belongs_to_its_new_author(store):
    store.remember_challenge(ANN, ANN, 1)
    store.mark_notified(1)
    store.remember_challenge(BEN, BEN, 1)
    assert store.open_challenges() == [AuthoredChallenge(BEN, BEN, 1)]


def test_the_least_recently_checked_comes_first(store, clock):
    for number in (1, 2, 3):
        store.remember_challenge(ANN, ANN, number)
    clock.move(minutes=1)
    store.mark_checked(1)
    assert [challenge.number for challenge in store.open_challenges()] == [2, 3, 1]
