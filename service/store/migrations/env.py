"""Alembic's entry point: it runs on the connection of `migrations.upgrade`."""

from __future__ import annotations

from alembic import context

from service.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
