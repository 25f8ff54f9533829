"""Charges without an answer are refunded by a job."""

from __future__ import annotations

from service.jobs.prune import has_reserved, refund_expired
from service.market.instants import DAY
from service.store import quotas
from service.store.quotas import LEASE_S

ENDS = 20_000 * DAY
NOW = ENDS - 3_600


def test_a_charge_is_refunded_once_its_lease_is_over(database):
    with database.writing() as db:
        assert not has_reserved(db, None)
        quotas.reserve(db, "a", "k", ENDS, 10, NOW)
        for slot, hits in ((NOW + LEASE_S - 1, 1), (NOW + LEASE_S, 0)):
            refund_expired(None, slot)(db)
            assert quotas.open_window(db, "k", NOW).hits == hits
            assert has_reserved(db, None) is bool(hits)
