"""Keys as rows: issued, found, rotated, retired, revoked, and never stored in the clear."""

from __future__ import annotations

import dataclasses

import pytest

from service.access.keys import key_id, matches
from service.errors import InvalidKey
from service.store import keys
from service.store.database import Database
from service.store.keys import KeyRow

SECRET = b"service secret"
NOW = 1_800_000_000
EMAIL = "you@example.com"


def register(database: Database, now: float = NOW, email: str = EMAIL, **options) -> tuple[str, KeyRow]:
    with database.writing() as db:
        return keys.register_key(db, SECRET, email, now, **options)


def find(database: Database, id: str) -> KeyRow | None:
    with database.reading() as db:
        return keys.find_key(db, id)


def use(database: Database, id: str, now: float) -> None:
    with database.writing() as db:
        keys.touch_key(db, id, now)


def test_a_registered_key_is_found_by_its_id_and_matches_its_hash(database):
    key, row = register(database, app_name="dashboard")
    assert find(database, key_id(key)) == row
    assert matches(key, row.hash, SECRET)
    assert (row.email, row.app_name, row.plan, row.delegating) == (EMAIL, "dashboard", "free", False)
    assert (row.created_at, row.last_used_at, row.revoked_at) == (NOW, None, None)


def test_a_row_shown_in_a_log_does_not_show_its_hash(database):
    _, row = register(database)
    assert row.hash not in repr(row)


def test_an_id_that_is_taken_is_not_given_out_again(database, monkeypatch):
    """Thirty-two bits of id do collide; the second key must neither fail nor replace the first."""
    random = iter([b"same", b"a" * 32, b"same", b"b" * 32, b"next", b"c" * 32])
    monkeypatch.setattr(keys.secrets, "token_bytes", lambda _: next(random))
    first, second = register(database)[1], register(database)[1]
    assert (first.id, second.id) == (b"same".hex(), b"next".hex())
    assert find(database, first.id) == first


def test_use_is_noted_at_most_once_a_minute(database):
    id = register(database)[1].id
    for after, expected in ((5, 5), (64, 5), (65, 65), (66, 65)):
        use(database, id, NOW + after)
        assert find(database, id).last_used_at == NOW + expected


def test_a_rotated_key_keeps_its_row_and_the_old_key_matches_no_more(database):
    old, row = register(database, app_name="dashboard", plan="paid")
    with database.writing() as db:
        new, row_after = keys.rotate_key(db, SECRET, row)
        with pytest.raises(InvalidKey):  # another rotation of the same key at the same time
            keys.rotate_key(db, SECRET, row)
    assert find(database, row.id) == row_after == dataclasses.replace(row, hash=row_after.hash)
    assert matches(new, row_after.hash, SECRET)
    assert not matches(old, row_after.hash, SECRET)


def test_a_revoked_key_stays_revoked(database):
    row = register(database)[1]
    id = row.id
    with database.writing() as db:
        assert keys.revoke_key(db, id, NOW + 9).revoked_at == NOW + 9
    assert find(database, id) is None
    for change in (lambda db: keys.rotate_key(db, SECRET, row), lambda db: keys.grant_plan(db, id, "paid")):
        with pytest.raises(InvalidKey), database.writing() as db:
            change(db)


def test_keys_are_listed_oldest_first_with_the_revoked_ones(database):
    ids = [register(database, NOW + second, f"{second}@example.com")[1].id for second in (2, 1, 3)]
    with database.writing() as db:
        keys.revoke_key(db, ids[0], NOW)
    with database.reading() as db:
        assert [row.id for row in keys.listed_keys(db)] == [ids[1], ids[0], ids[2]]
        assert [row.id for row in keys.listed_keys(db, "3@example.com")] == [ids[2]]
