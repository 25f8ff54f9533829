"""The ledger in the database: without a gap, sealed by the day, and kept by the database itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from service.config import SettingsError
from service.ledger import proofs
from service.ledger.chain import ChainEntry, LedgerRow
from service.ledger.roots import Root, public_key
from service.ledger.verifier import Verification, verify
from service.market.instants import DAY, HOUR
from service.store import ledger
from service.store.database import Database

KEY = bytes(range(32))
MIDNIGHT = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp())
NOON = MIDNIGHT + 12 * HOUR
CHANGES = ["UPDATE ledger SET body = '{}'", "UPDATE ledger_root SET root = ''", "DELETE FROM ledger"]
CHANGES += ["DELETE FROM ledger_root"]
ON_SQLITE = [f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}" for table in ("ledger", "ledger_root")]
ON_POSTGRESQL = ["TRUNCATE ledger", "TRUNCATE ledger_root", "TRUNCATE ledger, ledger_root"]


def rows(count: int, kind: str = "votes", subject: str = "daily-btc-up-20261121") -> list[LedgerRow]:
    return [LedgerRow(kind, subject, {"p": 0.1 + 0.2, "n": n, "note": "día"}, False) for n in range(count)]


def append(db: Connection, count: int, at: int = NOON, **options) -> tuple[ChainEntry, ...]:
    return ledger.append(db, rows(count, **options), at)


def seal(db: Connection, day: str, key: bytes = KEY) -> Root | None:
    return ledger.seal(db, day, key, MIDNIGHT + DAY + 300)


def verdict(db: Connection) -> Verification:
    return verify(ledger.export(db))


def test_rows_are_numbered_from_one_and_read_back_unchanged(db):
    entries = append(db, 3) + append(db, 0) + append(db, 2)
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[0].recorded_at == "2026-11-21T12:00:00Z"
    assert tuple(ledger.entries(db, 1, 99)) == entries
    assert ledger.head(db) == ledger.find_entry(db, 5) == entries[-1]
    assert ledger.find_entry(db, 6) is None
    assert verdict(db).rows == 5


def test_an_empty_ledger_has_no_head_no_root_and_nothing_to_seal(db):
    assert seal(db, "2026-11-21") is None
    assert (ledger.head(db), ledger.last_root(db), ledger.count_roots(db)) == (None, None, 0)
    assert list(ledger.export(db)) == []


def test_a_failed_transaction_leaves_no_row_and_no_gap(db):
    """A body that is not JSON refuses the whole batch."""
    append(db, 1)
    with suppress(RuntimeError), db.begin_nested():
        append(db, 2)
        raise RuntimeError
    with pytest.raises(ValueError), db.begin_nested():
        ledger.append(db, [*rows(1), LedgerRow("score", "x", {"p": float("nan")}, False)], NOON)
    assert append(db, 1)[0].seq == 2


def test_a_late_row_is_recorded_at_the_instant_of_the_row_before_it(db):
    append(db, 1, NOON)
    (entry,) = append(db, 1, NOON - HOUR)
    assert entry.recorded_at == "2026-11-21T12:00:00Z"
    assert verdict(db).fault is None


def test_rows_are_found_by_kind_and_by_subject_a_page_at_a_time(db):
    append(db, 3)
    append(db, 2, kind="odds")
    append(db, 2, kind="odds", subject="another")

    def seqs(since: int, limit: int, **filters: str) -> list[int]:
        return [entry.seq for entry in ledger.entries(db, since, limit, **filters)]

    assert seqs(1, 2) == [1, 2]
    assert seqs(3, 99) == [3, 4, 5, 6, 7]
    assert seqs(1, 99, kind="odds") == [4, 5, 6, 7]
    assert seqs(1, 99, subject="another") == [6, 7]
    assert seqs(5, 99, kind="odds", subject="daily-btc-up-20261121") == [5]


@pytest.mark.slow
def test_processes_that_write_at_once_make_one_chain(database, database_url, race):
    assert race("append_rows", database_url, 4) == [60] * 4
    with database.reading() as db:
        assert (verdict(db).rows, verdict(db).fault) == (240, None)
        subjects = [entry.subject for entry in ledger.entries(db, 1, 999)]
    assert all(len(set(subjects[at : at + 3])) == 1 for at in range(0, 240, 3))


def test_a_day_is_sealed_once_with_everything_that_was_not_sealed(db):
    """Each of its rows has a proof that holds."""
    append(db, 3)
    append(db, 2, NOON + DAY)
    first = seal(db, "2026-11-21")
    assert (first.first_seq, first.last_seq, first.previous, first.key) == (1, 3, "", public_key(KEY))
    assert first.signed_at == "2026-11-22T00:05:00Z"
    assert seal(db, "2026-11-21") is None
    append(db, 4, NOON + 2 * DAY)
    second = seal(db, "2026-11-23")
    assert (second.day, second.first_seq, second.last_seq, second.previous) == ("2026-11-23", 4, 9, first.root)
    assert (verdict(db).sealed, verdict(db).fault) == (9, None)
    for entry in ledger.entries(db, 1, 99):
        root = ledger.sealed_by(db, entry.seq)
        assert root == (first if entry.seq <= 3 else second)
        assert proofs.fault(ledger.proof(db, entry, root), entry.seq, public_key(KEY)) is None
    assert ledger.daily_roots(db, "2026-11-21", 9) == [first, second]
    assert ledger.daily_roots(db, "2026-11-22", 9) == [second]
    assert ledger.last_root(db) == second


def test_a_row_belongs_to_the_day_until_the_second_of_midnight(db):
    """One that comes after the seal of its day is sealed with the next."""
    append(db, 1, MIDNIGHT + DAY - 1)
    append(db, 1, MIDNIGHT + DAY)
    assert seal(db, "2026-11-21").last_seq == 1
    assert seal(db, "2026-11-22").last_seq == 2
    append(db, 1, MIDNIGHT + DAY)
    assert seal(db, "2026-11-22") is None
    assert seal(db, "2026-11-23").first_seq == 3


def test_another_key_is_refused_before_it_spoils_the_ledger(db):
    append(db, 1)
    seal(db, "2026-11-21")
    append(db, 1, NOON + DAY)
    with pytest.raises(SettingsError, match="signed by another key"):
        seal(db, "2026-11-22", bytes(32))
    assert seal(db, "2026-11-22").key == public_key(KEY)


def test_the_database_itself_refuses_to_change_or_delete_a_row(empty_url: str):
    """As the migrations alone have made it."""
    with closing(Database(empty_url)) as database:
        database.migrate()
        with database.writing() as db:
            append(db, 1)
            seal(db, "2026-11-21")
            before = verdict(db)
        for change in CHANGES + (ON_SQLITE if database.dialect == "sqlite" else ON_POSTGRESQL):
            with pytest.raises(DBAPIError, match="append-only"), database.writing() as db:
                db.execute(text(change))
        with database.reading() as db:
            assert verdict(db) == before


def test_a_shell_beside_the_service_cannot_replace_a_row_either(sqlite_url):
    """SQLite's own recursive_triggers is off, and then a REPLACE deletes without a DELETE."""
    with closing(Database(sqlite_url)) as database, database.writing() as db:
        append(db, 1)
        seal(db, "2026-11-21")
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as shell:
        for change in ON_SQLITE:
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                shell.execute(change)
