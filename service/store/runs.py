"""The runs of jobs: which worker runs which slot.

A row is one slot of one job. Its state goes from due to running to done; after a failure it is due again with a later
`next_at`. Only the newest slot of a job is run, because a run does all work up to its slot; older open slots
are then skipped. A finished slot deletes the older ones that never failed, so the table holds a few rows of each job
and the failures of the last days, which the database counts. While a row is running, `next_at` is the end of its lease,
after which another worker may claim it. Instants are wall seconds; a slot is a second of the clock of its job.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Float, and_, case, delete, func, literal, or_, select, true, update

from service.store.database import insert_into
from service.store.tables import job_run

_ROW = (job_run.c.job, job_run.c.slot, job_run.c.state, job_run.c.attempt, job_run.c.next_at)
CLOSED = ("done", "skipped")  # a slot that an earlier version gave up ("dead") is open again
_OPEN = job_run.c.state.not_in(CLOSED)
_HAS_NO_FAILURE = or_(
    and_(job_run.c.state == "done", job_run.c.attempt == 1), and_(job_run.c.state == "skipped", job_run.c.attempt == 0)
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
        return self.state not in CLOSED


class JobState(NamedTuple):
    """How a job stands: its newest slot, the latest one that it has finished (None before the first), whether one runs.

    `error` is that of the newest slot, while it is not done. `lag_s` is for how long a slot after the last finished one
    has been due, 0 where there is none; `duration_s` is what the last finished run took, None before the first;
    `failures` are the failed attempts on the slots that are kept.
    """

    newest: Run
    done_up_to: int | None
    is_held: bool
    error: str | None
    lag_s: float
    duration_s: float | None
    failures: int


def newest_run(db: Connection, job: str) -> Run | None:
    """The latest slot of a job, in any state."""
    row = db.execute(select(*_ROW).where(job_run.c.job == job).order_by(job_run.c.slot.desc()).limit(1)).first()
    return Run(*row) if row else None


def job_states(db: Connection, now: float) -> dict[str, JobState]:
    """The state at `now` of every job that has a slot, by its name, in the order of the names."""
    columns = job_run.c
    is_done = columns.state == "done"
    done = select(columns.job, func.max(columns.slot).label("slot")).where(is_done).group_by(columns.job).subquery()
    is_later, instant = func.coalesce(columns.slot > done.c.slot, true()), literal(now, Float(53))
    took = case((columns.slot == done.c.slot, columns.finished_at - columns.started_at))
    success = case((columns.state.in_(("done", "running")), 1), else_=0)
    total = (
        select(
            columns.job,
            func.max(columns.slot).label("slot"),
            func.max(done.c.slot).label("done_up_to"),
            func.max(case((_is_held(instant), 1), else_=0)).label("is_held"),
            (instant - func.coalesce(func.min(case((is_later, columns.added_at))), instant)).label("lag_s"),
            func.max(took).label("duration_s"),
            func.sum(columns.attempt - success).label("failures"),
        )
        .outerjoin(done, done.c.job == columns.job)
        .group_by(columns.job)
        .subquery()
    )
    values = (total.c.done_up_to, total.c.is_held, columns.error, total.c.lag_s, total.c.duration_s, total.c.failures)
    query = select(*_ROW, *values).join(total, (columns.job == total.c.job) & (columns.slot == total.c.slot))
    return {
        row.job: JobState(Run(*row[: len(_ROW)]), row.done_up_to, bool(row.is_held), *row[len(_ROW) + 2 :])
        for row in db.execute(query.order_by(columns.job))
    }


def _is_held(now: float | ColumnElement[float]) -> ColumnElement[bool]:
    return (job_run.c.state == "running") & (job_run.c.next_at > now)


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
    open_slots = select(_is_held(now)).where(job_run.c.job == job, _OPEN).order_by(job_run.c.slot).with_for_update()
    is_held = any(db.scalars(open_slots).all())
    run = newest_run(db, job)
    if is_held or run is None or run.slot != slot or not run.is_open or run.next_at > now:
        return None
    older = (job_run.c.job == job) & (job_run.c.slot < slot) & _OPEN
    db.execute(update(job_run).where(older).values(state="skipped", finished_at=now))
    changes = {"state": "running", "owner": owner, "attempt": run.attempt + 1, "started_at": now, "next_at": until}
    if run.state == "running":
        changes["error"] = "the process ended or hung"
    db.execute(update(job_run).where(job_run.c.job == job, job_run.c.slot == slot).values(changes))
    return run.attempt + 1


def renew(db: Connection, owners: Iterable[str], until: float) -> None:
    """Extend the leases of these owners until `until`."""
    is_leased = job_run.c.owner.in_(list(owners)) & (job_run.c.state == "running")
    db.execute(update(job_run).where(is_leased).values(next_at=until))


def finish(db: Connection, job: str, slot: int, owner: str, now: float) -> bool:
    """Mark a slot done and delete the older ones that never failed.

    Returns False if `owner` no longer holds it, so its work must not be written.
    """
    if not _leave(db, job, slot, owner, state="done", finished_at=now, error=None):
        return False
    db.execute(delete(job_run).where(job_run.c.job == job, job_run.c.slot < slot, _HAS_NO_FAILURE))
    return True


def retry(db: Connection, job: str, slot: int, owner: str, at: float, error: str) -> bool:
    """Make a failed slot due again at `at`; returns False if `owner` no longer holds it."""
    return _leave(db, job, slot, owner, state="due", next_at=at, error=error)


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
