from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Select
from sqlalchemy.dialects import sqlite

from service.store.database import Database

ROOT = Path(__file__).parents[2]


@pytest.fixture
def db(database: Database) -> Iterator[Connection]:
    """One transaction for a whole test."""
    with database.writing() as db:
        yield db


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request, tmp_path: Path) -> str:
    """The address of a database without any table, of each kind in turn."""
    is_sqlite = request.param == "sqlite"
    return f"sqlite:///{tmp_path}/empty.sqlite" if is_sqlite else request.getfixturevalue("empty_postgresql")


@pytest.fixture
def plan_of(sqlite_database: Database) -> Callable[[Select], str]:
    """How SQLite looks for the rows of a query."""

    def plan(query: Select) -> str:
        sql = query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        with sqlite_database.reading() as db:
            return " ".join(str(row) for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}"))

    return plan


@pytest.fixture
def race() -> Callable[[str, str, int], list]:
    """Do a named thing in so many real processes at the same moment; see at_once.py."""

    def run(work: str, url: str, count: int) -> list:
        command = [sys.executable, Path(__file__).with_name("at_once.py"), work, url, str(count)]
        done = subprocess.run(
            command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False
        )
        assert not done.stderr, done.stderr
        return json.loads(done.stdout.splitlines()[-1])  # log lines come before

    return run
