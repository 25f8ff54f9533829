"""The daily deletion of rows that have expired."""

from __future__ import annotations

from types import SimpleNamespace

from sqlalchemy import func, select

from service.config import Settings
from service.jobs.prune import has_reserved, prune, refund_expired
from service.market.instants import DAY, WorldClock
from service.notifications.events import Attempt, Message
from service.store import keys, notifications, quotas
from service.store.pages import fits
from service.store.quotas import LEASE_S
from service.store.tables import metadata
from tests.receiver import endpoint

NOW = 1_800_000_000
CONTEXT = SimpleNamespace(clock=WorldClock("simulated"), settings=Settings())


def test_windows_that_have_ended_are_deleted(sqlite_database):
    with sqlite_database.writing() as db:
        quotas.take_hits(db, "ended", NOW - 1)
        quotas.take_hits(db, "open", NOW + DAY)
        prune(CONTEXT, NOW)(db)
        table = next(table for name, table in metadata.tables.items() if "window" in name)
        assert db.scalar(select(func.count()).select_from(table)) == 1
        assert quotas.open_window(db, "open", NOW).hits == 1


def test_old_deliveries_and_webhooks_of_revoked_keys_are_deleted(sqlite_database):
    old = NOW - 31 * DAY
    live_row, revoked_row = (
        endpoint(sqlite_database, "https://example.com/", old, plan=plan) for plan in ("paid", "free")
    )
    with sqlite_database.writing() as db:
        for row in (live_row, revoked_row):
            for at in (old, NOW):
                message = Message(f"{row.id}_{at}", 1, "lane.trade", "{}")
                notifications.record_attempt(db, row.id, Attempt(message, at, 5, 204, None))
        keys.revoke_key(db, revoked_row.key, old)
        prune(CONTEXT, NOW)(db)
        assert [delivery.last_at for delivery in notifications.find_deliveries(db, live_row.id, None, 10)] == [NOW]
        assert notifications.key_webhooks(db, revoked_row.key) == []


def test_replaced_fits_are_deleted(sqlite_database):
    """Those in use are kept however old they are, with those before them, which a request may still be reading."""
    with sqlite_database.writing() as db:
        for slot in range(5):
            fits.save(db, slot, {"slot": slot})
        prune(CONTEXT, NOW)(db)
        assert list(fits.every(db)) == [3, 4]


ENDS = 20_000 * DAY
CHARGED_AT = ENDS - 3_600


def test_a_charge_is_refunded_once_its_lease_is_over(database):
    with database.writing() as db:
        assert not has_reserved(db, None)
        quotas.reserve(db, "a", "k", ENDS, 10, CHARGED_AT)
        for slot, hits in ((CHARGED_AT + LEASE_S - 1, 1), (CHARGED_AT + LEASE_S, 0)):
            refund_expired(None, slot)(db)
            assert quotas.open_window(db, "k", CHARGED_AT).hits == hits
            assert has_reserved(db, None) is bool(hits)
