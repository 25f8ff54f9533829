from __future__ import annotations

import threading

import pytest
from sqlalchemy import text

from service.store import runs
from service.store.runs import Run


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
        return runs.newest(db, "tick")


def test_a_slot_is_there_once_however_often_it_is_added(database):
    assert add(database, 60)
    assert not add(database, 60)
    assert newest(database) == Run("tick", 60, "due", 0, 0.0)


def test_a_slot_is_claimed_by_one_owner_and_finished_by_that_one(database):
    add(database, 60)
    assert claim(database, 60, "a") == 1
    assert claim(database, 60, "b") is None
    assert not finish(database, 60, "b")
    assert finish(database, 60, "a")
    assert not finish(database, 60, "a")
    assert claim(database, 60, "b", now=99) is None


def test_of_many_claims_at_once_one_succeeds(database):
    add(database, 60)
    got = []
    threads = [threading.Thread(target=lambda owner=str(n): got.append(claim(database, 60, owner))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [attempt for attempt in got if attempt] == [1]


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
        assert runs.is_held(db, "tick", 24)
        assert not runs.is_held(db, "tick", 25)


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
        assert runs.done_up_to(db, "tick") is None
    finish(database, 180)
    with database.reading() as db:
        assert runs.done_up_to(db, "tick") == 180


def test_an_expired_slot_gives_way_to_a_newer_one(database):
    add(database, 60)
    claim(database, 60, "a", now=0)
    add(database, 120)
    assert claim(database, 120, "b", now=20) == 1
    assert not finish(database, 60, "a")


def test_a_failed_slot_waits_for_its_next_try(database):
    add(database, 60)
    claim(database, 60, "a", now=0)
    with database.writing() as db:
        assert runs.retry(db, "tick", 60, "a", 30.0, "boom")
    assert claim(database, 60, "b", now=29) is None
    assert claim(database, 60, "b", now=30) == 2


def test_an_abandoned_slot_is_not_retried_and_blocks_nothing(database):
    add(database, 60)
    claim(database, 60, "a")
    with database.writing() as db:
        assert runs.bury(db, "tick", 60, "a", 1.0, "boom")
    assert claim(database, 60, "b", now=99) is None
    add(database, 120)
    assert claim(database, 120, "b", now=99) == 1


def test_pruning_keeps_the_newest_and_the_last_done_slot(database):
    for slot in (60, 120, 180):
        add(database, slot)
        claim(database, slot)
        finish(database, slot, now=slot)
    add(database, 240)
    claim(database, 240)
    with database.writing() as db:
        runs.bury(db, "tick", 240, "a", 240, "boom")
        assert runs.prune(db, before=10_000) == 2
        assert runs.done_up_to(db, "tick") == 180
        assert runs.newest(db, "tick").slot == 240


def test_slots_finished_lately_are_kept(database):
    for slot in (60, 120):
        add(database, slot)
        claim(database, slot)
        finish(database, slot, now=slot)
    with database.writing() as db:
        assert runs.prune(db, before=60) == 0
        assert runs.prune(db, before=61) == 1


def test_a_job_that_never_finished_is_pruned_too(database):
    for slot in (60, 120):
        add(database, slot)
        claim(database, slot)
        with database.writing() as db:
            runs.bury(db, "tick", slot, "a", slot, "boom")
    with database.writing() as db:
        assert runs.prune(db, before=10_000) == 1
        assert runs.newest(db, "tick").slot == 120


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_claim_waits_for_an_uncommitted_claim_on_its_job(database):
    """Else two slots of a job could be worked at once. (SQLite has one writer at a time.)"""
    add(database, 60)
    got = []
    with database.writing() as first:
        assert runs.claim(first, "tick", 60, "a", 0, 15) == 1
        add(database, 120)
        second = threading.Thread(target=lambda: got.append(claim(database, 120, "b", now=1)))
        second.start()
        while second.is_alive() and not _somebody_waits_for_a_lock(database):
            pass
    second.join()
    assert got == [None]


def _somebody_waits_for_a_lock(database) -> bool:
    waiting = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%job_run%FOR UPDATE'"
    )
    with database.reading() as db:
        return db.scalar(text(waiting)) > 0
