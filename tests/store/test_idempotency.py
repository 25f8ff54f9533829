from __future__ import annotations

import threading

import pytest

from service.errors import IdempotencyMismatch, RequestConflict
from service.store import idempotency
from service.store.idempotency import Replay

NOW = 1_700_000_000
DAY = 86400


def begin(database, now: int = NOW, digest: str = "body", caller: str = "me") -> Replay | None:
    with database.writing() as db:
        return idempotency.begin(db, caller, "key", digest, now)


def find(database, now: int = NOW, digest: str = "body") -> Replay | None:
    with database.reading() as db:
        return idempotency.find_replay(db, "me", "key", digest, now)


def finish(database, body: bytes = b"answer") -> None:
    with database.writing() as db:
        idempotency.finish(db, "me", "key", 200, body)


def test_a_new_key_is_ours_and_nothing_is_found_under_it(database):
    """Callers do not share their keys."""
    assert (find(database), begin(database), find(database), begin(database, caller="you")) == (None,) * 4


def test_a_retry_gets_the_first_answer_for_24_hours(database):
    begin(database)
    finish(database)
    for now in (NOW, NOW + DAY - 1):
        assert find(database, now) == Replay(200, b"answer")
        assert begin(database, now) == Replay(200, b"answer")
    assert find(database, NOW + DAY) is None
    assert begin(database, NOW + DAY) is None


def test_a_second_request_meanwhile_is_a_conflict(database):
    """The key of a holder that crashed is free after a minute."""
    begin(database)
    with pytest.raises(RequestConflict):
        begin(database, NOW + 59)
    assert begin(database, NOW + 60) is None
    with pytest.raises(RequestConflict):
        begin(database, NOW + 61)


@pytest.mark.parametrize("is_done", [True, False])
def test_the_same_key_with_another_body_is_refused(database, is_done):
    begin(database)
    if is_done:
        finish(database)
    with pytest.raises(IdempotencyMismatch):
        find(database, digest="other")
    with pytest.raises(IdempotencyMismatch):
        begin(database, NOW + 3600, digest="other")


def test_after_24_hours_the_key_may_carry_another_body(database):
    begin(database)
    finish(database)
    assert begin(database, NOW + DAY, digest="other") is None
    finish(database, b"another")
    assert find(database, NOW + DAY, digest="other") == Replay(200, b"another")


@pytest.mark.parametrize("is_done", [True, False])
def test_a_released_key_may_be_tried_again_at_once(database, is_done):
    """Unless it has an answer."""
    begin(database)
    if is_done:
        finish(database)
    with database.writing() as db:
        idempotency.release(db, "me", "key")
    assert begin(database) == (Replay(200, b"answer") if is_done else None)


def test_of_many_at_once_exactly_one_holds_the_key(database):
    locks = []

    def take() -> None:
        try:
            locks.append(begin(database))
        except RequestConflict:
            locks.append("conflict")

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, locks)) == ["None"] + ["conflict"] * 7


def test_entries_older_than_24_hours_are_deleted(database):
    begin(database)
    begin(database, NOW + 10, caller="you")
    with database.writing() as db:
        assert idempotency.prune(db, NOW + DAY) == 1
        assert idempotency.prune(db, NOW + DAY) == 0
