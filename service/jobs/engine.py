"""The job engine: the ledger of slots in the database is the truth, Dramatiq only the doorbell.

Any number of processes may tick and work. A lost bell costs ten seconds, one too many costs nothing.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterable

import dramatiq
import structlog
from dramatiq.middleware import Interrupt
from sqlalchemy import Connection

from service.jobs.doorbell import Doorbell
from service.jobs.job import Job, Workshop
from service.jobs.leases import LEASE_S, Leases
from service.jobs.schedules import slot_at
from service.jobs.ticker import Ticker
from service.store import runs
from service.store.database import Database
from service.store.runs import Run

LONGEST_BACKOFF_S = 600
# How long an idle worker thread sleeps at most: stopping waits for it twice.
IDLE_MS = 250

log = structlog.stdlib.get_logger(__name__)


class Engine:
    """Ticks and works `jobs`; `now` is the wall clock.

    `start()` works them in threads of this process. Without it, `broker` is what a `dramatiq` worker process
    takes, and its ticker starts by itself. `queue` separates services that share one broker.
    """

    def __init__(
        self,
        database: Database,
        jobs: Iterable[Job],
        workshop: Workshop,
        broker_url: str = "",
        now: Callable[[], float] = time.time,
        queue: str = "ninefold",
    ) -> None:
        self._database = database
        self._jobs = {job.name: job for job in jobs}
        self._workshop = workshop
        self._now = now
        self._leases = Leases(database)
        self._doorbell = Doorbell(broker_url, queue, self._answer, Ticker(self.beat))
        self._worker: dramatiq.Worker | None = None
        _check(self._jobs)

    @property
    def broker(self) -> dramatiq.Broker:
        return self._doorbell.broker

    def start(self, threads: int = 4) -> None:
        """Tick and work in this process."""
        self._worker = dramatiq.Worker(self.broker, worker_threads=threads, worker_timeout=IDLE_MS)
        self._worker.start()
        self.broker.emit_after("process_boot")

    def stop(self) -> None:
        """Finish what is being worked, for at most 20 s; what is left is worked again after the next start."""
        if self._worker:
            self._worker.stop(20_000)
        self.broker.close()

    def beat(self) -> None:
        """What the ticker does once a second."""
        self._leases.renew(self._now())
        self.ring()

    def ring(self) -> list[Run]:
        """Make the slots due whose time has come, and ring for those that can be worked now."""
        now = self._now()
        self._add_slots(now)
        with self._database.reading() as db:
            workable = [run for name in self._jobs if (run := _workable(db, name, now))]
        return [run for run in workable if self._doorbell.ring(run, self._jobs[run.job].time_limit_s, now)]

    def execute(self, name: str, slot: int) -> str:
        """Work one slot, and say what became of it.

        "done"; "failed", to be tried again, or "dead", given up; "lost" when the lease ran out and somebody
        else has it; "refused" when it was not to be had, as when another process was quicker.
        """
        job, owner = self._jobs.get(name), uuid.uuid4().hex
        attempt = self._claim(job, slot, owner) if job else None
        if attempt is None:
            return "refused"
        with self._leases.hold(owner, self._now() + job.time_limit_s + LEASE_S):
            outcome = self._work(job, slot, owner, attempt)
        if outcome == "done":
            self.ring()
        return outcome

    def _answer(self, name: str, slot: int) -> None:
        self.execute(name, slot)

    def _add_slots(self, now: float) -> None:
        with self._database.reading() as db:
            missing = [(name, slot) for name in self._jobs if (slot := self._missing_slot(db, name, now))]
        if missing:
            with self._database.writing() as db:
                for name, slot in missing:
                    runs.add(db, name, slot, now)

    def _missing_slot(self, db: Connection, name: str, now: float) -> int | None:
        """The latest slot of a job when it is not in the ledger yet, as far as the jobs it needs have come."""
        job = self._jobs[name]
        reached = [job.instant(self._workshop.clock, now), *(runs.done_up_to(db, need) for need in job.needs)]
        if None in reached or (job.wanted and not job.wanted(db)):
            return None
        slot, newest = slot_at(job.schedule, min(reached)), runs.newest(db, name)
        # A clock that was set back makes no slots until it has caught up: a job never goes back in time.
        return slot if newest is None or slot > newest.slot else None

    def _claim(self, job: Job, slot: int, owner: str) -> int | None:
        now = self._now()
        with self._database.writing() as db:
            attempt = runs.claim(db, job.name, slot, owner, now, now + LEASE_S)
            if attempt is None or attempt <= job.attempts:
                return attempt
            runs.bury(db, job.name, slot, owner, now, "the process died at every try")
        log.error("job_dead", job=job.name, slot=slot, attempt=attempt)
        return None

    def _work(self, job: Job, slot: int, owner: str, attempt: int) -> str:
        try:
            effects = job.work(self._workshop, slot)
            with self._database.writing() as db:
                if not runs.finish(db, job.name, slot, owner, self._now()):
                    return "lost"
                effects(db)
        except (Exception, Interrupt) as error:
            return self._fail(job, slot, owner, attempt, error)
        log.debug("job_done", job=job.name, slot=slot, attempt=attempt)
        return "done"

    def _fail(self, job: Job, slot: int, owner: str, attempt: int, error: BaseException) -> str:
        now, said = self._now(), f"{type(error).__name__}: {error}"[:500]
        outcome = "dead" if attempt >= job.attempts else "failed"
        with self._database.writing() as db:
            if outcome == "dead":
                runs.bury(db, job.name, slot, owner, now, said)
            else:
                runs.retry(db, job.name, slot, owner, now + _backoff(job, attempt), said)
        log.error(f"job_{outcome}", job=job.name, slot=slot, attempt=attempt, exc_info=error)
        return outcome


def _workable(db: Connection, name: str, now: float) -> Run | None:
    """The newest slot of a job, when it is open and nobody works on that job."""
    run = runs.newest(db, name)
    if run is None or not run.is_open or run.next_at > now or runs.is_held(db, name, now):
        return None
    return run


def _backoff(job: Job, attempt: int) -> float:
    """Seconds until the next try, jittered so that jobs that failed together do not return together."""
    return min(job.backoff_s * 2 ** (attempt - 1), LONGEST_BACKOFF_S) * random.uniform(0.5, 1.0)


def _check(jobs: dict[str, Job]) -> None:
    for job in jobs.values():
        for need in job.needs:
            if need not in jobs or jobs[need].clock != job.clock:
                raise ValueError(f"job {job.name} needs {need}, which is no job of the {job.clock} clock")
