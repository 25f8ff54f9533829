"""Rows that contain the hash of the previous row."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import pytest

from service.ledger.chain import LedgerRow, chained, instant_of, is_whole, with_iso_instants

NOON, SECOND = "2026-11-21T12:00:00Z", int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp())


def test_a_hash_can_be_computed_from_the_published_row():
    row = LedgerRow("odds", "polymarket-1", {"p_yes": 0.5, "bid": None, "source": "día", "at": SECOND}, False)
    (entry,) = chained([row], NOON, None)
    body = f'{{"at":"{NOON}","bid":null,"p_yes":0.5,"source":"día"}}'
    expected = (
        f'{{"backfilled":false,"body":{body},"form":"rfc8785","kind":"odds",'
        f'"previous":"{"0" * 64}","recorded_at":"{NOON}","seq":1,"subject":"polymarket-1"}}'
    )
    assert entry.hash == hashlib.sha256(expected.encode()).hexdigest()
    assert is_whole(entry)


@pytest.mark.parametrize("body", [{"p": float("nan")}, {"p": float("inf")}, {"text": "\ud800"}])
def test_what_json_cannot_hold_is_refused(body: dict):
    with pytest.raises(ValueError):
        list(chained([LedgerRow("score", "x", body, False)], NOON, None))


def test_instants_are_recorded_as_iso_times():
    """In nested objects and lists too; other numbers and fields without an instant stay."""
    others = {"fitted_at": None, "columns": ["at"], "p": 0.5}

    def body(instant: object) -> dict:
        question = {"deadline": instant, "level": 70_000}
        return others | {"at": instant, "question": question, "votes": [{"time": instant}]}

    assert with_iso_instants(body(SECOND)) == body(NOON)


def test_both_forms_of_an_instant_are_read():
    """Rows of the first edition hold unix seconds, and the ledger never changes."""
    assert instant_of(SECOND) == instant_of(NOON) == datetime(2026, 11, 21, 12, tzinfo=UTC)
