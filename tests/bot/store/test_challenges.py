"""The authors of challenges."""

from __future__ import annotations

from tests.bot.store.people import ANN, BEN


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
