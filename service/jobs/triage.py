"""The hospital's snapshot of every month that has closed, made once and kept for ever."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.jobs.job import Effects, Workshop
from service.jobs.rank import fight
from service.jobs.tick import sources
from service.store import snapshots
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

    def write(db: Connection) -> None:
        for month, body in made.items():
            snapshots.save(db, f"{NAME}/{month}", ends(month), body)
        if made:
            snapshots.save(db, NAME, ends(max(made)), made[max(made)])

    return write
