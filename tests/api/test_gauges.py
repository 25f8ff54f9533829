"""Gauges are read from the database when they are asked for."""

from __future__ import annotations

from flask.testing import FlaskClient

from service.market.bars import from_rows
from service.market.instants import iso
from service.store import bars, reservations, runs
from service.store.spending import StoredSpending
from tests.api.conftest import STEP, Wall


def test_gauges_come_from_the_database(client: FlaskClient, sqlite, wall: Wall):
    """So that any web process shows what the processes of the jobs did."""
    now = wall.time
    with sqlite.writing() as db:
        runs.add(db, "tick", 100, now - 90)
        runs.claim(db, "tick", 100, "a", now - 89, now)
        runs.finish(db, "tick", 100, "a", now - 85)
        runs.add(db, "seal", 100, now - 60)
        reservations.reserve(db, "a", "daily:key:1a2b3c4d", int(now) + 100, 10, now)
        opened = int(now) - 2 * STEP
        bars.add(db, "btc", from_rows([(opened, 1.0, 1.0, 1.0, 1.0, 1.0)], STEP))
    StoredSpending(sqlite).add(iso(int(now))[:10], 1200, 0.5)
    page = client.get("/metrics").text
    assert '\nninefold_database_connections{state="active"} ' in page
    for line in (
        'ninefold_job_lag_seconds{job="seal"} 60.0',
        'ninefold_job_lag_seconds{job="tick"} 0.0',
        'ninefold_job_duration_seconds{job="tick"} 4.0',
        'ninefold_job_failures{job="seal"} 0.0',
        "ninefold_jobs_queued 1.0",
        "ninefold_webhooks_queued 0.0",
        "ninefold_reserved_charges 1.0",
        "ninefold_model_tokens_today 1200.0",
        "ninefold_model_usd_today 0.5",
        "ninefold_ledger_rows 0.0",
        "ninefold_ledger_unsealed_rows 0.0",
        f"ninefold_bar_age_seconds {STEP}.0",
    ):
        assert f"\n{line}\n" in page, line
