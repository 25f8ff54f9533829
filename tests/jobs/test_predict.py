"""Opening markets: the outside market of each world, and what documents say of its odds."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from service.config import Settings
from service.jobs.predict import odds_sources, outside_market
from service.ledger.verifier import verify
from service.market.instants import WorldClock
from service.sources.feeds.simulated import SimulatedFeed
from service.store import ledger
from tests.jobs.challenges import BEAT_S, challenge
from tests.jobs.track_record import document

PAST_PRICES = SimpleNamespace()


def job_context(world: str, feed: object) -> SimpleNamespace:
    return SimpleNamespace(clock=WorldClock(world), feed=feed, settings=Settings(simulated_seed=7))


def test_the_market_of_a_simulated_world_knows_its_law():
    feed = SimulatedFeed(7, 0)
    outside = outside_market(job_context("simulated", feed))
    assert (outside.seed, outside.true_law) == (7, feed.expected_return)


def test_the_market_of_a_replay_has_a_belief_of_its_own():
    assert outside_market(job_context("replay", PAST_PRICES)).true_law is None


@pytest.mark.parametrize(
    ("world", "feed", "belief"),
    [
        ("simulated", SimulatedFeed(7, 0), "the law by which this world draws"),
        ("replay", PAST_PRICES, "a GARCH(1,1)-t"),
    ],
)
def test_simulated_odds_say_that_no_trades_take_place(world, feed, belief):
    (described,) = odds_sources(job_context(world, feed)).values()
    assert described.startswith("simulated: no trades take place; priced from " + belief)


def test_the_live_world_has_no_simulated_odds():
    assert odds_sources(job_context("live", PAST_PRICES)) == {}


@pytest.mark.parametrize("name", ["predictions", "shadow", "ai-vs-market"])
def test_documents_with_simulated_odds_say_how_they_are_made(house, name):
    assert document(house, name)["sources"]["simulated"].startswith("simulated: no trades take place")


@pytest.mark.slow
def test_every_vote_is_verified_with_its_inputs(house):
    """Those of the backfilled past, and of a challenge whose prices are newer than the hour."""
    challenge(house)
    house.move(BEAT_S)
    inputs, path = [], "/api/v1/features?limit=200"
    while path:
        page = house.client.get(path)
        inputs += [json.dumps(row) for row in page.json["rows"]]
        path = page.json["next"] and f"/api/v1/features?limit=200&cursor={page.json['next']}"
    with house.runtime.database.reading() as db:
        verified = verify(ledger.export(db), inputs=inputs)
        votes = ledger.entries(db, 1, 10_000, kind="votes")
    assert (verified.fault, verified.votes, verified.with_inputs, verified.unused) == (None, *[len(votes)] * 2, 0)
    assert len(inputs) < len(votes) / 2
    assert votes[-1].subject.startswith("challenge")
