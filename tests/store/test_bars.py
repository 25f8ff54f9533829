from __future__ import annotations

import numpy as np
import pytest

from service.market.bars import Bar, Bars, equal, from_rows, resample
from service.market.instants import DAY, HOUR
from service.store import bars
from service.store.database import Database

# A Wednesday, 2025-01-01 00:00 UTC.
START = 1_735_689_600


def walk(times, step: int = 300) -> Bars:
    """Sound bars with arbitrary prices at the given times."""
    times = np.asarray(times, dtype=np.int64)
    rng = np.random.default_rng(7)
    close = 100 * np.exp(np.cumsum(rng.normal(0, 0.01, len(times))))
    opening = np.concatenate(([100.0], close[:-1]))[: len(times)]
    high, low = np.maximum(opening, close) * 1.001, np.minimum(opening, close) * 0.999
    return Bars(times, opening, high, low, close, rng.lognormal(0, 1, len(times)), step)


def add(database, asset: str, some: Bars) -> int:
    with database.writing() as db:
        return bars.add_bars(db, asset, some)


def test_bars_come_back_as_they_were_stored(database):
    stored = walk(START + 300 * np.arange(500))
    assert add(database, "btc", stored) == 500
    with database.reading() as db:
        loaded = bars.load_bars(db, "btc", START, START + 500 * 300, 300)
        assert equal(loaded, stored)
        assert loaded.time.dtype == np.int64
        assert bars.last_bar(db, "btc", 300) == Bar(*stored.rows()[-1])


def test_only_bars_that_are_complete_by_the_end_are_loaded(database):
    add(database, "btc", walk(START + 300 * np.arange(10)))
    with database.reading() as db:
        loaded = bars.load_bars(db, "btc", START + 300, START + 1799, 300)
    assert loaded.time.tolist() == [START + 300, START + 600, START + 900, START + 1200]


def test_an_asset_without_bars_has_none(database):
    with database.reading() as db:
        assert len(bars.load_bars(db, "eth", 0, START, 300)) == 0
        assert bars.last_bar(db, "eth", 300) is None
    assert add(database, "eth", walk([])) == 0


def test_a_stored_bar_is_never_replaced(database):
    first = walk(START + 300 * np.arange(10))
    add(database, "btc", first)
    assert add(database, "btc", walk(START + 300 * np.arange(5, 15))) == 5
    with database.reading() as db:
        assert equal(bars.load_bars(db, "btc", START, START + 3000, 300), first)


def test_each_asset_has_bars_of_its_own(database):
    add(database, "btc", walk([START]))
    assert add(database, "eth", walk([START])) == 1


@pytest.mark.slow
def test_two_processes_never_store_a_bar_twice(database, database_url, at_once):
    added = at_once("add-bars", database_url, 2)
    assert sum(added) == 2000
    with database.reading() as db:
        assert len(bars.load_bars(db, "btc", 0, START, 300)) == 2000


def test_hours_lie_beside_the_bars_they_are_made_of(database):
    stored = walk(START + 300 * np.arange(36))
    hours = resample(stored, HOUR)
    add(database, "btc", stored)
    with database.writing() as db:
        bars.renew_bars(db, "btc", hours)
    with database.reading() as db:
        assert equal(bars.load_bars(db, "btc", START, START + 3 * HOUR, HOUR), hours)
        assert equal(bars.load_bars(db, "btc", START, START + 3 * HOUR, 300), stored)


def test_an_hour_is_made_again_when_a_hole_in_it_is_mended(database):
    whole = walk(START + 300 * np.arange(12))
    holed = Bars(*(getattr(whole, name)[np.arange(12) != 5] for name in Bar._fields), step=300)
    for minutes in (holed, whole):
        with database.writing() as db:
            bars.renew_bars(db, "btc", resample(minutes, HOUR))
    with database.reading() as db:
        assert equal(bars.load_bars(db, "btc", START, START + HOUR, HOUR), resample(whole, HOUR))


@pytest.mark.parametrize("asset", ["btc", "gold"])
def test_real_bars_survive_the_database(sqlite_url, shared_data, asset):
    text = np.genfromtxt(shared_data / "candles/1h" / f"{asset}.csv", delimiter=",", skip_header=1, usecols=range(1, 6))
    real = from_rows([(START + HOUR * place, *row) for place, row in enumerate(text.tolist())], HOUR)
    database = Database(sqlite_url)
    add(database, asset, real)
    with database.reading() as db:
        assert equal(bars.load_bars(db, asset, START, real.as_of, HOUR), real)
    database.close()


def test_the_record_is_over_hours_and_the_bars_after_them(database):
    """Hourly bars reach farther back; the hour that is not complete yet has bars of the feed only."""
    with database.writing() as db:
        assert bars.price_extremes(db, "btc", 300) is None
        bars.renew_bars(db, "btc", from_rows([(START, 9, 12, 8, 10, 1), (START + HOUR, 10, 11, 9, 10, 1)], HOUR))
        bars.add_bars(db, "btc", from_rows([(START + 2 * HOUR, 10, 13, 10, 12, 1)], 300))
        record = bars.price_extremes(db, "btc", 300)
    assert (record.high, record.low, record.since.timestamp()) == (13, 8, START)


def test_the_first_bars_are_built_from_stored_ones(database):
    """A group with a gap is kept; the last one is left out until a bar reaches its end."""
    stored = walk(START + 300 * np.array([0, 1, 5, 11, 12, 30, 35, 36]))
    add(database, "btc", stored)
    with database.reading() as db:
        first = bars.first_bars(db, "btc", START, START + DAY, HOUR, 2, stored=300)
        every = bars.first_bars(db, "btc", START + 1, START + DAY, HOUR, 9, stored=300)
    assert equal(first, resample(stored, HOUR)[:2])
    assert every.time.tolist() == [START + HOUR, START + 2 * HOUR]
