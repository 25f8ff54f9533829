"""The fields of a language model's vote, and the cost of models by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

VOTES = ("vote", "prediction_vote")


def upgrade() -> None:
    for table in VOTES:
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("fallback", sa.Boolean(), server_default=sa.false(), nullable=False))
            batch_op.add_column(sa.Column("prompt", sa.String(length=64)))
            batch_op.add_column(sa.Column("tokens", sa.BigInteger()))
            batch_op.add_column(sa.Column("usd", sa.Float(precision=53)))
    op.create_table(
        "spending",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_spending")),
    )


def downgrade() -> None:
    op.drop_table("spending")
    for table in VOTES:
        with op.batch_alter_table(table, schema=None) as batch_op:
            for column in ("usd", "tokens", "prompt", "fallback"):
                batch_op.drop_column(column)
