"""Windows in the database: exact under concurrency, free when refused, kept over a restart."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from service.market.instants import DAY
from service.store import quotas
from service.store.quotas import LEASE_S, Reservation, StoredSpending, Window
from tests.store.at_once import ENDS

NOW = ENDS - DAY // 2
HIT = Reservation("a", "k", ENDS)


def take(db: Connection, ends: int = ENDS, cap: int = 10, key: str = "k") -> Window | None:
    return quotas.take_hits(db, key, ends, cap)


def read(db: Connection, now: float = ENDS - 1) -> Window | None:
    return quotas.open_window(db, "k", now)


def test_hits_are_counted_up_to_the_cap_and_a_refused_one_is_not(db):
    """Each key has a window of its own, and a cap of nothing lets nothing through."""
    assert (take(db, cap=0), read(db)) == (None, None)
    assert [take(db, cap=2) for _ in range(4)] == [Window(1, ENDS), Window(2, ENDS), None, None]
    assert read(db) == Window(2, ENDS)
    assert take(db, key="another") == Window(1, ENDS)


def test_of_a_hundred_threads_at_once_exactly_ten_pass(database):
    def hits(_number: int) -> int:
        with database.writing() as db:
            return getattr(take(db), "hits", 0)

    with ThreadPoolExecutor(100) as threads:
        assert sorted(threads.map(hits, range(100))) == [0] * 90 + list(range(1, 11))


@pytest.mark.slow
def test_of_two_processes_at_once_exactly_ten_hits_pass(database, database_url, race):
    assert sum(race("take_hits", database_url, 2)) == 10
    with database.reading() as db:
        assert read(db) == Window(10, ENDS)


def test_a_later_window_starts_from_nothing(db):
    """A process whose clock lags counts in it."""
    take(db)
    assert take(db, ENDS + DAY) == Window(1, ENDS + DAY)
    assert take(db, ENDS) == Window(2, ENDS + DAY)


def test_a_window_from_a_clock_years_ahead_blocks_no_caller(db):
    for _ in range(10):
        take(db, ENDS + 365 * DAY)
    assert take(db, ENDS) == Window(1, ENDS)


def test_a_refunded_hit_can_be_used_again(db):
    """Refunding too much adds no quota, and a hit of yesterday is not refunded today."""
    assert [take(db, cap=1), take(db, cap=1)] == [Window(1, ENDS), None]
    for _ in range(3):
        quotas.refund_hit(db, "k", ENDS)
    assert read(db) == Window(0, ENDS)
    assert take(db, cap=1) == Window(1, ENDS)
    take(db, ENDS + DAY)
    quotas.refund_hit(db, "k", ENDS)
    assert read(db) == Window(1, ENDS + DAY)


@pytest.mark.parametrize(("now", "is_open"), [(ENDS - 1, True), (ENDS - 0.5, True), (ENDS, False)])
def test_a_window_is_seen_until_the_instant_it_ends(db, now, is_open):
    take(db)
    assert (read(db, now) is not None) == is_open


def reserve(db: Connection, id: str = "a") -> Window | None:
    return quotas.reserve(db, id, "k", ENDS, 2, NOW)


def test_a_hit_is_reserved_up_to_the_cap_and_refunded_once(db):
    assert [reserve(db, id) for id in "abc"] == [Window(1, ENDS), Window(2, ENDS), None]
    assert quotas.count_reservations(db) == 2
    assert [quotas.release(db, [HIT]) for _ in range(2)] == [1, 0]
    assert (read(db).hits, quotas.count_reservations(db)) == (1, 1)


def test_a_settled_hit_stays_counted(db):
    reserve(db)
    quotas.settle(db, [HIT])
    assert (quotas.release_expired(db, NOW + LEASE_S), read(db).hits) == (0, 1)


def test_a_hit_is_refunded_when_its_lease_ends(db):
    """One that is settled too late is counted again."""
    reserve(db)
    assert [quotas.release_expired(db, NOW + LEASE_S + delay) for delay in (-1, 0)] == [0, 1]
    assert read(db).hits == 0
    quotas.settle(db, [HIT])
    assert read(db).hits == 1


def test_a_day_adds_up_and_the_next_begins_at_nothing(database):
    """Another process sees the same total, as two instances over one database do, also after a restart."""
    spending = StoredSpending(database)
    assert spending.add("2026-11-21", 1000, 0.5) == (1000, 0.5)
    assert spending.add("2026-11-21", -400, -0.25) == (600, 0.25)
    assert spending.add("2026-11-22", 10, 0.0) == (10, 0.0)
    assert StoredSpending(database).add("2026-11-21", 0, 0.0) == (600, 0.25)


def test_concurrent_additions_are_all_counted(database):
    """Each caller sees a different total."""
    spending = StoredSpending(database)
    with ThreadPoolExecutor(8) as executor:
        totals = list(executor.map(lambda _: spending.add("2026-11-21", 1, 0.0)[0], range(40)))
    assert sorted(totals) == list(range(1, 41))
