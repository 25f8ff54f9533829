"""The votes of the consensus lane: one of each asset and hour, which is never replaced."""

from __future__ import annotations

from service.market.instants import HOUR
from service.store import lanes
from service.trading.lanes import LaneVote

EVEN, UP, DOWN = (LaneVote(0.6, p_up) for p_up in (0.5, 0.6, 0.4))


def test_votes_are_read_from_an_hour_on(database):
    with database.writing() as db:
        lanes.add_hourly_votes(db, HOUR, {"btc": EVEN})
        lanes.add_hourly_votes(db, 2 * HOUR, {"btc": UP, "eth": DOWN})
        lanes.add_hourly_votes(db, 3 * HOUR, {})
    with database.reading() as db:
        assert lanes.hourly_votes_since(db, 2 * HOUR) == {2 * HOUR: {"btc": UP, "eth": DOWN}}
        assert lanes.hourly_votes_since(db, 2 * HOUR + 1) == {}


def test_the_votes_before_an_hour_are_the_last_of_each_asset(database):
    with database.writing() as db:
        lanes.add_hourly_votes(db, HOUR, {"btc": EVEN, "eth": DOWN})
        lanes.add_hourly_votes(db, 2 * HOUR, {"btc": UP})
        lanes.add_hourly_votes(db, 3 * HOUR, {"btc": DOWN})
    with database.reading() as db:
        assert lanes.hourly_votes_before(db, 3 * HOUR) == {"btc": UP, "eth": DOWN}
        assert lanes.hourly_votes_before(db, HOUR) == {}


def test_a_stored_vote_is_not_replaced(database):
    """A second run of the same hour adds only what is missing."""
    with database.writing() as db:
        lanes.add_hourly_votes(db, HOUR, {"btc": EVEN})
        lanes.add_hourly_votes(db, HOUR, {"btc": UP, "eth": DOWN})
    with database.reading() as db:
        assert lanes.hourly_votes_since(db, 0) == {HOUR: {"btc": EVEN, "eth": DOWN}}
