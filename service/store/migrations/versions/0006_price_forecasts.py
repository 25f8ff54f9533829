"""Committed price forecasts that wait for their deadline, and the sums of the scores of the others."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "price_forecast",
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("horizon", sa.String(length=8), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=False),
        sa.Column("backfilled", sa.Boolean(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("at", "asset", "horizon", name=op.f("pk_price_forecast")),
    )
    op.create_index(op.f("ix_price_forecast_deadline"), "price_forecast", ["deadline"])
    op.create_table(
        "price_book",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_price_book")),
    )


def downgrade() -> None:
    op.drop_table("price_book")
    op.drop_table("price_forecast")
