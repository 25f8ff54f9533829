"""Engines over one database and a clock that the tests set: no threads, no waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

from sqlalchemy import insert, select

from service.jobs.engine import Engine
from service.jobs.job import Every, Job, JobContext
from service.market.instants import WorldClock
from service.store import runs
from service.store.database import Database

MINUTE = 60


START = 1_700_000_040


@dataclass
class Plant:
    """Engines over one database and one clock, as if each were a process."""

    database: Database
    applied: object
    work_all: Callable[[Engine], None]
    wall: float = START
    worked: list[tuple[str, int]] = field(default_factory=list)

    def engine(self, *jobs: Job, clock: WorldClock = WorldClock("simulated"), now=None) -> Engine:  # noqa: B008
        job_context = SimpleNamespace(database=self.database, clock=clock)
        return Engine(self.database, jobs, job_context, now=now or (lambda: self.wall))

    def job(self, name: str = "tick", every: int = MINUTE, work: Callable | None = None, **options) -> Job:
        """A job that records its slot, unless it has other work."""

        def record(job_context: JobContext, slot: int):
            self.worked.append((name, slot))
            return lambda db: db.execute(insert(self.applied).values(slot=slot, lane=name[0]))

        return Job(name, Every(every), work or record, **options)

    def beat(self, *engines: Engine) -> None:
        """Look in every engine what is due, then run it."""
        for engine in engines:
            engine.due()
        for engine in engines:
            self.work_all(engine)

    def slots(self) -> list[int]:
        """The recorded slots, in the order of recording."""
        with self.database.reading() as db:
            return list(db.scalars(select(self.applied.c.slot).order_by(self.applied.c.id)))

    def state(self, job: str = "tick") -> tuple[int, str, int]:
        with self.database.reading() as db:
            run = runs.newest_run(db, job)
        return run.slot, run.state, run.attempt
