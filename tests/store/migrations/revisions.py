"""A database as an earlier version left it."""

from __future__ import annotations

from sqlalchemy import Connection, text


def make_first(db: Connection) -> None:
    """Take a current database back to the schema of version 1.2."""
    db.execute(text("DROP TABLE coverage"))
    db.execute(text("ALTER TABLE prediction_vote DROP COLUMN p_up"))
    db.execute(text("UPDATE alembic_version SET version_num = '0017'"))
