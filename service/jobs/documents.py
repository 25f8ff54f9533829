"""The headers of the documents that jobs publish."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection

from service.documents import DocumentHeader
from service.errors import SourceFailed
from service.jobs.job import JobContext
from service.market import headers
from service.market.instants import unix
from service.store import snapshots


def header(
    job_context: JobContext,
    slot: int,
    every_s: int,
    *,
    seen: int | None = None,
    sources: Mapping[str, str] | None = None,
) -> DocumentHeader:
    """The header of a document that is computed at `slot` and again every `every_s` seconds.

    `as_of` is the end of the last published bar, or the unix second `seen` where that is earlier, so that a source
    that stopped is visible. `sources` are added to the sources of the prices, by name.
    """
    with job_context.database.reading() as db:
        published = snapshots.latest_prices(db)
    if published is None:
        raise SourceFailed("no price has been published yet")
    return headers.header(
        slot,
        min(slot, unix(published.as_of), slot if seen is None else seen),
        step=job_context.feed.step,
        world=job_context.clock.world,
        sources=published.sources | dict(sources or {}),
        every_s=every_s,
    )


def bar_header(job_context: JobContext, slot: int, as_of: int, step: int, **sources: str) -> DocumentHeader:
    """The header of a document that is computed at `slot` from bars that end at `as_of`, every `step` seconds."""
    with job_context.database.reading() as db:
        origins = bar_sources(db) | sources
    return headers.header(slot, as_of, step=step, world=job_context.clock.world, sources=origins)


def bar_sources(db: Connection) -> dict[str, str]:
    """The origin of each asset's latest stored bars; empty before the first tick."""
    published = snapshots.latest_prices(db)
    return dict(published.sources) if published else {}
