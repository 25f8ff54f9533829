"""The steps from an empty database to today's schema, numbered by their file names.

`versions/0001_….py` is revision "0001"; the last number is the head. Alembic is imported only when there is
something to do, which keeps it out of an ordinary start.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

FOLDER = Path(__file__).parent
# Any number, as long as nothing else in this database takes the same advisory lock.
LOCK = 9_154_700_001


def head() -> str:
    """The revision that the code was written for."""
    return max(step.name[:4] for step in (FOLDER / "versions").glob("[0-9]*.py"))


def current(db: Connection) -> str | None:
    """The revision of this database; None when it is empty."""
    if not inspect(db).has_table("alembic_version"):
        return None
    return db.scalar(text("SELECT version_num FROM alembic_version"))


def upgrade(db: Connection) -> None:
    """Run the missing steps in the transaction of `db`; a second process waits, then finds nothing to do."""
    _take_the_only_turn(db)
    if current(db) == head():
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = db
    command.upgrade(config, "head")


def _take_the_only_turn(db: Connection) -> None:
    """On PostgreSQL by a lock without a time limit; on SQLite the transaction itself is the lock."""
    if db.dialect.name == "postgresql":
        db.execute(text("SET LOCAL lock_timeout = 0"))
        db.execute(text("SET LOCAL statement_timeout = 0"))
        db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
