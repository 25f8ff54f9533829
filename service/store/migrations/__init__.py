"""The steps from the schema of version 1.2 to the current one, one for each version, numbered by their file names.

`versions/0025_….py` is revision "0025"; the largest number is the head. The next step is written by hand; a test
compares its result with the tables. An empty database gets the current tables at once. Alembic is imported only for a
step, so an ordinary start does not load it.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from service.store.tables import LEDGER_GUARDS, metadata

FOLDER = Path(__file__).parent
# Any number that is not used by another advisory lock of this database.
LOCK = 9_154_700_001


def revisions() -> list[str]:
    """The revisions that can be migrated, the oldest first; the last one is that of this code."""
    return sorted(step.name[:4] for step in (FOLDER / "versions").glob("[0-9]*.py"))


def head() -> str:
    """The revision that this code requires."""
    return revisions()[-1]


def current(db: Connection) -> str | None:
    """The revision of this database; None if it is empty."""
    if not inspect(db).has_table("alembic_version"):
        return None
    return db.scalar(text("SELECT version_num FROM alembic_version"))


def upgrade(db: Connection) -> None:
    """Bring the schema up to date in the transaction of `db`; a second process waits and then has nothing to do."""
    if db.dialect.name == "postgresql":  # on SQLite the transaction is the lock
        db.execute(text("SET LOCAL lock_timeout = 0"))
        db.execute(text("SET LOCAL statement_timeout = 0"))
        db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    revision = current(db)
    if revision is None:
        metadata.create_all(db)
        for statement in LEDGER_GUARDS[db.dialect.name]:
            db.execute(text(statement))
        db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
        db.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": head()})
    elif revision != head():
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
        config.attributes["connection"] = db
        command.upgrade(config, "head")
