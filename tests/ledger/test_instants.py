"""Recorded bodies carry instants as people and programs read them everywhere else in the API."""

from __future__ import annotations

from datetime import UTC, datetime

from service.ledger.chain import LedgerRow, chained, is_whole
from service.ledger.instants import instant_of, with_iso_instants

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = int(NOON.timestamp())


def test_instants_are_recorded_as_iso_times():
    """In nested objects and lists too; other numbers and fields without an instant stay."""
    body = {"at": SECOND, "p": 0.5, "question": {"deadline": SECOND, "level": 70_000}, "votes": [{"time": SECOND}]}
    assert with_iso_instants(body) == {
        "at": "2026-11-21T12:00:00Z",
        "p": 0.5,
        "question": {"deadline": "2026-11-21T12:00:00Z", "level": 70_000},
        "votes": [{"time": "2026-11-21T12:00:00Z"}],
    }


def test_a_missing_instant_stays_null():
    assert with_iso_instants({"fitted_at": None, "columns": ["at"]}) == {"fitted_at": None, "columns": ["at"]}


def test_both_forms_of_an_instant_are_read():
    """Rows of the first edition hold unix seconds, and the ledger never changes."""
    assert instant_of(SECOND) == instant_of("2026-11-21T12:00:00Z") == NOON


def test_the_hash_is_that_of_the_recorded_body():
    (entry,) = chained([LedgerRow("apex", "btc", {"at": SECOND}, backfilled=False)], "2026-11-21T12:00:00Z", None)
    assert entry.body == {"at": "2026-11-21T12:00:00Z"}
    assert is_whole(entry)
