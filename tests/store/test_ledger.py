"""The ledger in the database: without a gap, sealed by the day, and kept by the database itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.config import SettingsError
from service.ledger import proofs
from service.ledger.chain import ChainEntry, LedgerRow
from service.ledger.roots import Root, public_key
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR
from service.store import ledger
from service.store.database import Database

KEY = bytes(range(32))
MIDNIGHT = int(datetime(2026, 11, 21, tzinfo=UTC).timestamp())
NOON = MIDNIGHT + 12 * HOUR


def rows(count: int, kind: str = "votes", subject: str = "daily-btc-up-20261121") -> list[LedgerRow]:
    return [LedgerRow(kind, subject, {"p": 0.1 + 0.2, "n": n, "note": "día"}, False) for n in range(count)]


def append(database: Database, count: int, at: int = NOON, **options) -> tuple[ChainEntry, ...]:
    with database.writing() as db:
        return ledger.append(db, rows(count, **options), at)


def seal(database: Database, day: str, key: bytes = KEY) -> Root | None:
    with database.writing() as db:
        return ledger.seal(db, day, key, MIDNIGHT + DAY + 300)


def verdict(database: Database):
    with database.reading() as db:
        return verify(ledger.export(db))


@pytest.fixture(params=["sqlite", "postgresql"])
def chain_db(request, tmp_path: Path) -> Iterator[Database]:
    """A database made by the migrations alone, with one sealed row."""
    url = f"sqlite:///{tmp_path}/new.sqlite"
    if request.param == "postgresql":
        url = request.getfixturevalue("empty_postgresql")
    with closing(Database(url)) as database:
        database.migrate()
        append(database, 1)
        seal(database, "2026-11-21")
        yield database


def test_rows_are_numbered_from_one_and_read_back_unchanged(database):
    entries = append(database, 3) + append(database, 0) + append(database, 2)
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5]
    assert entries[0].recorded_at == "2026-11-21T12:00:00Z"
    with database.reading() as db:
        assert tuple(ledger.entries(db, 1, 99)) == entries
        assert ledger.head(db) == ledger.find_entry(db, 5) == entries[-1]
        assert ledger.find_entry(db, 6) is None
    assert verdict(database).rows == 5


def test_an_empty_ledger_has_no_head_no_root_and_nothing_to_seal(database):
    assert seal(database, "2026-11-21") is None
    with database.reading() as db:
        assert (ledger.head(db), ledger.last_root(db), ledger.count_roots(db)) == (None, None, 0)
        assert list(ledger.export(db)) == []


def test_a_failed_transaction_leaves_no_row_and_no_gap(database):
    """A body that is not JSON refuses the whole batch."""
    append(database, 1)
    with suppress(RuntimeError), database.writing() as db:
        ledger.append(db, rows(2), NOON)
        raise RuntimeError
    with pytest.raises(ValueError), database.writing() as db:
        ledger.append(db, [*rows(1), LedgerRow("score", "x", {"p": float("nan")}, False)], NOON)
    assert append(database, 1)[0].seq == 2


def test_a_late_row_is_recorded_at_the_instant_of_the_row_before_it(database):
    append(database, 1, NOON)
    (entry,) = append(database, 1, NOON - HOUR)
    assert entry.recorded_at == "2026-11-21T12:00:00Z"
    assert verdict(database).fault is None


def test_rows_are_found_by_kind_and_by_subject_a_page_at_a_time(database):
    append(database, 3)
    append(database, 2, kind="odds")
    append(database, 2, kind="odds", subject="another")
    with database.reading() as db:

        def seqs(since: int, limit: int, **filters: str) -> list[int]:
            return [entry.seq for entry in ledger.entries(db, since, limit, **filters)]

        assert seqs(1, 2) == [1, 2]
        assert seqs(3, 99) == [3, 4, 5, 6, 7]
        assert seqs(1, 99, kind="odds") == [4, 5, 6, 7]
        assert seqs(1, 99, subject="another") == [6, 7]
        assert seqs(5, 99, kind="odds", subject="daily-btc-up-20261121") == [5]


@pytest.mark.slow
def test_processes_that_write_at_once_make_one_chain(database, database_url, race):
    assert race("append-rows", database_url, 4) == [60] * 4
    verification = verdict(database)
    assert (verification.rows, verification.fault) == (240, None)
    with database.reading() as db:
        subjects = [entry.subject for entry in ledger.entries(db, 1, 999)]
    assert all(len(set(subjects[at : at + 3])) == 1 for at in range(0, 240, 3))


def test_a_day_is_sealed_once_with_everything_that_was_not_sealed(database):
    append(database, 3)
    append(database, 2, NOON + DAY)
    first = seal(database, "2026-11-21")
    assert (first.first_seq, first.last_seq, first.previous, first.key) == (1, 3, "", public_key(KEY))
    assert first.signed_at == "2026-11-22T00:05:00Z"
    assert seal(database, "2026-11-21") is None
    append(database, 4, NOON + 2 * DAY)
    second = seal(database, "2026-11-23")
    assert (second.day, second.first_seq, second.last_seq, second.previous) == ("2026-11-23", 4, 9, first.root)
    assert (verdict(database).sealed, verdict(database).fault) == (9, None)
    with database.reading() as db:
        assert [ledger.sealed_by(db, seq) for seq in (1, 3, 4, 9)] == [first, first, second, second]
        assert ledger.daily_roots(db, "2026-11-21", 9) == [first, second]
        assert ledger.daily_roots(db, "2026-11-22", 9) == [second]
        assert ledger.last_root(db) == second


def test_a_row_belongs_to_the_day_until_the_second_of_midnight(database):
    """One that comes after the seal of its day is sealed with the next."""
    append(database, 1, MIDNIGHT + DAY - 1)
    append(database, 1, MIDNIGHT + DAY)
    assert seal(database, "2026-11-21").last_seq == 1
    assert seal(database, "2026-11-22").last_seq == 2
    append(database, 1, MIDNIGHT + DAY)
    assert seal(database, "2026-11-22") is None
    assert seal(database, "2026-11-23").first_seq == 3


def test_another_key_is_refused_before_it_spoils_the_ledger(database):
    append(database, 1)
    seal(database, "2026-11-21")
    append(database, 1, NOON + DAY)
    with pytest.raises(SettingsError, match="signed by another key"):
        seal(database, "2026-11-22", bytes(32))
    assert seal(database, "2026-11-22").key == public_key(KEY)


def test_every_sealed_row_has_a_proof_that_holds(database):
    append(database, 5)
    seal(database, "2026-11-21")
    append(database, 6, NOON + DAY)
    seal(database, "2026-11-22")
    with database.reading() as db:
        for entry in ledger.entries(db, 1, 99):
            proof = ledger.proof(db, entry, ledger.sealed_by(db, entry.seq))
            assert proofs.fault(proof, entry.seq, public_key(KEY)) is None


CHANGES = ["UPDATE ledger SET body = '{}'", "UPDATE ledger_root SET root = ''", "DELETE FROM ledger"]
CHANGES += ["DELETE FROM ledger_root"]
ON_SQLITE = [f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}" for table in ("ledger", "ledger_root")]
ON_POSTGRESQL = ["TRUNCATE ledger", "TRUNCATE ledger_root", "TRUNCATE ledger, ledger_root"]


def test_the_database_itself_refuses_to_change_or_delete_a_row(chain_db):
    before = verdict(chain_db)
    for change in CHANGES + (ON_SQLITE if chain_db.dialect == "sqlite" else ON_POSTGRESQL):
        with pytest.raises(DBAPIError, match="append-only"), chain_db.writing() as db:
            db.execute(text(change))
    assert verdict(chain_db) == before


def test_a_shell_beside_the_service_cannot_replace_a_row_either(sqlite_url):
    """SQLite's own recursive_triggers is off, and then a REPLACE deletes without a DELETE."""
    with closing(Database(sqlite_url)) as database:
        append(database, 1)
        seal(database, "2026-11-21")
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as shell:
        for change in ON_SQLITE:
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                shell.execute(change)
