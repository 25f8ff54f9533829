"""Timestamps of the ledger's roots by authorities outside."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "ledger_timestamp",
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("authority", sa.String(256), nullable=False),
        sa.Column("stamped_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("day", "authority", name=op.f("pk_ledger_timestamp")),
    )
