"""The steps of conversations."""

from __future__ import annotations

from tests.bot.store.people import ANN, BEN


def test_a_conversation_is_at_its_last_step(store, again):
    store.set_conversation("challenge", (ANN, ANN), 0)
    store.set_conversation("challenge", (ANN, ANN), 1)
    store.set_conversation("another", (ANN, ANN), "begun")
    assert again.conversations("challenge") == {(ANN, ANN): 1}
    assert again.conversations("another") == {(ANN, ANN): "begun"}
    store.set_conversation("challenge", (ANN, ANN), None)
    assert again.conversations("challenge") == {}


def test_a_conversation_expires_after_an_hour(store, clock):
    store.set_conversation("challenge", (ANN, ANN), 0)
    clock.move(minutes=50)
    store.set_conversation("challenge", (BEN, BEN), 0)
    clock.move(minutes=11)
    assert store.conversations("challenge") == {(BEN, BEN): 0}
