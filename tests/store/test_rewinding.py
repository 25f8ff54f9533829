"""A restored backup goes on with the ledger of the database before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.errors import InvalidRequest
from service.ledger.chain import LedgerRow
from service.ledger.verifier import verify
from service.market.instants import DAY, iso
from service.store import ledger, webhooks
from service.store.backup import backup
from service.store.database import Database, opened
from service.store.rewinding import rewind
from tests.ledger import books
from tests.receiver import endpoint

NOW = 1_795_255_200  # 2026-11-21T10:00:00Z
ROWS = 5


def row(number: int) -> LedgerRow:
    return LedgerRow("votes", f"daily-btc-up-{number}", {"p": 0.5}, backfilled=False)


def record(database: Database, subjects: range, at: int, sealed: str = "") -> None:
    """Record rows, and sign the root of a day."""
    with database.writing() as db:
        ledger.append(db, map(row, subjects), at)
        if sealed:
            ledger.seal(db, sealed, books.SEED, at)


@pytest.fixture
def before(tmp_path: Path) -> Iterator[Database]:
    """A database whose clock was three days ahead after a backup."""
    with closing(opened(f"sqlite:///{tmp_path}/before")) as database:
        record(database, range(ROWS), NOW - DAY, sealed="2026-11-20")
        backup(database, tmp_path / "restored")
        record(database, range(ROWS, 2 * ROWS), NOW + 3 * DAY, sealed="2026-11-24")
        yield database


@pytest.fixture
def restored(before: Database, tmp_path: Path) -> Iterator[Database]:
    with closing(opened(f"sqlite:///{tmp_path}/restored")) as database:
        yield database


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Where the database before is."""
    return f"sqlite:///{tmp_path}/before"


def test_rows_are_taken_over_and_corrected(restored: Database, url: str):
    """The ledger has what was published, says that it does not count, and goes on at the right time."""
    done = rewind(restored, url, "The clock was ahead.", NOW)
    assert (done.rows, done.roots, done.corrected, done.verification.fault) == (ROWS, 1, ROWS, None)
    record(restored, range(ROWS, ROWS + 1), NOW + 60)
    with restored.reading() as db, closing(Database(url)) as other, other.reading() as old:
        assert ledger.entries(db, 1, 2 * ROWS) == ledger.entries(old, 1, 99)
        *taken_back, last = ledger.entries(db, 2 * ROWS + 1, 99)
        assert [entry.body["corrects"] for entry in taken_back] == [*range(2 * ROWS, ROWS, -1)]
        assert {entry.recorded_at for entry in taken_back} == {iso(NOW)}
        assert (last.subject, last.recorded_at) == (f"daily-btc-up-{ROWS}", iso(NOW + 60))
        assert verify(ledger.export(db)).rewinds == 1
        assert [ledger.stands(db, f"daily-btc-up-{number}") for number in (0, ROWS, ROWS + 1)] == [True, True, False]


def test_days_are_sealed_again_once_they_come(restored: Database, url: str):
    """A root of the days that were signed ahead stands; the next one seals the corrections and what follows."""
    rewind(restored, url, "The clock was ahead.", NOW)
    record(restored, range(ROWS), NOW + 60, sealed="2026-11-21")
    with restored.writing() as db:
        assert ledger.last_root(db).day == "2026-11-24"
        ledger.seal(db, "2026-11-25", books.SEED, NOW + 5 * DAY)
        verification = verify(ledger.export(db))
    assert (verification.fault, verification.sealed) == (None, verification.rows)


def test_rows_ahead_of_time_are_sealed_with_those_after(restored: Database, url: str, before: Database):
    """A root leaves no row out, although those ahead of time have a later instant than the day it seals."""
    record(before, range(3), NOW + 9 * DAY)
    rewind(restored, url, "The clock was ahead.", NOW)
    with restored.writing() as db:
        ledger.seal(db, "2026-11-25", books.SEED, NOW + 5 * DAY)
        verification = verify(ledger.export(db))
    assert (verification.fault, verification.sealed) == (None, verification.rows)


def test_webhooks_go_on_after_the_corrections(restored: Database, url: str):
    row = endpoint(restored, "https://example.com/", NOW)
    rewind(restored, url, "The clock was ahead.", NOW)
    with restored.reading() as db:
        after = webhooks.find(db, row.key, row.id)
        assert (row.cursor, after and after.cursor) == (ROWS, ledger.last_seq(db))


def test_a_database_that_went_on_alone_is_refused(restored: Database, url: str):
    record(restored, range(1), NOW)
    with pytest.raises(InvalidRequest, match="before the service starts"):
        rewind(restored, url, "The clock was ahead.", NOW)
    with restored.reading() as db:
        assert ledger.last_seq(db) == ROWS + 1


@pytest.mark.parametrize(("other", "complaint"), [("restored", "nothing to take back"), ("absent", "no database")])
def test_a_database_without_more_rows_is_refused(restored: Database, tmp_path: Path, other: str, complaint: str):
    with pytest.raises(InvalidRequest, match=complaint):
        rewind(restored, f"sqlite:///{tmp_path}/{other}", "The clock was ahead.", NOW)


def test_a_changed_ledger_is_refused(restored: Database, before: Database, url: str):
    with before.writing() as db:
        db.exec_driver_sql("DROP TRIGGER ledger_update")
        db.exec_driver_sql(f"UPDATE ledger SET subject = 'other' WHERE seq = {ROWS + 2}")
    with pytest.raises(InvalidRequest, match=f"Row {ROWS + 2} was changed"):
        rewind(restored, url, "The clock was ahead.", NOW)
    with restored.reading() as db:
        assert ledger.last_seq(db) == ROWS
