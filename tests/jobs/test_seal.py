"""A day of the ledger is sealed under one signed root."""

from __future__ import annotations

import pytest

from service.ledger import proofs
from service.market.instants import iso
from tests.jobs.track_record import SLOT, rows


@pytest.mark.slow
def test_a_day_has_one_root_that_proves_its_rows(aged):
    """The proof needs no ledger. A row of the first day is proven against the key of the first start."""
    roots = aged.client.get("/api/v1/ledger/roots").get_json()["roots"]
    assert [root["day"] for root in roots] == ["2026-11-21", "2026-11-22", "2026-11-23"]
    assert roots[0]["signed_at"] == iso(SLOT)
    yesterday = next(row for row in rows(aged, "votes") if row.recorded_at.startswith("2026-11-22"))
    proof = aged.client.get(f"/api/v1/ledger/proof/{yesterday.seq}").get_json()
    key = aged.client.get("/api/v1/ledger/head").get_json()["public_key"]
    assert proofs.fault(proofs.read(proof), yesterday.seq, key) is None
    proof["entry"]["body"]["p"] += 0.1
    assert proofs.fault(proofs.read(proof), yesterday.seq, key) is not None
