"""Engines over one database and a clock that the tests set: no threads, no waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace

from sqlalchemy import Table, insert, select

from service.jobs.engine import Engine
from service.jobs.job import Every, Job, JobContext
from service.market.instants import WorldClock
from service.store import runs
from service.store.database import Database
from tests.jobs.mortal import MINUTE, START, work_all

HOUR = START // 3600 * 3600  # the hour of START


@dataclass
class Plant:
    """Engines over one database and one clock, as if each were a process."""

    database: Database
    journal: Table
    wall: float = START
    log: list[tuple[str, int]] = field(default_factory=list)

    def engine(self, *jobs: Job, clock: WorldClock | None = None) -> Engine:
        job_context = SimpleNamespace(database=self.database, clock=clock or WorldClock("simulated"))
        return Engine(self.database, jobs, job_context, now=lambda: self.wall)

    def job(self, name: str = "tick", seconds: int = MINUTE, work: Callable | None = None, **options) -> Job:
        """A job that records its slot, unless it has other work."""

        def record(_job_context: JobContext, slot: int):
            self.log.append((name, slot))
            return self.write(slot, name[0])

        return Job(name, Every(seconds), work or record, **options)

    def failing_while(self, fails: Callable[[int], bool]) -> Callable:
        """Work that raises an error at the slots for which `fails` says so, and records the others."""

        def work(_job_context: JobContext, slot: int):
            if fails(slot):
                raise RuntimeError("feed down")
            return self.write(slot)

        return work

    def write(self, slot: int, lane: str = "t") -> Callable:
        """The effects that record a slot."""
        return lambda db: db.execute(insert(self.journal).values(slot=slot, lane=lane))

    def beat_at(self, walls: Iterable[float], *engines: Engine) -> None:
        """Set the clock to each of these seconds in turn, and beat."""
        for self.wall in walls:
            self.beat(*engines)

    def beat(self, *engines: Engine) -> None:
        """Look in every engine what is due, then run it."""
        for engine in engines:
            engine.due()
        for engine in engines:
            work_all(engine)

    def slots(self) -> list[int]:
        """The recorded slots, in the order of recording."""
        with self.database.reading() as db:
            return list(db.scalars(select(self.journal.c.slot).order_by(self.journal.c.id)))

    def state(self, job: str = "tick") -> tuple[int, str, int]:
        with self.database.reading() as db:
            run = runs.newest_run(db, job)
        return run.slot, run.state, run.attempt
