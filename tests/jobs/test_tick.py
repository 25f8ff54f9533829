"""The tick fetches the bars that the store lacks and publishes the prices; `fill` closes older gaps."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from service.errors import SourceFailed
from service.jobs import tick
from service.market.bars import from_rows
from service.market.clock import WorldClock
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.sources.feeds import FetchedBars
from service.store import bars, snapshots

STEP = 5 * MINUTE
SLOT = 1_763_985_600  # Monday, 24 November 2025, 12:00 UTC
HISTORY_FROM = SLOT - 10 * DAY


@dataclass
class Feed:
    """Two coins whose price is the number of the bar; `failing` sources raise, and `requests` are the spans."""

    world: str = "live"
    step: int = STEP
    assets: tuple[str, ...] = ("btc", "eth")
    failing: set[str] = field(default_factory=set)
    holes: tuple[int, ...] = ()
    requests: list[tuple[str, int, int]] = field(default_factory=list)

    def source(self, asset: str) -> str:
        return "a test"

    def fetch(self, asset: str, since: int, until: int) -> FetchedBars:
        self.requests.append((asset, since, until))
        if asset in self.failing:
            raise SourceFailed("unavailable")
        times = [time for time in range(since, until - STEP + 1, STEP) if time not in self.holes]
        return FetchedBars(from_rows([(time, *[float(time // STEP)] * 4, 1.0) for time in times], STEP), (), "a test")


@pytest.fixture
def feed() -> Feed:
    return Feed()


@pytest.fixture
def run(sqlite_database, feed):
    """Run a job at a slot and write its effects."""
    job_context = SimpleNamespace(
        database=sqlite_database,
        feed=feed,
        clock=WorldClock("live", world_origin=SLOT, wall_origin=SLOT),
        history_from=HISTORY_FROM,
    )

    def run(job, slot: int = SLOT) -> None:
        effects = job(job_context, slot)
        with sqlite_database.writing() as db:
            effects(db)

    return run


@pytest.fixture
def stored(sqlite_database):
    """The times of an asset's stored bars of a length."""

    def stored(asset: str = "btc", step: int = STEP) -> list[int]:
        with sqlite_database.reading() as db:
            return bars.load(db, asset, HISTORY_FROM, SLOT + DAY, step).time.tolist()

    return stored


@pytest.fixture
def prices(sqlite_database):
    def prices() -> dict:
        with sqlite_database.reading() as db:
            return json.loads(snapshots.latest(db, "prices").body)

    return prices


def test_the_first_live_tick_stores_two_days_and_their_hours(run, stored, prices):
    run(tick.tick)
    assert stored() == list(range(SLOT - 2 * DAY, SLOT, STEP))
    assert stored(step=HOUR) == list(range(SLOT - 2 * DAY, SLOT, HOUR))
    assert prices()["as_of"] == iso(SLOT)


def test_a_later_tick_fetches_only_what_is_missing(run, feed, stored):
    run(tick.tick)
    feed.requests.clear()
    run(tick.tick, SLOT + STEP)
    assert feed.requests == [("btc", SLOT, SLOT + STEP), ("eth", SLOT, SLOT + STEP)]
    assert stored()[-1] == SLOT


def test_a_gap_of_the_last_days_is_fetched_again(run, feed, stored):
    feed.holes = (SLOT - HOUR,)
    run(tick.tick)
    assert SLOT - HOUR not in stored()
    feed.holes = ()
    run(tick.tick, SLOT + STEP)
    assert SLOT - HOUR in stored()


def test_a_failed_source_keeps_the_bars_of_its_asset(run, feed, stored, prices):
    run(tick.tick)
    feed.failing = {"eth"}
    run(tick.tick, SLOT + HOUR)
    assert (stored("btc")[-1], stored("eth")[-1]) == (SLOT + HOUR - STEP, SLOT - STEP)
    shown = {price["asset"]: price["as_of"] for price in prices()["prices"]}
    assert shown == {"btc": iso(SLOT + HOUR), "eth": iso(SLOT)}


def test_a_tick_fails_when_no_source_answers(run, feed):
    feed.failing = {"btc", "eth"}
    with pytest.raises(SourceFailed, match="no source answered"):
        run(tick.tick)


def test_fill_fetches_the_older_history_piece_by_piece(run, feed, stored):
    """Each slot another piece of two days, until the history is whole."""
    run(tick.tick)
    for minute in range(20):
        feed.requests.clear()
        run(tick.fill, SLOT + minute * tick.FILL_EVERY_S)
        assert all(until - since <= tick.LIVE_SPAN_S for _, since, until in feed.requests)
    assert feed.requests == []
    assert stored() == list(range(HISTORY_FROM, SLOT, STEP))
