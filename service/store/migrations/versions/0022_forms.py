"""The form of JSON in which a row of the ledger is hashed; rows from before have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("ledger", sa.Column("form", sa.String(16), nullable=True))  # in place: the triggers stay
