"""Slots of jobs: due once, worked by one process at a time, and kept for as long as they tell something."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, select, text, update

from service.store import runs
from service.store.database import Database
from service.store.runs import JobState, Run
from service.store.tables import job_run


def add(db: Connection, *slots: int) -> list[bool]:
    return [runs.add(db, "tick", slot, 0.0) for slot in slots]


def claim(db: Connection, slot: int, owner: str = "a", now: float = 0.0) -> int | None:
    return runs.claim(db, "tick", slot, owner, now, now + 15)


def finish(db: Connection, slot: int, owner: str = "a", now: float = 1.0) -> bool:
    return runs.finish(db, "tick", slot, owner, now)


def fail(db: Connection, slot: int) -> None:
    """Let the first attempt at a slot fail at the wall second `slot`."""
    add(db, slot)
    claim(db, slot, now=slot)
    runs.retry(db, "tick", slot, "a", slot, "down")


def state_of(db: Connection, now: float) -> JobState:
    return runs.job_states(db, now)["tick"]


def slots(db: Connection) -> list[int]:
    return list(db.scalars(select(job_run.c.slot).order_by(job_run.c.slot)))


@pytest.fixture
def held_db(db: Connection) -> Connection:
    """One slot, which `a` holds until the wall second 15."""
    add(db, 60)
    assert claim(db, 60) == 1
    return db


def test_a_slot_is_claimed_by_one_owner_and_finished_by_that_one(db):
    """It is there once however often it is added."""
    assert add(db, 60, 60) == [True, False]
    assert runs.newest_run(db, "tick") == Run("tick", 60, "due", 0, 0.0)
    assert [claim(db, 60, owner) for owner in "ab"] == [1, None]
    assert [finish(db, 60, owner) for owner in "baa"] == [False, True, False]
    assert claim(db, 60, "b", now=99) is None


def test_an_expired_lease_passes_to_the_next_owner(held_db):
    """The owner whose lease expired cannot finish the slot, and the end of its process is noted."""
    assert [claim(held_db, 60, "b", now=now) for now in (14, 15)] == [None, 2]
    assert (state_of(held_db, 16).error, state_of(held_db, 16).failures) == ("the process ended or hung", 1)
    assert [finish(held_db, 60, owner) for owner in "ab"] == [False, True]


def test_a_renewed_lease_holds(held_db):
    runs.renew(held_db, ["a", "nobody"], 25)
    assert claim(held_db, 60, "b", now=15) is None
    assert [state_of(held_db, now).is_held for now in (24, 25)] == [True, False]


def test_while_a_slot_is_worked_no_other_of_the_same_job_is(held_db):
    add(held_db, 120)
    assert claim(held_db, 120, "b", now=1) is None
    finish(held_db, 60)
    assert claim(held_db, 120, "b", now=1) == 1


def test_an_expired_slot_gives_way_to_a_newer_one(held_db):
    add(held_db, 120)
    assert claim(held_db, 120, "b", now=20) == 1
    assert not finish(held_db, 60)


def test_a_failed_slot_waits_for_its_next_try(held_db):
    """One that an earlier version gave up can be claimed, too."""
    assert runs.retry(held_db, "tick", 60, "a", 30.0, "boom")
    assert [claim(held_db, 60, "b", now=now) for now in (29, 30)] == [None, 2]
    held_db.execute(update(job_run).values(state="dead", next_at=45.0, finished_at=31.0))
    assert claim(held_db, 60, "c", now=99) == 3


def test_older_open_slots_are_skipped_for_the_newest(db):
    add(db, 60, 120, 180)
    assert [claim(db, slot) for slot in (120, 180, 60)] == [None, 1, None]


def test_the_states_of_all_jobs_are_read_at_once(db):
    """Of each job the newest slot, the latest one that is done and whether one is running."""
    add(db, 60, 120, 180)
    claim(db, 180)
    assert state_of(db, 0).done_up_to is None
    finish(db, 180)
    add(db, 240)
    claim(db, 240)
    runs.add(db, "rank", 90, 0.0)
    for now in (0.0, 14.0, 15.0):
        states = {job: state[:4] for job, state in runs.job_states(db, now).items()}
        assert states == {
            "rank": (runs.newest_run(db, "rank"), None, False, None),
            "tick": (runs.newest_run(db, "tick"), 180, now < 15, None),
        }


def test_a_finished_slot_replaces_those_that_never_failed(db):
    """So the table does not grow with the past, and what reads it reads a few rows of each job."""
    for slot in range(120, 6000, 120):
        add(db, slot - 60, slot)  # the first one is skipped
        claim(db, slot)
        finish(db, slot, now=slot)
        assert slots(db) == [slot]


def test_failed_slots_stay_until_they_are_pruned(db):
    """They are what the number of failures counts; the newest and the last done slot stay for the timetable."""
    fail(db, 60)
    fail(db, 120)
    claim(db, 120, now=121)
    finish(db, 120, now=122)
    fail(db, 180)
    assert (slots(db), state_of(db, 200).failures) == ([60, 120, 180], 3)
    assert [runs.prune(db, before) for before in (120, 10_000)] == [0, 1]
    assert (state_of(db, 0).done_up_to, state_of(db, 0).newest.slot) == (120, 180)


def test_a_job_that_never_finished_is_pruned_too(db):
    for slot in (60, 120):
        fail(db, slot)
    assert runs.prune(db, before=10_000) == 1
    assert slots(db) == [120]


def test_the_progress_of_a_job_is_its_lag_duration_and_failures(db):
    """Lag runs from the first slot after the last finished one, however many came due since."""
    runs.add(db, "tick", 100, 1000.0)
    runs.claim(db, "tick", 100, "a", 1001.0, 1020.0)
    runs.finish(db, "tick", 100, "a", 1003.5)
    assert state_of(db, 5000)[4:] == (0.0, 2.5, 0)
    for slot in (200, 300):
        runs.add(db, "tick", slot, 1000.0 + slot)
        runs.claim(db, "tick", slot, "a", 1000.0 + slot, 1320.0)
        runs.retry(db, "tick", slot, "a", 1400.0, "down")
    assert state_of(db, 5000)[4:] == (3800.0, 2.5, 2)


def test_a_job_that_never_finished_lags_from_its_first_slot(db):
    runs.add(db, "tick", 100, 1000.0)
    assert state_of(db, 1060)[4:] == (60.0, None, 0)


def apart(database: Database, work: Callable, *arguments):
    """What `work` returns in a transaction of its own."""
    with database.writing() as db:
        return work(db, *arguments)


def test_of_many_claims_at_once_one_succeeds(database):
    apart(database, add, 60)
    with ThreadPoolExecutor(8) as threads:
        claims = list(threads.map(lambda owner: apart(database, claim, 60, owner), "abcdefgh"))
    assert sorted(map(str, claims)) == ["1", *["None"] * 7]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_claim_waits_for_an_uncommitted_claim_on_its_job(database):
    """Else two slots of a job could be worked at once. (SQLite has one writer at a time.)"""
    apart(database, add, 60)
    with ThreadPoolExecutor(1) as thread, database.writing() as first:
        assert claim(first, 60) == 1
        apart(database, add, 120)
        second = thread.submit(apart, database, claim, 120, "b", 1)
        while not (second.done() or _somebody_waits_for_a_lock(database)):
            pass
    assert second.result() is None


def _somebody_waits_for_a_lock(database) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%job_run%FOR UPDATE'"
    with database.reading() as db:
        return db.scalar(text(query)) > 0
