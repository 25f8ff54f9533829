"""The coins outside the seven that were asked about, and the list of those that may be."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "coin",
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("needed_until", sa.BigInteger(), nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("asset", name=op.f("pk_coin")),
    )
    op.create_table(
        "coin_list",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_coin_list")),
    )


def downgrade() -> None:
    """The bars of coins go with them: a database of the version before holds none."""
    op.execute("DELETE FROM bar WHERE asset IN (SELECT asset FROM coin)")
    op.drop_table("coin_list")
    op.drop_table("coin")
