"""The hospital: one snapshot of every month that has closed."""

from __future__ import annotations

import hashlib
import json

from sqlalchemy import Connection

from service.jobs.documents import bar_sources
from service.jobs.job import Effects, JobContext
from service.jobs.rank import run_arena
from service.ledger.chain import LedgerRow
from service.market.headers import month_header
from service.market.months import closed_months, ends
from service.store import ledger, snapshots
from service.trading import hospital
from service.trading.triage import admit

NAME = "strategy-hospital"


def triage(job_context: JobContext, slot: int) -> Effects:
    """Publish a snapshot of each closed month that has none yet, oldest first, and record it in the ledger."""
    arena = run_arena(job_context, slot)
    months = closed_months(arena.anchor, slot)
    with job_context.database.reading() as db:
        stored = {month: snapshots.latest_snapshot(db, f"{NAME}/{month}") for month in months}
        sources = bar_sources(db)
    before = {month: hospital.past(json.loads(snapshot.body)) for month, snapshot in stored.items() if snapshot}
    missing = [month for month in months if month not in before]
    if not missing:
        return lambda _: None
    world = job_context.clock.world
    bodies: dict[str, bytes] = {}
    for month in missing:
        patients = admit(arena, month)
        header = month_header(slot, month, world=world, sources=sources)
        document = hospital.snapshot(month, patients, before, header)
        bodies[month] = snapshots.to_json(document)
        before[month] = hospital.past(json.loads(bodies[month]))
    rows = [_ledger_row(month, body, job_context.clock.world_origin) for month, body in bodies.items()]

    def write(db: Connection) -> None:
        for month, body in bodies.items():
            snapshots.save_snapshot(db, f"{NAME}/{month}", ends(month), body)
        ledger.append(db, rows, slot)
        snapshots.save_snapshot(db, NAME, ends(max(bodies)), bodies[max(bodies)])

    return write


def _ledger_row(month: str, body: bytes, started: int) -> LedgerRow:
    """The SHA-256 of a snapshot with all statuses and scores; backfilled if the month ended before the first start."""
    document = json.loads(body)
    judged = {entry["key"]: [entry["status"], entry["health_score"]] for entry in document["strategies"]}
    digest = hashlib.sha256(body).hexdigest()
    return LedgerRow("hospital", month, {"sha256": digest, "judged": judged}, backfilled=ends(month) <= started)
