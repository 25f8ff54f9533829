"""A restored backup goes on with the ledger of the database before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from service.errors import InvalidRequest
from service.ledger.chain import LedgerRow
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, WorldClock, iso
from service.store import events, ledger, predictions, webhooks, world
from service.store.database import Database, opened
from service.store.rewinding import rewind
from service.store.tables import api_key, webhook
from service.store.tables import world as world_rows
from tests.ledger import books
from tests.receiver import endpoint

NOW = 1_795_255_200  # 2026-11-21T10:00:00Z
ROWS = 5
NOTE = "The clock was ahead."


def row(number: int) -> LedgerRow:
    return LedgerRow("lane_trade", f"lane-{number}", {"kind": "sleep"}, backfilled=False)


def record(database: Database, subjects: range, at: int, sealed: str = "") -> None:
    """Record rows, and sign the root of a day."""
    with database.writing() as db:
        ledger.append(db, map(row, subjects), at)
        if sealed:
            ledger.seal(db, sealed, books.SEED, at)


def begin(database: Database) -> Database:
    """A database as it was when the backup was made."""
    clock = WorldClock("simulated", world_origin=0, wall_origin=0, speed=1.0)
    with database.writing() as db:
        world.claim(db, fingerprint="abc", step=HOUR, history_from=0, clock=clock, wall=NOW)
    record(database, range(ROWS), NOW - DAY, sealed="2026-11-20")
    return database


@pytest.fixture
def restored(database: Database) -> Database:
    """What was made from the backup, on SQLite and on PostgreSQL."""
    return begin(database)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Where the abandoned database is."""
    return f"sqlite:///{tmp_path}/before"


@pytest.fixture
def abandoned(url: str) -> Iterator[Database]:
    """A database whose clock was three days ahead after the backup."""
    with closing(begin(opened(url))) as database:
        record(database, range(ROWS, 2 * ROWS), NOW + 3 * DAY, sealed="2026-11-24")
        yield database


def test_rows_are_taken_over_and_corrected(restored: Database, abandoned: Database, url: str):
    """The ledger has what was published, says that it does not count, and goes on at the right time."""
    result = rewind(restored, url, NOTE, NOW)
    assert (result.rows, result.roots, result.corrected, result.verification.fault) == (ROWS, 1, ROWS, None)
    record(restored, range(ROWS, ROWS + 1), NOW + 60)
    with restored.reading() as db, abandoned.reading() as old:
        assert ledger.entries(db, 1, 2 * ROWS) == ledger.entries(old, 1, 99)
        *taken_back, last = ledger.entries(db, 2 * ROWS + 1, 99)
        assert [entry.body["corrects"] for entry in taken_back] == [*range(2 * ROWS, ROWS, -1)]
        assert {entry.recorded_at for entry in taken_back} == {iso(NOW)}
        assert (last.subject, last.recorded_at) == (f"lane-{ROWS}", iso(NOW + 60))
        assert verify(ledger.export(db)).rewinds == 1
        assert [ledger.stands(db, f"lane-{number}") for number in (0, ROWS, ROWS + 1)] == [True, True, False]


def test_rows_taken_back_are_not_events(restored: Database, abandoned: Database, url: str):
    rewind(restored, url, NOTE, NOW)
    with restored.reading() as db:
        assert ledger.taken_back(db, 0) == set(range(ROWS + 1, 2 * ROWS + 1))
        assert ledger.taken_back(db, ledger.last_seq(db)) == set()
        page = events.after(db, ROWS, "simulated", None)
    assert (page.events, page.last) == ((), 3 * ROWS)


def test_days_are_sealed_again_once_they_come(restored: Database, abandoned: Database, url: str):
    """A root of the days that were signed ahead stands; the next one seals the corrections and what follows."""
    rewind(restored, url, NOTE, NOW)
    record(restored, range(ROWS), NOW + 60, sealed="2026-11-21")
    with restored.writing() as db:
        root = ledger.last_root(db)
        assert root
        assert root.day == "2026-11-24"
        ledger.seal(db, "2026-11-25", books.SEED, NOW + 5 * DAY)
        verification = verify(ledger.export(db))
    assert (verification.fault, verification.sealed) == (None, verification.rows)


def test_rows_ahead_of_time_are_sealed_with_those_after(restored: Database, abandoned: Database, url: str):
    """A root leaves no row out, although those ahead of time have a later instant than the day it seals."""
    record(abandoned, range(3), NOW + 9 * DAY)
    rewind(restored, url, NOTE, NOW)
    with restored.writing() as db:
        ledger.seal(db, "2026-11-25", books.SEED, NOW + 5 * DAY)
        verification = verify(ledger.export(db))
    assert (verification.fault, verification.sealed) == (None, verification.rows)


def test_webhooks_go_on_where_they_were(restored: Database, url: str, abandoned: Database):
    """One that was behind gets what stands, one that the abandoned database does not have goes on at the end."""
    behind, gone = (endpoint(restored, f"https://example.com/{name}", NOW) for name in ("behind", "gone"))
    with restored.reading() as db, abandoned.writing() as old:
        for table, id in ((api_key, behind.key), (webhook, behind.id)):
            row = db.execute(select(table).where(table.c.id == id)).one()
            old.execute(insert(table).values(row._asdict()))
        old.execute(update(webhook).values(cursor=2, attempts=7, failing_since=NOW - 2 * DAY))
    rewind(restored, url, NOTE, NOW)
    with restored.reading() as db:
        after = [webhooks.find(db, row.key, row.id) for row in (behind, gone)]
        assert [row and row.cursor for row in after] == [2, ledger.last_seq(db)]
        assert [row and (row.attempts, row.failing_since) for row in after] == [(0, None)] * 2


def test_numbers_of_challenges_are_not_used_again(restored: Database, abandoned: Database, url: str):
    with abandoned.writing() as db:
        ledger.append(db, [LedgerRow("question", "challenge-1", {}, backfilled=False)], NOW)
    rewind(restored, url, NOTE, NOW)
    with restored.reading() as db:
        assert predictions.next_number(db) == 2


def test_a_second_rewind_needs_more_rows(restored: Database, abandoned: Database, url: str):
    rewind(restored, url, NOTE, NOW)
    with pytest.raises(InvalidRequest, match="does not have row"):
        rewind(restored, url, NOTE, NOW)


def test_a_database_that_went_on_alone_is_refused(restored: Database, abandoned: Database, url: str):
    record(restored, range(1), NOW)
    with pytest.raises(InvalidRequest, match="restore the backup again"):
        rewind(restored, url, NOTE, NOW)
    with restored.reading() as db:
        assert ledger.last_seq(db) == ROWS + 1


def test_a_clock_that_is_behind_the_backup_is_refused(restored: Database, abandoned: Database, url: str):
    """The backup is from after the jump, or the clock is not right yet."""
    with pytest.raises(InvalidRequest, match="set the clock right"):
        rewind(restored, url, NOTE, NOW - 2 * DAY)


def test_a_database_without_more_rows_is_refused(restored: Database, url: str):
    begin(opened(url)).close()
    with pytest.raises(InvalidRequest, match="nothing to take back"):
        rewind(restored, url, NOTE, NOW)


def test_another_world_is_refused(restored: Database, abandoned: Database, url: str):
    with abandoned.writing() as db:
        db.execute(update(world_rows).values(fingerprint="other"))
    with pytest.raises(InvalidRequest, match="another world"):
        rewind(restored, url, NOTE, NOW)


@pytest.mark.parametrize(
    ("content", "complaint"), [(b"", "not a database"), (b"no database at all" * 99, "cannot be read")]
)
def test_another_file_is_refused(restored: Database, tmp_path: Path, content: bytes, complaint: str):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(InvalidRequest, match=complaint):
        rewind(restored, f"sqlite:///{tmp_path}/other", NOTE, NOW)


def test_a_changed_ledger_is_refused(restored: Database, abandoned: Database, url: str):
    """Nothing is taken over then."""
    with abandoned.writing() as db:
        db.exec_driver_sql("DROP TRIGGER ledger_update")
        db.exec_driver_sql(f"UPDATE ledger SET subject = 'other' WHERE seq = {ROWS + 2}")
    with pytest.raises(InvalidRequest, match=f"Row {ROWS + 2} was changed"):
        rewind(restored, url, NOTE, NOW)
    with restored.reading() as db:
        assert ledger.last_seq(db) == ROWS
