"""Keys of requests that may be sent again: one holder at a time, and its answer for a day."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection

from service.errors import IdempotencyMismatch, RequestConflict
from service.market.instants import DAY
from service.store import idempotency
from service.store.idempotency import Replay

NOW = 1_700_000_000


def begin(db: Connection, now: int = NOW, digest: str = "body", caller: str = "me") -> Replay | None:
    return idempotency.begin(db, caller, "key", digest, now)


def find(db: Connection, now: int = NOW, digest: str = "body") -> Replay | None:
    return idempotency.find_replay(db, "me", "key", digest, now)


def finish(db: Connection, body: bytes = b"answer") -> None:
    idempotency.finish(db, "me", "key", 200, body)


def test_a_new_key_is_ours_and_nothing_is_found_under_it(db):
    """Callers do not share their keys."""
    assert (find(db), begin(db), find(db), begin(db, caller="you")) == (None,) * 4


@pytest.mark.parametrize("digest", ["body", "another"])
def test_a_retry_gets_the_first_answer_for_24_hours(db, digest: str):
    """Then the key is free, also for another body."""
    begin(db)
    finish(db)
    for now in (NOW, NOW + DAY - 1):
        assert find(db, now) == begin(db, now) == Replay(200, b"answer")
    assert find(db, NOW + DAY) is None
    assert begin(db, NOW + DAY, digest) is None
    finish(db, b"another")
    assert find(db, NOW + DAY, digest) == Replay(200, b"another")


def test_a_second_request_meanwhile_is_a_conflict(db):
    """The key of a holder that crashed is free after a minute."""
    begin(db)
    with pytest.raises(RequestConflict):
        begin(db, NOW + 59)
    assert begin(db, NOW + 60) is None
    with pytest.raises(RequestConflict):
        begin(db, NOW + 61)


@pytest.fixture(params=[True, False], ids=["answered", "running"])
def is_answered(request, db) -> bool:
    """Whether the request of the key has an answer."""
    begin(db)
    if request.param:
        finish(db)
    return request.param


def test_the_same_key_with_another_body_is_refused(db, is_answered: bool):
    for use in (find, begin):
        with pytest.raises(IdempotencyMismatch):
            use(db, NOW + 3600, digest="another")


def test_a_released_key_may_be_tried_again_at_once(db, is_answered: bool):
    """Unless it has an answer."""
    idempotency.release(db, "me", "key")
    assert begin(db) == (Replay(200, b"answer") if is_answered else None)


def test_of_many_at_once_exactly_one_holds_the_key(database):
    def replay(_number: int) -> Replay | str | None:
        try:
            with database.writing() as db:
                return begin(db)
        except RequestConflict:
            return "conflict"

    with ThreadPoolExecutor(8) as threads:
        assert sorted(map(str, threads.map(replay, range(8)))) == ["None"] + ["conflict"] * 7


def test_entries_older_than_24_hours_are_deleted(db):
    begin(db)
    begin(db, NOW + 10, caller="you")
    assert idempotency.prune(db, NOW + DAY) == 1
    assert idempotency.prune(db, NOW + DAY) == 0
