"""The votes of the consensus lane: one of each asset and hour, which is never replaced."""

from __future__ import annotations

from service.market.instants import HOUR
from service.store import hourly_votes


def test_votes_are_read_from_an_hour_on(database):
    with database.writing() as db:
        hourly_votes.add(db, HOUR, {"btc": 0.5})
        hourly_votes.add(db, 2 * HOUR, {"btc": 0.6, "eth": 0.4})
        hourly_votes.add(db, 3 * HOUR, {})
    with database.reading() as db:
        assert hourly_votes.since(db, 2 * HOUR) == {2 * HOUR: {"btc": 0.6, "eth": 0.4}}
        assert hourly_votes.since(db, 2 * HOUR + 1) == {}


def test_a_stored_vote_is_not_replaced(database):
    """A second run of the same hour adds only what is missing."""
    with database.writing() as db:
        hourly_votes.add(db, HOUR, {"btc": 0.5})
        hourly_votes.add(db, HOUR, {"btc": 0.9, "eth": 0.4})
    with database.reading() as db:
        assert hourly_votes.since(db, 0) == {HOUR: {"btc": 0.5, "eth": 0.4}}
