"""The exchange rates that the job stored last."""

from __future__ import annotations

from datetime import UTC, datetime

from service.market.prices import Rate
from service.store import snapshots

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_before_the_first_run_there_are_none(database):
    with database.reading() as db:
        assert snapshots.latest_rates(db) == {}


def test_the_latest_rates_are_read_as_they_were_stored(database):
    """Those that were read earlier do not replace them."""
    later, earlier = {"EUR": Rate(1.1, "kraken EUR/USD", NOON), "JPY": Rate(0.0066)}, {"EUR": Rate(1.2)}
    with database.writing() as db:
        snapshots.save_rates(db, 2_000, later)
        snapshots.save_rates(db, 1_000, earlier)
        assert snapshots.latest_rates(db) == later
