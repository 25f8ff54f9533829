"""The hospital's snapshot of every month that has closed, made once and kept for ever."""

from __future__ import annotations

import hashlib
import json

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.jobs.job import Effects, Workshop
from service.jobs.rank import fight
from service.jobs.tick import sources
from service.ledger.chain import Row
from service.store import ledger, snapshots
from service.trading import hospital
from service.trading.hospital import Hospital
from service.trading.months import closed_months, ends
from service.trading.triage import admit

HOSPITAL = TypeAdapter(Hospital)
NAME = "strategy-hospital"


def triage(workshop: Workshop, slot: int) -> Effects:
    """Examine every strategy for each month that has closed and has no snapshot yet, oldest first."""
    months = closed_months(workshop.history_from, slot)
    with workshop.database.reading() as db:
        kept = {month: snapshots.latest(db, f"{NAME}/{month}") for month in months}
    before = {month: hospital.past(json.loads(found.body)) for month, found in kept.items() if found}
    missing = [month for month in months if month not in before]
    known = fight(workshop, slot) if missing else None
    made: dict[str, bytes] = {}
    for month in missing:
        told = hospital.snapshot(
            month,
            admit(known, month),
            before,
            made_at=slot,
            world=workshop.clock.world,
            sources=sources(workshop),
        )
        made[month] = HOSPITAL.dump_json(told)
        before[month] = hospital.past(json.loads(made[month]))

    recorded = [_recorded(month, body, workshop.clock.world_origin) for month, body in made.items()]

    def write(db: Connection) -> None:
        for month, body in made.items():
            snapshots.save(db, f"{NAME}/{month}", ends(month), body)
        ledger.append(db, recorded, slot)
        if made:
            snapshots.save(db, NAME, ends(max(made)), made[max(made)])

    return write


def _recorded(month: str, body: bytes, started: int) -> Row:
    """The snapshot by its SHA-256, with how it judged each strategy; backfilled if over before the first start."""
    told = json.loads(body)
    judged = {entry["key"]: [entry["status"], entry["health_score"]] for entry in told["strategies"]}
    digest = hashlib.sha256(body).hexdigest()
    return Row("hospital", month, {"sha256": digest, "judged": judged}, backfilled=ends(month) <= started)
