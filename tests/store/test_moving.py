"""A service on SQLite goes on over PostgreSQL: the same rows, ledger and keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.config import Settings
from service.ledger.chain import LedgerRow
from service.market.bars import from_rows
from service.market.instants import WorldClock
from service.notifications.events import Attempt, Message
from service.operator.__main__ import main
from service.store import bars, ledger, notifications, world
from service.store.database import Database
from service.store.secret import KeySecrets, key_secret
from service.store.tables import metadata
from tests.api.web import NOON, Web

Operate = Callable[..., tuple[int, str, str]]


@pytest.fixture
def operate(sqlite_url: str, tmp_path: Path, monkeypatch, capsys) -> Operate:
    """Run a command over the SQLite database."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("DATA_DIR", str(tmp_path))
        monkeypatch.setenv("DATABASE_URL", sqlite_url)
        code = main(words)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def web(sqlite_url: str, tmp_path: Path) -> Web:
    settings = Settings(data_dir=tmp_path)
    return Web(Database(sqlite_url), settings, secret=key_secret(settings))


def counts(database: Database) -> dict[str, int]:
    with database.reading() as db:
        return {table.name: db.scalar(select(func.count()).select_from(table)) for table in metadata.sorted_tables}


def test_a_moved_service_has_the_same_rows_ledger_and_keys(operate: Operate, web: Web, empty_postgresql: str):
    """A key still works, the ledger and its root are the same, and new rows are numbered after the copied ones."""
    key = web.granted(plan="paid")
    with web.database.writing() as db:
        world.claim_world(db, fingerprint="abc", step=300, history_from=0, clock=WorldClock("simulated"), wall=NOON)
        ledger.append(db, [LedgerRow("apex", "btc", {"p": 0.1 + 0.2, "n": n}, n < 2) for n in range(5)], NOON)
        ledger.seal(db, "2026-11-21", b"a seed of thirty-two bytes......", NOON)
        bars.add_bars(db, "btc", from_rows([(NOON, 1.1, 1.3, 1e-9, 1.2, 0.0)], 300))
        hook = notifications.add_webhook(db, key.split("_")[2], "https://example.com/", ["odds"], [], 0, NOON)
        notifications.record_attempt(db, hook.id, attempt("one"))
        exported = list(ledger.export(db))
    code, printed, complaint = operate("move", empty_postgresql.replace("+psycopg", ""), "--json")
    assert code == 0, complaint
    moved = Database(empty_postgresql)
    assert counts(moved) == counts(web.database) == {row["table"]: row["rows"] for row in json.loads(printed)["tables"]}
    with moved.writing() as db:
        assert list(ledger.export(db)) == exported
        assert notifications.record_attempt(db, hook.id, attempt("two")).number == 2
    there = replace(web, database=moved, secrets=KeySecrets(web.secret))
    assert there.send("GET", "/api/v1/me", key=key).status_code == 200
    moved.close()


def test_a_move_refuses_a_database_that_is_in_use(operate: Operate, web: Web, postgresql_url: str):
    code, _, complaint = operate("move", postgresql_url.replace("+psycopg", ""))
    assert code == 2
    assert "a move needs an empty database" in complaint


def test_a_move_that_fails_leaves_nothing_behind(operate: Operate, web: Web, empty_postgresql: str):
    """The ledger was tampered with: the copy would be worth nothing."""
    with web.database.writing() as db:
        ledger.append(db, [LedgerRow("apex", "btc", {}, backfilled=False)], NOON)
        db.exec_driver_sql("DROP TRIGGER ledger_update")
        db.exec_driver_sql("UPDATE ledger SET recorded_at = recorded_at + 1")
    code, _, complaint = operate("move", empty_postgresql.replace("+psycopg", ""))
    assert code == 2
    assert "The copied ledger is not the same" in complaint
    moved = Database(empty_postgresql)
    assert set(counts(moved).values()) == {0}
    moved.close()


def attempt(id: str) -> Attempt:
    return Attempt(Message(id, None, "odds", "{}"), NOON, 5, 200, None)
