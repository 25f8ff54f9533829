"""A charge without an answer is refunded, whatever ends the request: a crash, a lock, a lost connection."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text

from service.store import database as databases
from service.store.database import Database
from tests.api.interrupted import InterruptedWeb, after_the_lease
from tests.api.web import Web

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def used(web: Web, key: str) -> int:
    return web.send("GET", "/api/v1/me", key=key).json["used"]


def test_a_process_killed_before_the_answer_is_not_charged(database, database_url):
    web = Web(database)
    key = web.register().json["api_key"]
    command = [sys.executable, "-m", "tests.api.interrupted", database_url, key]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout.readline() == "charged\n"
    process.kill()
    process.communicate()
    assert used(web, key) == 1
    after_the_lease(database)
    assert used(web, key) == 0
    assert web.statuses(key, 11) == {200: 10, 429: 1}


def test_an_answer_stays_charged_after_the_lease(database):
    web = Web(database)
    key = web.register().json["api_key"]
    web.statuses(key, 3)
    after_the_lease(database)
    assert used(web, key) == 3


def test_an_answer_later_than_its_lease_is_charged(database):
    web = InterruptedWeb(database, meanwhile=lambda: after_the_lease(database))
    key = web.register().json["api_key"]
    assert web.ask(key).status_code == 200
    assert used(web, key) == 1


@contextmanager
def locked(file: str) -> Iterator[None]:
    """The write lock of a SQLite file, held."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture
def impatient_sqlite(sqlite_url, monkeypatch) -> Iterator[Database]:
    """A SQLite database whose lock is waited for a tenth of a second, where the service waits ten seconds."""
    pragmas = ("busy_timeout = 100", *databases.SQLITE_PRAGMAS[1:])
    monkeypatch.setattr(databases, "SQLITE_PRAGMAS", pragmas)
    with closing(Database(sqlite_url)) as database:
        yield database


@pytest.mark.parametrize(("want", "status"), [("a refusal", 400), ("no voters", 503), ("an answer", 503)])
def test_a_database_locked_during_the_refund_loses_nothing(impatient_sqlite, want, status):
    """The answer that cannot be settled is not given: it would be free."""
    lock = locked(impatient_sqlite.engine.url.database)
    web = InterruptedWeb(impatient_sqlite, meanwhile=lock.__enter__)
    key = web.register().json["api_key"]
    assert web.ask(key, want).status_code == status
    lock.__exit__(None, None, None)
    assert used(web, key) == 1
    after_the_lease(impatient_sqlite)
    assert used(web, key) == 0


@pytest.mark.parametrize(("want", "status"), [("a refusal", 400), ("no voters", 503), ("an answer", 503)])
def test_connections_ended_during_the_refund_lose_nothing(postgresql_url, want, status):
    """The server ends each connection of the request as soon as its next transaction begins."""
    with closing(Database(postgresql_url)) as database, closing(Database(postgresql_url)) as operator:

        def end(connection: Connection) -> None:
            process = connection.connection.driver_connection.info.backend_pid
            with operator.writing() as db:
                db.execute(text("SELECT pg_terminate_backend(:process, 1000)"), {"process": process})

        web = InterruptedWeb(database, meanwhile=lambda: event.listen(database.engine, "begin", end))
        key = web.register().json["api_key"]
        assert web.ask(key, want).status_code == status
        event.remove(database.engine, "begin", end)
        assert used(web, key) == 1
        after_the_lease(database)
        assert used(web, key) == 0
