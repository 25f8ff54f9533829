"""A database at a revision of the schema."""

from __future__ import annotations

from collections.abc import Callable

from alembic.config import Config

from service.store import migrations
from service.store.database import Database


def run(database: Database, step: Callable[[Config, str], None], revision: str) -> None:
    """Apply alembic's `upgrade` or `downgrade` to a revision."""
    config = Config()
    config.set_main_option("script_location", str(migrations.FOLDER))
    with database.writing() as db:
        config.attributes["connection"] = db
        step(config, revision)
