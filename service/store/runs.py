"""The runs of jobs. The engine dispatches messages; this table decides which worker runs which slot.

A row is one slot of one job. Its state goes from due to running to done; after a failure it is due again with a later
`next_at`, or dead. Only the newest slot of a job is run, because a run does all work up to its slot; older open slots
are then skipped. A finished slot deletes the older ones that never failed, so the table holds a few rows of each job
and the failures of the last days: reading it costs the same however long the service has run. While a row is running,
`next_at` is the end of its lease, after which another worker may claim it. Instants are wall seconds; a slot is a
second of the clock of its job.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, Float, and_, bindparam, case, delete, func, or_, select, true, update

from service.store.database import insert_into
from service.store.tables import job_run

_ROW = (job_run.c.job, job_run.c.slot, job_run.c.state, job_run.c.attempt, job_run.c.next_at)
_OF_JOB = job_run.c.job == bindparam("job")
_NEWEST = select(*_ROW).where(_OF_JOB).order_by(job_run.c.slot.desc()).limit(1)
_LEASE_COUNT = select(func.count()).where(_OF_JOB, job_run.c.state == "running", job_run.c.next_at > bindparam("now"))
_OPEN = job_run.c.state.in_(("due", "running"))
_HAS_NO_FAILURE = or_(
    and_(job_run.c.state == "done", job_run.c.attempt == 1), and_(job_run.c.state == "skipped", job_run.c.attempt == 0)
)
_QUEUE_LENGTH = select(func.count(job_run.c.job.distinct())).where(
    job_run.c.state == "due", job_run.c.next_at <= bindparam("now")
)
_LAST_DONE = (
    select(job_run.c.job, func.max(job_run.c.slot).label("slot"))
    .where(job_run.c.state == "done")
    .group_by(job_run.c.job)
    .subquery()
)
_NOW = bindparam("now", type_=Float(53))
_LATEST = (
    select(
        job_run.c.job,
        func.max(job_run.c.slot).label("slot"),
        func.max(case((job_run.c.state == "done", job_run.c.slot))).label("done_up_to"),
        func.max(case((and_(job_run.c.state == "running", job_run.c.next_at > _NOW), 1), else_=0)).label("is_held"),
    )
    .group_by(job_run.c.job)
    .subquery()
)
_STATES = select(*_ROW, _LATEST.c.done_up_to, _LATEST.c.is_held, job_run.c.error).join(
    _LATEST, and_(job_run.c.job == _LATEST.c.job, job_run.c.slot == _LATEST.c.slot)
)
_IS_LATER = func.coalesce(job_run.c.slot > _LAST_DONE.c.slot, true())
_SUCCESS = case((job_run.c.state.in_(("done", "running")), 1), else_=0)
_TOOK = case((job_run.c.slot == _LAST_DONE.c.slot, job_run.c.finished_at - job_run.c.started_at))
_PROGRESS = (
    select(
        job_run.c.job,
        _NOW - func.coalesce(func.min(case((_IS_LATER, job_run.c.added_at))), _NOW),
        func.max(_TOOK),
        func.sum(job_run.c.attempt - _SUCCESS),
    )
    .outerjoin(_LAST_DONE, _LAST_DONE.c.job == job_run.c.job)
    .group_by(job_run.c.job)
    .order_by(job_run.c.job)
)


class Run(NamedTuple):
    """A slot of a job: `attempt` counts the starts, `next_at` is when it may start or when its lease ends."""

    job: str
    slot: int
    state: str
    attempt: int
    next_at: float

    @property
    def is_open(self) -> bool:
        return self.state in ("due", "running")


class JobState(NamedTuple):
    """The newest slot of a job, the latest one that it has finished (None before the first), and whether one runs.

    `error` is that of the newest slot, while it is not done.
    """

    newest: Run
    done_up_to: int | None
    is_held: bool
    error: str | None


class JobProgress(NamedTuple):
    """How a job stands.

    `lag_s` is for how long a slot after the last finished one has been due, 0 where there is none; `duration_s` is what
    the last finished run took, None before the first; `failures` are the failed attempts on the slots that are kept.
    """

    job: str
    lag_s: float
    duration_s: float | None
    failures: int


def newest_run(db: Connection, job: str) -> Run | None:
    """The latest slot of a job, in any state."""
    row = db.execute(_NEWEST, {"job": job}).first()
    return Run(*row) if row else None


def job_states(db: Connection, now: float) -> dict[str, JobState]:
    """The state of every job that has a slot, by its name: one query, however many jobs there are."""
    rows = db.execute(_STATES, {"now": now})
    return {job: JobState(Run(job, *run), done, bool(lease), error) for job, *run, done, lease, error in rows}


def is_held(db: Connection, job: str, now: float) -> bool:
    return bool(db.scalar(_LEASE_COUNT, {"job": job, "now": now}))


def add(db: Connection, job: str, slot: int, now: float) -> bool:
    """Make a slot due; returns False if it already exists."""
    row = {"job": job, "slot": slot, "state": "due", "attempt": 0, "added_at": now, "next_at": now}
    insertion = insert_into(db, job_run).values(row).on_conflict_do_nothing().returning(job_run.c.slot)
    return db.scalar(insertion) is not None


def claim(db: Connection, job: str, slot: int, owner: str, now: float, until: float) -> int | None:
    """Start a slot and hold it until `until`; returns the number of this attempt, or None if the claim is refused.

    The claim is refused if the slot is not due or not the newest, or while another slot of the same job is held.
    """
    # Locks the open rows, so that the second of two concurrent claims on a job sees the result of the first.
    db.execute(select(job_run.c.slot).where(job_run.c.job == job, _OPEN).order_by(job_run.c.slot).with_for_update())
    run = newest_run(db, job)
    if run is None or run.slot != slot or not run.is_open or run.next_at > now:
        return None
    if is_held(db, job, now):
        return None
    older = (job_run.c.job == job) & (job_run.c.slot < slot) & _OPEN
    db.execute(update(job_run).where(older).values(state="skipped", finished_at=now))
    changes = {"state": "running", "owner": owner, "attempt": run.attempt + 1, "started_at": now, "next_at": until}
    db.execute(update(job_run).where(job_run.c.job == job, job_run.c.slot == slot).values(changes))
    return run.attempt + 1


def renew(db: Connection, owners: Iterable[str], until: float) -> None:
    """Extend the leases of these owners until `until`."""
    is_leased = job_run.c.owner.in_(list(owners)) & (job_run.c.state == "running")
    db.execute(update(job_run).where(is_leased).values(next_at=until))


def finish(db: Connection, job: str, slot: int, owner: str, now: float) -> bool:
    """Mark a slot done, and delete the older ones that never failed.

    Returns False if `owner` no longer holds it, so its work must not be written.
    """
    if not _leave(db, job, slot, owner, state="done", finished_at=now, error=None):
        return False
    db.execute(delete(job_run).where(job_run.c.job == job, job_run.c.slot < slot, _HAS_NO_FAILURE))
    return True


def retry(db: Connection, job: str, slot: int, owner: str, at: float, error: str) -> bool:
    """Make a failed slot due again at `at`; returns False if `owner` no longer holds it."""
    return _leave(db, job, slot, owner, state="due", next_at=at, error=error)


def bury(db: Connection, job: str, slot: int, owner: str, now: float, error: str) -> bool:
    """Mark a slot dead; returns False if `owner` no longer holds it."""
    return _leave(db, job, slot, owner, state="dead", finished_at=now, error=error)


def queued(db: Connection, now: float) -> int:
    """How many jobs have a slot that may start at `now` and is not running."""
    return db.scalar(_QUEUE_LENGTH, {"now": now}) or 0


def job_progress(db: Connection, now: float) -> list[JobProgress]:
    """How every job stands at `now`, by name."""
    return [JobProgress(*row) for row in db.execute(_PROGRESS, {"now": now})]


def prune(db: Connection, before: float) -> int:
    """Delete the failed slots finished before the wall second `before`, and return their number.

    The newest slot of a job and its latest done slot are kept, because scheduling depends on them.
    """
    sibling = job_run.alias()
    newest_slot = select(func.max(sibling.c.slot)).where(sibling.c.job == job_run.c.job)
    slots = newest_slot.scalar_subquery(), newest_slot.where(sibling.c.state == "done").scalar_subquery()
    is_outdated = (job_run.c.slot != slots[0]) & (job_run.c.slot != func.coalesce(slots[1], slots[0]))
    return db.execute(delete(job_run).where(job_run.c.finished_at < before, is_outdated)).rowcount


def _leave(db: Connection, job: str, slot: int, owner: str, **values: object) -> bool:
    mine = (job_run.c.job == job, job_run.c.slot == slot, job_run.c.owner == owner, job_run.c.state == "running")
    return db.execute(update(job_run).where(*mine).values(values)).rowcount == 1
