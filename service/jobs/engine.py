"""The job engine: the table `job_run` decides which process works which slot of a job; each looks there every second.

Any number of processes may run it over one database: no messages pass between them, so none can be lost.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import structlog
from sqlalchemy import Connection

from service.errors import NinefoldError
from service.jobs.deliveries import Deliveries
from service.jobs.job import LONGEST_PAUSE_S, Job, JobContext
from service.jobs.threads import Threads, Ticker
from service.market.coverage import has_arrived
from service.store import runs, world
from service.store.database import Database
from service.store.runs import JobState, Run

THREADS = 4
STOP_S = 20
SEEN_EVERY_S = 10  # how often a process notes that it looks what is due
LEASE_S = 15
RENEW_S = 5

log = structlog.stdlib.get_logger(__name__)


class Engine:
    """Schedules and runs `jobs` in threads, beside other processes over the same database, and delivers webhooks.

    Nothing is scheduled while the wall clock `now` disagrees with the steady clock `uptime`, where there is one.
    """

    def __init__(
        self,
        database: Database,
        jobs: Iterable[Job],
        job_context: JobContext,
        now: Callable[[], float] = time.time,
        uptime: Callable[[], float] | None = None,
    ) -> None:
        self._database = database
        self._jobs = {job.name: job for job in jobs}
        self.job_context = job_context
        self._now = now
        self._guard = ClockGuard(now, uptime or now)
        self._lease_ends: dict[str, float] = {}  # the wall second at which the lease of each owner is no longer renewed
        self._renewed_at = 0.0
        self._seen_at = 0.0
        self._threads = Threads(0)
        self._ticker = Ticker(self.beat)
        self.deliveries = Deliveries(job_context, now)

    def start(self, threads: int = THREADS) -> None:
        """Schedule and run jobs in this process."""
        self._threads = Threads(threads, self._begin)
        self._ticker.start()

    def stop(self) -> None:
        """Wait at most 20 s for running jobs to finish; the others run again after the next start."""
        self._ticker.stop()
        self.deliveries.stop()
        self._threads.stop(STOP_S)

    def beat(self) -> None:
        """Renew the leases, begin the jobs and deliver the webhooks that are due; the ticker calls it once a second."""
        if self._guard.refuses():
            return
        self._renew_leases(self._now())
        self._begin()
        self.deliveries.beat()

    def due(self) -> list[Run]:
        """The slots that can run now, after those that have become due were added."""
        if self._guard.refuses():
            return []
        now = self._now()
        if not 0 <= now - self._seen_at < SEEN_EVERY_S:
            with self._database.writing() as db:
                world.beat(db, int(now))
            self._seen_at = now
        names = self._startable(now)
        states = self._with_new_slots(names, now)
        idle = [states[name].newest for name in names if name in states and not states[name].is_held]
        return [run for run in idle if run.is_open and self._next_attempt_at(run) <= now]

    def _next_attempt_at(self, run: Run) -> float:
        """When a slot may start again: an attempt whose process was killed waits like one that failed."""
        pause_s = self._jobs[run.job].longest_pause_s(run.attempt) if run.state == "running" else 0
        return run.next_at + max(0, pause_s - LEASE_S)

    def _begin(self) -> None:
        """Run what is due, as far as this process has threads for it."""
        for run in self.due():
            limit = self._jobs[run.job].time_limit_s + LEASE_S
            self._threads.begin(run.job, partial(self._run, run), limit)

    def _run(self, run: Run) -> bool:
        """Whether more may be due: what follows a slot that is done, or others where a process was faster."""
        return self.execute(run.job, run.slot) in ("done", "refused")

    def execute(self, name: str, slot: int) -> str:
        """Run one slot and return the outcome.

        "done"; "failed", which will be retried; "lost" when the lease expired and another process has the slot;
        "refused" when the slot could not be claimed, for instance because another process has it.
        """
        job, owner, now = self._jobs.get(name), uuid.uuid4().hex, self._now()
        if job is None:
            return "refused"
        with self._database.writing() as db:
            attempt = runs.claim(db, name, slot, owner, now, now + LEASE_S)
        if attempt is None:
            return "refused"
        # An attempt that hangs must not hold its job forever.
        self._lease_ends[owner] = self._now() + job.time_limit_s + LEASE_S
        try:
            return self._work(job, slot, owner, attempt)
        finally:
            del self._lease_ends[owner]

    def _renew_leases(self, now: float) -> None:
        """Renew all leases, at most every RENEW_S seconds."""
        owners = [owner for owner, until in list(self._lease_ends.items()) if now < until]
        if owners and not 0 <= now - self._renewed_at < RENEW_S:
            with self._database.writing() as db:
                runs.renew(db, owners, now + LEASE_S)
            self._renewed_at = now

    def _startable(self, now: float) -> list[str]:
        """The jobs that may start: in the live world those that need history only once it has arrived."""
        clock = self.job_context.clock
        if clock.world != "live":
            return list(self._jobs)
        with self._database.reading() as db:
            is_whole = has_arrived(self.job_context.histories(db, clock.at(now)))
        return [name for name, job in self._jobs.items() if is_whole or not job.needs_history]

    def _with_new_slots(self, names: Iterable[str], now: float) -> dict[str, JobState]:
        """The states of the jobs after the slots that are due have been added."""
        with self._database.reading() as db:
            states = runs.job_states(db, now)
            missing = [(name, slot) for name in names if (slot := self._missing_slot(db, states, name, now))]
        if not missing:
            return states
        with self._database.writing() as db:
            for name, slot in missing:
                runs.add(db, name, slot, now)
            return runs.job_states(db, now)

    def _missing_slot(self, db: Connection, states: Mapping[str, JobState], name: str, now: float) -> int | None:
        """The latest slot of a job up to which the jobs it needs are done; None when it is in the table already."""
        job, state = self._jobs[name], states.get(name)
        instant = job.instant(self.job_context.clock, now)
        progress = [self._done_up_to(states.get(dependency), dependency, job, instant) for dependency in job.needs]
        done = [slot for slot in progress if slot is not None]
        if len(done) < len(progress):
            return None
        slot = job.schedule.slot_at(min([instant, *done]))
        # A clock that was set back adds no slots until it has caught up: a job never goes back in time.
        if state is not None and slot <= state.newest.slot:
            return None
        return slot if job.is_wanted is None or job.is_wanted(db, self.job_context) else None

    def _done_up_to(self, state: JobState | None, dependency: str, job: Job, instant: int) -> int | None:
        """The time up to which a needed job has done what `job` waits for; None before its first slot.

        One with rarer slots has done it until its next slot begins.
        """
        if state is None or state.done_up_to is None:
            return None
        schedule = self._jobs[dependency].schedule
        is_rarer = schedule.seconds > job.schedule.seconds
        return instant if is_rarer and schedule.slot_at(instant) <= state.done_up_to else state.done_up_to

    def _work(self, job: Job, slot: int, owner: str, attempt: int) -> str:
        start = time.perf_counter()
        try:
            effects = job.work(self.job_context, slot)
            with self._database.writing() as db:
                if not runs.finish(db, job.name, slot, owner, self._now()):
                    return "lost"
                effects(db)
        except Exception as error:
            return self._fail(job, slot, owner, attempt, error)
        log.info("job_done", job=job.name, slot=slot, attempt=attempt, seconds=round(time.perf_counter() - start, 3))
        return "done"

    def _fail(self, job: Job, slot: int, owner: str, attempt: int, error: Exception) -> str:
        now, message = self._now(), f"{type(error).__name__}: {error}"[:500]
        longest_pause_s = job.longest_pause_s(attempt)
        # With jitter, so that jobs that failed together do not retry together.
        pause_s = longest_pause_s * random.uniform(0.5, 1.0)
        with self._database.writing() as db:
            runs.retry(db, job.name, slot, owner, now + pause_s, message)
        # Where a source fails, its reason is logged without a traceback: at first, and once the pauses grow no more.
        trace = None if isinstance(error, NinefoldError) else error
        if trace or attempt == 1 or longest_pause_s == LONGEST_PAUSE_S:
            log.error("job_failed", job=job.name, slot=slot, attempt=attempt, detail=message, exc_info=trace)
        return "failed"


# How far the two clocks may part between two looks; a clock that is corrected by less is followed.
TOLERANCE_S = 5.0
# A clock that counts while the machine sleeps. Linux has one of its own for that.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def elapsed_s() -> float:
    """Seconds since the machine started, on a clock that cannot be set."""
    return time.clock_gettime(_CLOCK)


class ClockGuard:
    """Compares the wall clock `now` with the steady clock `uptime`, both in seconds.

    After a jump of more than 5 s the wall clock is refused until it is back within 5 s of where it should be, or until
    the process is restarted, by which the operator confirms the new time.
    """

    def __init__(self, now: Callable[[], float], uptime: Callable[[], float]) -> None:
        self._now = now
        self._uptime = uptime
        self._offset = now() - uptime()
        self._has_jumped = False

    def refuses(self) -> bool:
        """Whether the wall clock has jumped; the first refusal and the end of it are logged."""
        jump = self._now() - self._uptime() - self._offset
        has_jumped, had_jumped = abs(jump) > TOLERANCE_S, self._has_jumped
        if has_jumped and not had_jumped:
            log.error("clock_jumped", seconds=round(jump, 1), until="the clock is right again, or a restart")
        elif had_jumped and not has_jumped:
            log.warning("clock_right_again")
        if not has_jumped:
            self._offset += jump
        self._has_jumped = has_jumped
        return has_jumped
