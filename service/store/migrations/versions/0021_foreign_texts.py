"""Texts of strangers: the salts that hide them in the ledger, and the callers who may write no more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    # What was recorded before has its text in the ledger, so it has no salt.
    with op.batch_alter_table("prediction") as table:
        table.add_column(sa.Column("salt", sa.String(32), nullable=True))
    with op.batch_alter_table("forecaster") as table:
        table.add_column(sa.Column("name_salt", sa.String(32), nullable=True))
    op.create_table(
        "block",
        sa.Column("caller", sa.String(128), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("caller", name=op.f("pk_block")),
    )
