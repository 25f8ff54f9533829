"""A person's own votes and forecasts."""

from __future__ import annotations

from bot.store import OwnCall
from bot.store.votes import KEPT_S
from tests.bot.store.people import ANN, BEN


def test_a_later_vote_replaces_the_earlier_one(store, again):
    store.remember_vote(ANN, "m1", "yes")
    store.remember_vote(ANN, "m1", "no")
    store.remember_vote(BEN, "m1", "yes")
    assert again.votes_of(ANN, ["m1", "m2"]) == {"m1": "no"}
    assert again.votes_of(BEN, ["m2"]) == {}


def test_vote_and_forecast_of_a_market_are_one_call(store, clock):
    """The newest first, by whichever came last."""
    store.remember_vote(ANN, "m1", "yes")
    clock.move(seconds=1)
    store.remember_forecast(ANN, "m2", 0.3)
    clock.move(seconds=1)
    store.remember_forecast(ANN, "m1", 0.7)
    store.remember_forecast(BEN, "m3", 0.5)
    calls = [OwnCall("m1", "yes", 0.7), OwnCall("m2", None, 0.3)]
    assert store.own_calls(ANN, 10) == calls
    assert store.own_calls(ANN, 1) == calls[:1]


def test_calls_older_than_every_market_are_deleted(store, clock):
    store.remember_vote(ANN, "old", "yes")
    store.remember_forecast(ANN, "old", 0.5)
    clock.move(seconds=KEPT_S + 1)
    store.remember_vote(ANN, "new", "yes")
    store.remember_forecast(ANN, "new", 0.5)
    assert store.own_calls(ANN, 10) == [OwnCall("new", "yes", 0.5)]
