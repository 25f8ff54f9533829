"""Bars kept in memory are those of the database, whatever is stored meanwhile; and coins outside the seven."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from sqlalchemy import Connection

from service.forecasting.voters.context import Context
from service.market.bars import Bar, Bars, CoinBars, equal, from_rows, resample
from service.market.coverage import Coverage
from service.market.instants import DAY, HOUR, utc
from service.store import bars, coins
from service.store.bars import HourlyBars, StoredHistory
from service.store.coins import StoredCoin

START = 1_735_689_600  # Wednesday, 2025-01-01T00:00:00Z
NO_COVERAGE = Coverage(0, 5)
AFTERNOON = 1_795_262_400
STEP = 300
NOW = 500_000 * HOUR
CONTEXT = Context("pepe", NOW, 0.3, 200.0, 1e-5, 1e-5, inputs={"move_4h": None}, correlations={"btc": 0.5})


def walk(times, step: int = 300) -> Bars:
    """Sound bars with arbitrary prices at the given times."""
    times = np.asarray(times, dtype=np.int64)
    rng = np.random.default_rng(7)
    close = 100 * np.exp(np.cumsum(rng.normal(0, 0.01, len(times))))
    opening = np.concatenate(([100.0], close[:-1]))[: len(times)]
    high, low = np.maximum(opening, close) * 1.001, np.minimum(opening, close) * 0.999
    return Bars(times, opening, high, low, close, rng.lognormal(0, 1, len(times)), step)


def flat(since: int, count: int, step: int, price: float) -> Bars:
    """So many bars of one price."""
    return from_rows([(since + place * step, price, price, price, price, 1.0) for place in range(count)], step)


def test_bars_come_back_as_they_were_stored(db):
    series = walk(START + 300 * np.arange(500))
    assert bars.add_bars(db, "btc", series) == 500
    result = bars.load_bars(db, "btc", START, START + 500 * 300, 300)
    assert equal(result, series)
    assert result.time.dtype == np.int64
    assert bars.last_bar(db, "btc", 300) == Bar(*series.rows()[-1])


def test_only_bars_that_are_complete_by_the_end_are_loaded(db):
    """Each asset has bars of its own."""
    bars.add_bars(db, "btc", walk(START + 300 * np.arange(10)))
    result = bars.load_bars(db, "btc", START + 300, START + 1799, 300)
    assert len(bars.load_bars(db, "eth", 0, START, 300)) == 0
    assert bars.last_bar(db, "eth", 300) is None
    assert result.time.tolist() == [START + 300, START + 600, START + 900, START + 1200]
    assert [bars.add_bars(db, "eth", walk(times)) for times in ([], [START])] == [0, 1]


def test_a_stored_bar_is_never_replaced(db):
    first = walk(START + 300 * np.arange(10))
    bars.add_bars(db, "btc", first)
    assert bars.add_bars(db, "btc", walk(START + 300 * np.arange(5, 15))) == 5
    assert equal(bars.load_bars(db, "btc", START, START + 3000, 300), first)


@pytest.mark.slow
def test_two_processes_never_store_a_bar_twice(database, database_url, race):
    counts = race("add_bars", database_url, 2)
    assert sum(counts) == 2000
    with database.reading() as db:
        assert len(bars.load_bars(db, "btc", 0, START, 300)) == 2000


def test_hours_lie_beside_the_bars_they_are_made_of(db):
    series = walk(START + 300 * np.arange(36))
    hours = resample(series, HOUR)
    bars.add_bars(db, "btc", series)
    bars.renew_bars(db, "btc", hours)
    assert equal(bars.load_bars(db, "btc", START, START + 3 * HOUR, HOUR), hours)
    assert equal(bars.load_bars(db, "btc", START, START + 3 * HOUR, 300), series)


def test_an_hour_is_made_again_when_a_hole_in_it_is_mended(db):
    series = walk(START + 300 * np.arange(12))
    gappy = Bars(*(getattr(series, name)[np.arange(12) != 5] for name in Bar._fields), step=300)
    for minutes in (gappy, series):
        bars.renew_bars(db, "btc", resample(minutes, HOUR))
    assert equal(bars.load_bars(db, "btc", START, START + HOUR, HOUR), resample(series, HOUR))


def test_the_record_is_over_hours_and_the_bars_after_them(db):
    """Hourly bars reach farther back; the hour that is not complete yet has bars of the feed only."""
    assert bars.price_extremes(db, "btc", 300) is None
    bars.renew_bars(db, "btc", from_rows([(START, 9, 12, 8, 10, 1), (START + HOUR, 10, 11, 9, 10, 1)], HOUR))
    bars.add_bars(db, "btc", from_rows([(START + 2 * HOUR, 10, 13, 10, 12, 1)], 300))
    record = bars.price_extremes(db, "btc", 300)
    assert (record.high, record.low, record.since.timestamp()) == (13, 8, START)


def test_the_first_bars_are_built_from_stored_ones(db):
    """A group with a gap is kept; the last one is left out until a bar reaches its end."""
    series = walk(START + 300 * np.array([0, 1, 5, 11, 12, 30, 35, 36]))
    bars.add_bars(db, "btc", series)
    first = bars.first_bars(db, "btc", START, START + DAY, HOUR, 2, stored_step=300)
    rest = bars.first_bars(db, "btc", START + 1, START + DAY, HOUR, 9, stored_step=300)
    assert equal(first, resample(series, HOUR)[:2])
    assert rest.time.tolist() == [START + HOUR, START + 2 * HOUR]


HISTORY = walk(START + HOUR * np.arange(20 * 24), HOUR)
END = int(HISTORY.time[-1]) + HOUR
ASSETS = (f"asset{number}" for number in count())
DAYS = some.integers(0, 20)
SPANS = some.tuples(DAYS, DAYS)
CHANGES = some.tuples(DAYS, some.integers(1, 60), some.floats(0.5, 2))


def other(part: Bars, factor: float) -> Bars:
    """The same bars with other prices."""
    return replace(part, close=part.close * factor, high=part.high * 2)


def loads_alike(db: Connection, memory: HourlyBars, asset: str = "btc", since: int = START, until: int = END) -> bool:
    (series,) = memory.load(db, {asset: since}, until).values()
    return equal(series, bars.load_bars(db, asset, since, until, HOUR))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # each example has an asset of its own
@given(steps=some.lists(some.tuples(CHANGES, SPANS), max_size=10))
def test_memory_and_database_never_differ(db, steps):
    """Bars are added at the end, into gaps and in place of earlier ones; any span is asked for in between."""
    memory, asset = HourlyBars(), next(ASSETS)
    for (day, hours, factor), (since, until) in steps:
        bars.renew_bars(db, asset, other(HISTORY[day * 24 : day * 24 + hours], factor))
        assert loads_alike(db, memory, asset, START + since * DAY, START + until * DAY)
        assert loads_alike(db, memory, asset)


def test_a_gap_of_the_past_is_seen_when_it_is_filled(db):
    """Also where the gap is older than what is read every time."""
    memory = HourlyBars()
    for part in (HISTORY[:24], HISTORY[48:]):
        bars.renew_bars(db, "btc", part)
    assert loads_alike(db, memory)
    bars.renew_bars(db, "btc", HISTORY[24:48])
    assert loads_alike(db, memory)


@pytest.mark.parametrize("place", range(-76, -68))
def test_a_bar_is_seen_where_memory_ends(db, place):
    """It is built anew about three days before the newest one."""
    memory = HourlyBars()
    bars.renew_bars(db, "btc", HISTORY)
    assert loads_alike(db, memory)
    bars.renew_bars(db, "btc", other(HISTORY[place : place + 1], 1.01))
    assert loads_alike(db, memory)


def test_bars_that_were_stored_already_are_no_revision(db):
    """A source may answer with them every minute; only a new one is a change."""
    bars.add_bars(db, "btc", HISTORY[24:])
    bars.add_bars(db, "btc", HISTORY[24:])
    assert bars.bars_revision(db, "btc") == 0
    bars.add_bars(db, "btc", HISTORY)
    assert bars.bars_revision(db, "btc") == 1


def test_a_change_comes_back_as_it_was_stored(db):
    """Where bars are wanted from is that of the last change."""
    assert bars.find_coverage(db, "btc", 300) is None
    span = (10, 20)
    before, after = bars.change_coverage(db, "btc", 300, NO_COVERAGE, lambda first: first.answered(span, 20, "a"))
    assert (before, bars.find_coverage(db, "btc", 300)) == (NO_COVERAGE, after)
    bars.change_coverage(db, "btc", 300, Coverage(7, 30), lambda coverage: coverage)
    assert bars.find_coverage(db, "btc", 300) == replace(after, wanted_from=7)


def test_changes_at_the_same_time_are_all_kept(database):
    """The tick and the history may store spans of one asset at once."""

    def answer(place: int) -> None:
        span = (20 * place, 20 * place + 10)
        with database.writing() as db:
            bars.change_coverage(db, "eth", 300, NO_COVERAGE, lambda coverage: coverage.answered(span, 9, "a"))

    with ThreadPoolExecutor(4) as executor:
        list(executor.map(answer, range(12)))
    with database.reading() as db:
        assert len(bars.find_coverage(db, "eth", 300).windows) == 12


def test_histories_are_of_assets_that_were_asked_for(db):
    """An asset before its first fetch is not among them."""
    for step in (300, 3600):
        bars.change_coverage(db, "btc", step, NO_COVERAGE, lambda first: first.answered((0, 3600), 3600, "a"))
    assert list(bars.histories(db, ("btc", "eth"), 300, 3600)) == ["btc"]


def test_only_prices_up_to_the_present_are_read(database):
    """Three hours are stored, and two of them are over."""
    rows = [(AFTERNOON + STEP * place, 100.0, 101.0 + place, 99.0, 100.0 + place, 1.0) for place in range(36)]
    series = from_rows(rows, STEP)
    with database.writing() as db:
        bars.add_bars(db, "btc", series)
        bars.renew_bars(db, "btc", resample(series, HOUR))
    history = StoredHistory(database.reading, STEP, AFTERNOON + 2 * HOUR + 17)
    np.testing.assert_array_equal(history.hourly("btc", utc(AFTERNOON)).close, [111.0, 123.0])
    np.testing.assert_array_equal(history.hourly("btc", utc(AFTERNOON + 1)).close, [123.0])
    record = history.record("btc")
    assert (record.high, record.low, record.since) == (136.0, 99.0, utc(AFTERNOON))


def test_an_asset_without_bars_has_no_past(database):
    history = StoredHistory(database.reading, STEP, AFTERNOON)
    assert history.record("eth") is None
    assert len(history.hourly("eth", utc(0))) == 0


def test_a_record_begins_where_the_history_has_no_gap(database):
    """A new high of an island of bars from months ago is no high of all prices since then."""
    island, now = AFTERNOON - 100 * HOUR, AFTERNOON + 2 * HOUR
    with database.writing() as db:
        for start, price in ((island, 500.0), (AFTERNOON, 100.0)):
            bars.add_bars(db, "btc", flat(start, 2, HOUR, price))
        for step in (STEP, HOUR):
            windows = ((island, island + 2 * HOUR), (AFTERNOON, now))
            bars.change_coverage(db, "btc", step, Coverage(island, now, windows=windows), lambda coverage: coverage)
    record = StoredHistory(database.reading, STEP, now).record("btc")
    assert (record.high, record.since) == (100.0, utc(AFTERNOON))


def _save(db, key: str, asked_at: int, needed_until: int = 0) -> None:
    coins.save_coin(db, key, StoredCoin(NOW, "kraken", None, "has 43 days"), asked_at)
    coins.need_coin(db, key, asked_at, needed_until)
    coins.add_coin_bars(db, key, CoinBars(flat(NOW - HOUR, 1, HOUR, 1.0), flat(NOW, 2, STEP, 1.0)))


def test_a_coin_is_read_as_it_was_stored(db):
    """And the list of coins; the last one counts."""
    coin = StoredCoin(NOW, "kraken PEPE/USD", CONTEXT)
    coins.save_coin(db, "pepe", StoredCoin(NOW - 5, "coinbase", None, "has 43 days"), NOW - 5)
    coins.save_coin(db, "pepe", coin, NOW)
    assert (coins.find_coin(db, "pepe"), coins.find_coin(db, "wif")) == (coin, None)
    assert coins.listed_coins(db) == frozenset()
    for names in ({"pepe", "wif"}, {"pepe"}):
        coins.save_coin_list(db, names, NOW)
    assert coins.listed_coins(db) == {"pepe"}


def test_a_coin_is_needed_until_its_last_deadline(db):
    _save(db, "pepe", NOW, NOW + 2 * HOUR)
    coins.need_coin(db, "pepe", NOW + 1, NOW + HOUR)
    assert coins.needed_coins(db, NOW + 2 * HOUR - 1) == ["pepe"]
    assert coins.needed_coins(db, NOW + 2 * HOUR) == []


def test_room_is_made_by_the_coin_asked_about_longest_ago(db, monkeypatch):
    """Its bars go too. Coins with open answers leave no room."""
    monkeypatch.setattr(coins, "MOST_COINS", 2)
    _save(db, "pepe", NOW)
    _save(db, "wif", NOW - 1)
    assert coins.make_room(db, "pepe", NOW)
    assert coins.find_coin(db, "wif")
    assert coins.make_room(db, "ada", NOW)
    assert coins.find_coin(db, "wif") is None
    assert [bars.last_bar(db, "wif", step) for step in (HOUR, STEP)] == [None, None]
    assert bars.last_bar(db, "pepe", STEP)
    for key in ("pepe", "wif"):
        _save(db, key, NOW, NOW + HOUR)
    assert [coins.make_room(db, "ada", at) for at in (NOW, NOW + HOUR)] == [False, True]


def test_hours_built_from_short_bars_replace_those_of_the_exchange(db):
    short = flat(NOW, 24, STEP, 2.0)
    coins.add_coin_bars(db, "pepe", CoinBars(flat(NOW - 2 * HOUR, 3, HOUR, 1.0), short))
    series = coins.coin_bars(db, "pepe", STEP, NOW - 2 * HOUR, NOW, NOW + 2 * HOUR)
    assert series.hourly.close.tolist() == [1.0, 1.0, 2.0, 2.0]
    assert series.feed.rows() == short.rows()
