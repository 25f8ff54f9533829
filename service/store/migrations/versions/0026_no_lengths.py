"""No column of PostgreSQL has a greatest length: SQLite never had one, and a kind of question was too long for its."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.store.tables import metadata

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    columns = sa.text(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() "
        "AND character_maximum_length IS NOT NULL AND table_name <> 'alembic_version'"
    )
    for table, column in op.get_bind().execute(columns).all():
        if table in metadata.tables:  # others in the schema are not ours
            op.alter_column(table, column, type_=sa.String())
