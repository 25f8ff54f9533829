"""The context of jobs that neither vote nor fetch, and the work of one slot."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace

from service.config import Settings
from service.forecasting.voters.panel import embedded_panel
from service.jobs.job import JobContext
from service.market.instants import HOUR, WorldClock
from service.store.database import Database


def context_of(
    database: Database, assets: Sequence[str] = (), *, step: int = HOUR, history_from: int = 0, world_origin: int = 0
) -> JobContext:
    """A context over a database, with a feed of these assets that is never asked."""
    feed, clock = SimpleNamespace(assets=assets, step=step), WorldClock("simulated", world_origin=world_origin)
    return JobContext(Settings(), database, feed, clock, history_from, embedded_panel(5, time.perf_counter))


def work(context: JobContext, job: Callable, slot: int) -> None:
    """Work one slot of one job, as the engine does."""
    effects = job(context, slot)
    with context.database.writing() as db:
        effects(db)
