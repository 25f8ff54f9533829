"""The hospital's job: a snapshot of each closed month, once, with its digest in the ledger."""

from __future__ import annotations

import hashlib
import json

import pytest

from service.jobs.job import JobContext
from service.jobs.rank import triage
from service.ledger.chain import ChainEntry
from service.market.instants import DAY, HOUR, iso
from service.market.months import ends
from service.store import bars, ledger, snapshots
from service.store.database import Database
from service.trading.strategies import STRATEGIES
from tests.forecasting.made import FIRST, made_bars
from tests.jobs.contexts import context_of

MONTHS = ["2025-01", "2025-02"]


@pytest.fixture
def job_context(sqlite_database: Database) -> JobContext:
    """Two assets with hourly bars from the beginning of 2025 on; the first start is in the middle of February."""
    with sqlite_database.writing() as db:
        for seed, asset in enumerate(("btc", "eth")):
            bars.add_bars(db, asset, made_bars(asset, 70, seed))
    return context_of(sqlite_database, ("btc", "eth"), history_from=FIRST, world_origin=FIRST + 45 * DAY)


def work(job_context: JobContext, slot: int) -> tuple[dict[str, dict], list[ChainEntry]]:
    """The snapshots stored once the job has run at `slot`, by name, and the rows of the ledger."""
    effects = triage(job_context, slot)
    with job_context.database.writing() as db:
        effects(db)
        names = ["strategy-hospital", *(f"strategy-hospital/{month}" for month in MONTHS)]
        stored = {name: snapshot for name in names if (snapshot := snapshots.latest_snapshot(db, name))}
        rows = [json.loads(line) for line in ledger.export(db)]
    return stored, rows


def test_each_closed_month_has_a_snapshot_and_a_ledger_row(job_context):
    """The latest one is also the current document; a month that ended before the first start is backfilled."""
    slot = ends("2025-02") + 5 * DAY
    stored, rows = work(job_context, slot)
    assert list(stored) == ["strategy-hospital", *(f"strategy-hospital/{month}" for month in MONTHS)]
    assert stored["strategy-hospital"].body == stored["strategy-hospital/2025-02"].body
    assert [(row["kind"], row["subject"], row["backfilled"]) for row in rows] == [
        ("hospital", "2025-01", True),
        ("hospital", "2025-02", False),
    ]
    for month, row in zip(MONTHS, rows, strict=True):
        body = stored[f"strategy-hospital/{month}"].body
        document = json.loads(body)
        assert row["body"]["sha256"] == hashlib.sha256(body).hexdigest()
        assert len(row["body"]["judged"]) == len(document["strategies"]) == len(STRATEGIES)
        assert (document["timestamp"], document["as_of"]) == (iso(slot), iso(ends(month)))


def test_a_stored_month_is_not_computed_again(job_context):
    """A month later only the new month is added, and it compares itself with the stored one."""
    january, _ = work(job_context, ends("2025-01") + HOUR)
    both, rows = work(job_context, ends("2025-02") + HOUR)
    assert list(january) == ["strategy-hospital", "strategy-hospital/2025-01"]
    assert both["strategy-hospital/2025-01"] == january["strategy-hospital/2025-01"]
    assert [row["subject"] for row in rows] == MONTHS
    links = json.loads(both["strategy-hospital"].body)["links"]
    assert links["months"] == MONTHS
    assert links["history"].endswith("month=2025-01")


def test_before_the_first_month_has_closed_nothing_is_stored(job_context):
    assert work(job_context, ends("2025-01") - HOUR) == ({}, [])
