from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text, update

from service.store import runs
from service.store.runs import Run
from service.store.tables import job_run


def add(database, slot: int, job: str = "tick", now: float = 0.0) -> bool:
    with database.writing() as db:
        return runs.add(db, job, slot, now)


def claim(database, slot: int, owner: str = "a", now: float = 0.0) -> int | None:
    with database.writing() as db:
        return runs.claim(db, "tick", slot, owner, now, now + 15)


def finish(database, slot: int, owner: str = "a", now: float = 1.0) -> bool:
    with database.writing() as db:
        return runs.finish(db, "tick", slot, owner, now)


def newest(database) -> Run | None:
    with database.reading() as db:
        return runs.newest_run(db, "tick")


def test_a_slot_is_claimed_by_one_owner_and_finished_by_that_one(database):
    """It is there once however often it is added."""
    assert [add(database, 60), add(database, 60)] == [True, False]
    assert newest(database) == Run("tick", 60, "due", 0, 0.0)
    assert [claim(database, 60, owner) for owner in "ab"] == [1, None]
    assert [finish(database, 60, owner) for owner in "baa"] == [False, True, False]
    assert claim(database, 60, "b", now=99) is None


def test_of_many_claims_at_once_one_succeeds(database):
    add(database, 60)
    with ThreadPoolExecutor(8) as threads:
        claims = list(threads.map(lambda owner: claim(database, 60, str(owner)), range(8)))
    assert sorted(map(str, claims)) == ["1", *["None"] * 7]


def test_an_expired_lease_passes_to_the_next_owner(database):
    """The owner whose lease expired can neither renew nor finish the slot."""
    add(database, 60)
    claim(database, 60, "a", now=0)
    assert claim(database, 60, "b", now=14) is None
    assert claim(database, 60, "b", now=15) == 2
    assert not finish(database, 60, "a")
    assert finish(database, 60, "b")


def test_a_renewed_lease_holds(database):
    add(database, 60)
    claim(database, 60, "a", now=0)
    with database.writing() as db:
        runs.renew(db, ["a", "nobody"], 25)
    assert claim(database, 60, "b", now=15) is None
    with database.reading() as db:
        assert runs.job_states(db, 24)["tick"].is_held
        assert not runs.job_states(db, 25)["tick"].is_held


def test_while_a_slot_is_worked_no_other_of_the_same_job_is(database):
    add(database, 60)
    claim(database, 60, "a", now=0)
    add(database, 120)
    assert claim(database, 120, "b", now=1) is None
    finish(database, 60, "a")
    assert claim(database, 120, "b", now=1) == 1


def test_older_open_slots_are_skipped_for_the_newest(database):
    for slot in (60, 120, 180):
        add(database, slot)
    assert claim(database, 120) is None
    assert claim(database, 180) == 1
    assert claim(database, 60) is None
    with database.reading() as db:
        assert runs.job_states(db, 0.0)["tick"].done_up_to is None
    finish(database, 180)
    with database.reading() as db:
        assert runs.job_states(db, 0.0)["tick"].done_up_to == 180


def test_the_states_of_all_jobs_are_read_at_once(database):
    """Of each job the newest slot, the latest one that is done and whether one is running."""
    for slot in (60, 120, 180):
        add(database, slot)
    claim(database, 180)
    finish(database, 180)
    add(database, 240)
    claim(database, 240, now=0)
    add(database, 90, job="rank")
    for now in (0.0, 14.0, 15.0):
        with database.reading() as db:
            states = {job: state[:4] for job, state in runs.job_states(db, now).items()}
            assert states == {
                "rank": (runs.newest_run(db, "rank"), None, False, None),
                "tick": (runs.newest_run(db, "tick"), 180, now < 15, None),
            }


def test_an_expired_slot_gives_way_to_a_newer_one(database):
    add(database, 60)
    claim(database, 60, "a", now=0)
    add(database, 120)
    assert claim(database, 120, "b", now=20) == 1
    assert not finish(database, 60, "a")


def test_a_failed_slot_waits_for_its_next_try(database):
    """One that an earlier version gave up can be claimed, too."""
    add(database, 60)
    claim(database, 60, "a", now=0)
    with database.writing() as db:
        assert runs.retry(db, "tick", 60, "a", 30.0, "boom")
    assert [claim(database, 60, "b", now=now) for now in (29, 30)] == [None, 2]
    with database.writing() as db:
        db.execute(update(job_run).values(state="dead", next_at=45.0, finished_at=31.0))
    assert claim(database, 60, "c", now=99) == 3


def test_a_claim_after_a_lease_notes_the_end_of_its_process(database):
    add(database, 60)
    for now in (0, 15):
        claim(database, 60, now=now)
    with database.reading() as db:
        assert (state := runs.job_states(db, 16.0)["tick"]).error == "the process ended or hung"
    assert state.failures == 1


def fail(database, slot: int) -> None:
    """Let the first attempt at a slot fail at the wall second `slot`."""
    add(database, slot)
    claim(database, slot, now=slot)
    with database.writing() as db:
        runs.retry(db, "tick", slot, "a", slot, "down")


def slots(database) -> list[int]:
    with database.reading() as db:
        return list(db.scalars(select(job_run.c.slot).order_by(job_run.c.slot)))


def test_a_finished_slot_replaces_those_that_never_failed(database):
    """So the table does not grow with the past, and what reads it reads a few rows of each job."""
    for slot in range(60, 6000, 60):
        add(database, slot)
        if slot % 120:
            continue  # it is skipped by the next one
        claim(database, slot)
        finish(database, slot, now=slot)
        assert slots(database) == [slot]


def test_failed_slots_stay_until_they_are_pruned(database):
    """They are what the number of failures counts; the newest and the last done slot stay for the timetable."""
    fail(database, 60)
    fail(database, 120)
    claim(database, 120, now=121)
    finish(database, 120, now=122)
    fail(database, 180)
    with database.writing() as db:
        assert slots(database) == [60, 120, 180]
        assert runs.job_states(db, 200.0)["tick"].failures == 3
        assert runs.prune(db, before=120) == 0
        assert runs.prune(db, before=10_000) == 1
        state = runs.job_states(db, 0.0)["tick"]
        assert (state.done_up_to, state.newest.slot) == (120, 180)


def test_a_job_that_never_finished_is_pruned_too(database):
    for slot in (60, 120):
        add(database, slot)
        claim(database, slot)
        with database.writing() as db:
            runs.retry(db, "tick", slot, "a", slot, "boom")
    with database.writing() as db:
        assert runs.prune(db, before=10_000) == 1
        assert runs.newest_run(db, "tick").slot == 120


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_claim_waits_for_an_uncommitted_claim_on_its_job(database):
    """Else two slots of a job could be worked at once. (SQLite has one writer at a time.)"""
    add(database, 60)
    claims = []
    with database.writing() as first:
        assert runs.claim(first, "tick", 60, "a", 0, 15) == 1
        add(database, 120)
        second = threading.Thread(target=lambda: claims.append(claim(database, 120, "b", now=1)))
        second.start()
        while second.is_alive() and not _somebody_waits_for_a_lock(database):
            pass
    second.join()
    assert claims == [None]


def _somebody_waits_for_a_lock(database) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%job_run%FOR UPDATE'"
    with database.reading() as db:
        return db.scalar(text(query)) > 0


def test_the_progress_of_a_job_is_its_lag_duration_and_failures(database):
    """Lag runs from the first slot after the last finished one, however many came due since."""
    with database.writing() as db:
        runs.add(db, "tick", 100, 1000.0)
        runs.claim(db, "tick", 100, "a", 1001.0, 1020.0)
        runs.finish(db, "tick", 100, "a", 1003.5)
        assert runs.job_states(db, 5000.0)["tick"][4:] == (0.0, 2.5, 0)
        for slot in (200, 300):
            runs.add(db, "tick", slot, 1000.0 + slot)
            runs.claim(db, "tick", slot, "a", 1000.0 + slot, 1320.0)
            runs.retry(db, "tick", slot, "a", 1400.0, "down")
        assert runs.job_states(db, 5000.0)["tick"][4:] == (3800.0, 2.5, 2)


def test_a_job_that_never_finished_lags_from_its_first_slot(database):
    with database.writing() as db:
        runs.add(db, "seal", 100, 1000.0)
        assert runs.job_states(db, 1060.0)["seal"][4:] == (60.0, None, 0)
