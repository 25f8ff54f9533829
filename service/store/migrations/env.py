"""Alembic's entry point: it runs on the given connection, or on the database of the settings."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from service import config
from service.store.database import Database
from service.store.tables import metadata


def run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


if connection := context.config.attributes.get("connection"):
    run(connection)
else:
    with Database(config.read().database).writing() as db:
        run(db)
