"""What `dramatiq fleet:workers` runs in the tests: one job with one slot, at the addresses of the environment."""

from __future__ import annotations

import os
from types import SimpleNamespace

import dramatiq
from mortal import applied
from sqlalchemy import insert

from service.jobs.engine import Engine
from service.jobs.job import Every, Job
from service.market.instants import WorldClock
from service.store.database import Database

# Slots that come once in thirty years.
ONCE = Every(10**9)


def work(_job_context, slot: int):
    return lambda db: db.execute(insert(applied).values(slot=slot, lane="f"))


def workers() -> None:
    """Every worker process builds its own engine and hands its broker to Dramatiq."""
    database = Database(os.environ["FLEET_DATABASE"])
    jobs = [Job("first", ONCE, work), Job("second", ONCE, work, needs=("first",))]
    job_context = SimpleNamespace(database=database, clock=WorldClock("simulated"))
    engine = Engine(database, jobs, job_context, os.environ["FLEET_BROKER"], queue=os.environ["FLEET_QUEUE"])
    dramatiq.set_broker(engine.broker)
