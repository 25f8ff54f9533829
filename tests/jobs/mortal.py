"""A process that works one job and may be killed at any point: `python mortal.py URL [naive|race]`.

It is told the wall clock on standard input, says on standard output where it stands, and waits there for "go".
When it was killed its parent forks the next one, which spares it the imports.

With `naive` the effects and the mark "done" are not one transaction: the control that has to fail. With `race`
it gets no instructions: it works an hour of minutes as fast as it can.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, String, Table, func, insert, select

from service.jobs.engine import Engine
from service.jobs.job import Every, Job, JobContext
from service.market.instants import WorldClock
from service.store import runs
from service.store.database import Database
from tests.processes import respawn

MINUTE = 60
START = 1_700_000_040
LANES = ("a", "b", "c", "d", "e", "f")

# No unique key: a row written twice must show.
journal = Table(
    "journal",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("slot", BigInteger, nullable=False),
    Column("lane", String(1), nullable=False),
)


def stand(place: str) -> None:
    print(place, flush=True)
    sys.stdin.readline()


class OneByOne:
    """Commits every statement by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def execute(self, statement) -> None:
        with self._database.writing() as db:
            db.execute(statement)


class NaiveEngine(Engine):
    def _work(self, job: Job, slot: int, owner: str, attempt: int) -> str:
        job.work(self.job_context, slot)(OneByOne(self._database))
        with self._database.writing() as db:
            runs.finish(db, job.name, slot, owner, self._now())
        return "done"


def tick(checkpoint):
    """A job that applies every minute since the last one to six lanes."""

    def work(job_context: JobContext, slot: int):
        checkpoint("claimed")
        with job_context.database.reading() as db:
            last = db.scalar(select(func.max(journal.c.slot))) or START - MINUTE

        def effects(db: Connection) -> None:
            for minute in range(last + MINUTE, slot + 1, MINUTE):
                for lane in LANES:
                    db.execute(insert(journal).values(slot=minute, lane=lane))
                    checkpoint("writing" if lane == "a" else "written" if lane == "f" else "")

        checkpoint("computed")
        return effects

    return Job("tick", Every(MINUTE), work)


def work_all(engine: Engine) -> None:
    """Work everything that is due, and what follows from it."""
    while "done" in [engine.execute(run.job, run.slot) for run in engine.due()]:
        pass


@contextmanager
def engine_at(url: str, kind: type[Engine], checkpoint):
    """An engine and the function that sets its clock."""
    wall = [float(START)]
    database = Database(url)
    job_context = SimpleNamespace(database=database, clock=WorldClock("simulated"))
    yield kind(database, [tick(checkpoint)], job_context, now=lambda: wall[0]), lambda now: wall.__setitem__(0, now)
    database.close()


def be_watched(url: str, kind: type[Engine]) -> None:
    with engine_at(url, kind, lambda place: place and stand(place)) as (engine, set_clock):
        print(os.getpid(), flush=True)
        for line in sys.stdin:
            set_clock(float(line))
            work_all(engine)
            print("idle", flush=True)


def race(url: str) -> None:
    with engine_at(url, Engine, lambda _place: None) as (engine, set_clock):
        for minute in range(60):
            set_clock(START + minute * MINUTE)
            work_all(engine)


if __name__ == "__main__":
    if sys.argv[2:] == ["race"]:
        race(sys.argv[1])
    else:
        respawn(partial(be_watched, sys.argv[1], NaiveEngine if sys.argv[2:] == ["naive"] else Engine))
