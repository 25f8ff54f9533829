"""What every document made by a job says of itself."""

from __future__ import annotations

import json

from service.forecasting.predictions import Made
from service.jobs.job import Workshop
from service.market.instants import iso, unix
from service.market.prices import MISSED_BARS
from service.store import snapshots


def made(workshop: Workshop, slot: int, every_s: int, seen: int | None = None, **more: str) -> Made:
    """The head of a document made at `slot` and again every `every_s` seconds; `more` are further sources by name.

    What it saw ends with the last bar, or at the unix second `seen` where that is earlier, so a source that stands
    still shows. It is stale once `every_s` and the bars that may be missed have passed since then.
    """
    with workshop.database.reading() as db:
        told = json.loads(snapshots.latest(db, "prices").body)
    until = min(slot, unix(told["as_of"]), slot if seen is None else seen)
    return Made(
        timestamp=iso(slot),
        as_of=iso(until),
        stale_after=iso(until + every_s + MISSED_BARS * workshop.feed.step),
        world=workshop.clock.world,
        sources=told["sources"] | more,
    )
