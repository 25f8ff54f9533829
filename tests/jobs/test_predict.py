"""Opening markets: the outside market of each world, and what documents say of its odds."""

from __future__ import annotations

import json
from functools import partial
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from service.config import Settings
from service.jobs.predict import odds_sources, outside_market, renew_opinions
from service.market.assets import ASSETS
from service.market.instants import DAY, HOUR, WorldClock, iso
from service.sources.feeds.simulated import SimulatedFeed
from service.store import bars, ledger, listings, predictions
from tests.cpu import least_cpu_s
from tests.jobs.challenges import BEAT_S, challenge
from tests.jobs.contexts import work
from tests.jobs.track_record import document, read, rows, verified
from tests.running_service import RunningService

PAST_PRICES = SimpleNamespace()
MOST_S = 2.0


def job_context(world: str, feed: object) -> SimpleNamespace:
    return SimpleNamespace(clock=WorldClock(world), feed=feed, settings=Settings(simulated_seed=7))


def test_the_market_of_a_simulated_world_knows_its_law():
    """That of a replay has a belief of its own; the live world has no simulated odds."""
    feed = SimulatedFeed(7, 0)
    outside = outside_market(job_context("simulated", feed))
    assert (outside.seed, outside.true_law) == (7, feed.expected_return)
    assert outside_market(job_context("replay", PAST_PRICES)).true_law is None
    assert odds_sources(job_context("live", PAST_PRICES)) == {}
    beliefs = (("simulated", feed, "the law by which this world draws"), ("replay", PAST_PRICES, "a GARCH(1,1)-t"))
    for world, prices, belief in beliefs:
        (source,) = odds_sources(job_context(world, prices)).values()
        assert source.startswith("simulated: no trades take place; priced from " + belief)


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
    verification, votes = verified(house, inputs=inputs), rows(house, "votes")
    assert (verification.fault, verification.unused) == (None, 0)
    assert verification.votes == verification.with_inputs == len(votes)
    assert len(inputs) < len(votes) / 2
    assert votes[-1].subject.startswith("challenge")


def hour_of(house: RunningService) -> int:
    return int(house.wall) // HOUR * HOUR


def held_by(house: RunningService) -> tuple[list, dict]:
    """The open markets, and the last opinions on them."""
    markets = read(house, predictions.active_markets, hour_of(house))
    return markets, read(house, listings.latest_opinions, [market.id for market in markets])


@pytest.mark.slow
def test_a_market_opened_this_hour_gets_the_opinion_of_its_votes(house: RunningService):
    """The embedded voters see what they saw when they voted."""
    house.move(DAY)
    markets, opinions = held_by(house)
    new = [market for market in markets if market.created_at == hour_of(house)]
    levels = [market for market in new if market.question.comparator in ("touch_above", "touch_below")]
    assert levels
    for market in levels:
        assert opinions[market.id]["ai"].p == pytest.approx(market.commitment.p, abs=1e-3)
        assert opinions[market.id]["odds"].p == pytest.approx(market.odds.p_yes, abs=1e-3)


@pytest.mark.slow
def test_the_opinion_follows_the_price(house: RunningService):
    """Before, "above 2,000 tomorrow" stood at 0.19 while the price was 2,215."""
    house.move(9 * HOUR)
    markets, opinions = held_by(house)
    spots = {asset: bar.close for asset, bar in read(house, bars.last_bars, ASSETS, 300).items()}
    closes = [market for market in markets if market.question.comparator == "close_above"]
    for market in closes:
        is_above = spots[market.question.asset] > market.question.threshold
        assert (opinions[market.id]["ai"].p > 0.5) == is_above or 0.4 < opinions[market.id]["ai"].p < 0.6
    assert any(abs(opinions[market.id]["ai"].p - market.commitment.p) > 0.2 for market in closes)


@pytest.mark.slow
def test_opinions_are_not_in_the_ledger(house: RunningService):
    house.move(HOUR)
    before = read(house, ledger.last_seq)
    work(house.engine.job_context, renew_opinions, hour_of(house) + HOUR)
    assert read(house, ledger.last_seq) == before


@pytest.mark.slow
def test_late_opinions_do_not_see_the_bars_after_their_hour(house: RunningService):
    """A job that died and began again half an hour later stored other opinions of the same hour."""
    house.move(HOUR)
    hour, (_, opinions) = hour_of(house), held_by(house)
    house.move(HOUR // 2)
    effects = renew_opinions(house.engine.job_context, hour)
    with house.runtime.database.writing() as db:
        db.execute(text("DELETE FROM opinion WHERE at = :hour"), {"hour": hour})
        effects(db)
        opinions_after = listings.latest_opinions(db, list(opinions))
    assert opinions
    assert opinions_after == opinions


@pytest.mark.slow
def test_ninety_markets_are_renewed_in_two_seconds(house: RunningService):
    """Of processor time, extrapolated from the markets that are open."""
    markets, _ = held_by(house)
    renew = partial(renew_opinions, house.engine.job_context, hour_of(house))
    assert least_cpu_s(renew, runs=2) * 90 / len(markets) < MOST_S


@pytest.mark.slow
def test_the_list_shows_the_opinions_of_each_hour_within_a_minute(house: RunningService):
    """Both of every open market."""
    house.register()
    house.move(3 * HOUR)
    house.move(60)
    path = "/api/v1/predictions?limit=200"
    markets = house.client.get(path, headers={"X-API-Key": house.key}).get_json()["markets"]
    assert len(markets) > 40
    assert {market[name]["as_of"] for market in markets for name in ("ai_now", "odds_now")} == {iso(hour_of(house))}
    assert all(market["odds_now"]["bid"] for market in markets)
