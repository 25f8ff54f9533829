"""The job that stores the exchange rates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from service.jobs.prices import read_rates
from service.market.prices import ASSUMED, NO_RATES, Rate, Rates
from service.sources.feeds.simulated import SimulatedFeed
from service.store import snapshots

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
SLOT = int(NOON.timestamp())


@dataclass
class Feed:
    """A feed with these rates."""

    quoted: Rates

    def rates(self) -> Rates:
        return self.quoted


def run(database, feed, slot: int = SLOT) -> None:
    effects = read_rates(SimpleNamespace(database=database, feed=feed), slot)
    with database.writing() as db:
        effects(db)


def stored(database) -> Rates:
    with database.reading() as db:
        return snapshots.latest_rates(db)


def test_there_is_no_rate_before_the_first_run(sqlite_database):
    assert stored(sqlite_database) == NO_RATES


def test_the_rates_of_a_feed_are_stored(sqlite_database):
    quoted = {"EUR": Rate(1.0841, "kraken EUR/USD", NOON)}
    run(sqlite_database, Feed(quoted))
    assert stored(sqlite_database) == quoted


def test_a_currency_without_a_quote_keeps_its_last_rate(sqlite_database):
    """The rate says its time, and one that is too old is not used."""
    later = NOON + timedelta(minutes=10)
    euro, pound = Rate(1.0841, "kraken EUR/USD", NOON), Rate(1.268, "kraken GBP/USD", NOON)
    run(sqlite_database, Feed({"EUR": euro, "GBP": pound}))
    run(sqlite_database, Feed({"EUR": Rate(1.09, "kraken EUR/USD", later)}), SLOT + 600)
    assert stored(sqlite_database) == {"EUR": Rate(1.09, "kraken EUR/USD", later), "GBP": pound}


def test_a_simulated_world_has_assumed_rates(sqlite_database):
    run(sqlite_database, SimulatedFeed(42, 0))
    assert stored(sqlite_database) == ASSUMED
    assert all(rate.as_of is None for rate in stored(sqlite_database).values())
