"""Forecasters, their forecasts of markets, and the scores of those that are settled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "forecaster",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("caller", sa.String(length=128)),
        sa.Column("name", sa.String(length=32)),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.Text()),
        sa.Column("record_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forecaster")),
    )
    for column in ("caller", "name"):
        op.create_index(op.f(f"ix_forecaster_{column}"), "forecaster", [column], unique=True)
    op.create_table(
        "forecast",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("prediction", sa.String(length=96), nullable=False),
        sa.Column("forecaster", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("p", sa.Float(precision=53), nullable=False),
        sa.Column("salt", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_forecast")),
        *_references("forecast"),
    )
    for column in ("prediction", "forecaster"):
        op.create_index(op.f(f"ix_forecast_{column}_seq"), "forecast", [column, "seq"])
    op.create_table(
        "forecast_score",
        sa.Column("forecaster", sa.String(length=32), nullable=False),
        sa.Column("prediction", sa.String(length=96), nullable=False),
        sa.Column("resolved_at", sa.BigInteger(), nullable=False),
        sa.Column("opening", sa.Float(precision=53)),
        sa.Column("brier", sa.Float(precision=53), nullable=False),
        sa.Column("log_score", sa.Float(precision=53), nullable=False),
        sa.Column("coverage", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("forecaster", "prediction", name=op.f("pk_forecast_score")),
        *_references("forecast_score"),
    )
    op.create_index(op.f("ix_forecast_score_resolved_at"), "forecast_score", ["resolved_at"])
    # Without its last slot the job publishes the table of forecasters at once.
    op.execute("DELETE FROM job_run WHERE job = 'score'")


def downgrade() -> None:
    for table in ("forecast_score", "forecast", "forecaster"):
        op.drop_table(table)


def _references(table: str) -> tuple[sa.ForeignKeyConstraint, ...]:
    return tuple(
        sa.ForeignKeyConstraint([other], [f"{other}.id"], name=op.f(f"fk_{table}_{other}"))
        for other in ("forecaster", "prediction")
    )
