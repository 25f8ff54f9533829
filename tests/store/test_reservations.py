"""A reserved hit is refunded unless its request settles it in time."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from service.market.instants import DAY
from service.store import quotas
from service.store.quotas import LEASE_S, Reservation, Window

ENDS = 20_000 * DAY
NOW = ENDS - DAY // 2
HIT = Reservation("a", "k", ENDS)


@pytest.fixture
def db(database):
    with database.writing() as db:
        yield db


def reserve(db: Connection, id: str = "a", cap: int = 2) -> Window | None:
    return quotas.reserve(db, id, "k", ENDS, cap, NOW)


def used(db: Connection) -> int:
    return quotas.open_window(db, "k", NOW).hits


def test_a_hit_is_counted_and_reserved_up_to_the_cap(db):
    assert [reserve(db, id) for id in "abc"] == [Window(1, ENDS), Window(2, ENDS), None]
    assert quotas.count_reservations(db) == 2


def test_a_released_hit_is_refunded_once(db):
    reserve(db)
    assert [quotas.release(db, [HIT]) for _ in range(2)] == [1, 0]
    assert (used(db), quotas.count_reservations(db)) == (0, 0)


def test_a_settled_hit_stays_counted(db):
    reserve(db)
    quotas.settle(db, [HIT])
    assert (quotas.release_expired(db, NOW + LEASE_S), used(db)) == (0, 1)


def test_a_hit_is_refunded_when_its_lease_ends(db):
    reserve(db)
    assert quotas.release_expired(db, NOW + LEASE_S - 1) == 0
    assert quotas.release_expired(db, NOW + LEASE_S) == 1
    assert used(db) == 0


def test_a_hit_that_is_settled_too_late_is_counted_again(db):
    reserve(db)
    quotas.release_expired(db, NOW + LEASE_S)
    quotas.settle(db, [HIT])
    assert used(db) == 1
