"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answer",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("caller", sa.String(length=128), nullable=False),
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=False),
        sa.Column("p_yes", sa.Float(precision=53), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("outcome", sa.String(length=8), nullable=True),
        sa.Column("resolved_at", sa.BigInteger(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer")),
    )
    op.create_index(op.f("ix_answer_outcome_deadline"), "answer", ["outcome", "deadline"])

    op.create_table(
        "api_key",
        sa.Column("id", sa.String(length=8), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("app_name", sa.String(length=80), nullable=True),
        sa.Column("plan", sa.String(length=16), nullable=False),
        sa.Column("delegating", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
    )
    op.create_index(op.f("ix_api_key_email"), "api_key", ["email"])

    op.create_table(
        "bar",
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("time", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("open", sa.Float(precision=53), nullable=False),
        sa.Column("high", sa.Float(precision=53), nullable=False),
        sa.Column("low", sa.Float(precision=53), nullable=False),
        sa.Column("close", sa.Float(precision=53), nullable=False),
        sa.Column("volume", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("asset", "step", "time", name=op.f("pk_bar")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "context",
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("asset", name=op.f("pk_context")),
    )
    op.create_table(
        "fit",
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_fit")),
    )
    op.create_table(
        "heartbeat",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_heartbeat")),
    )
    op.create_table(
        "idempotency",
        sa.Column("caller", sa.String(length=128), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("caller", "key", name=op.f("pk_idempotency")),
    )
    op.create_index(op.f("ix_idempotency_created_at"), "idempotency", ["created_at"])

    op.create_table(
        "hourly_vote",
        sa.Column("hour", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("p_up", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("hour", "asset", name=op.f("pk_hourly_vote")),
    )
    op.create_table(
        "lane",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lane")),
    )
    op.create_table(
        "lane_bar",
        sa.Column("lane", sa.String(length=32), nullable=False),
        sa.Column("as_of", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("equity", sa.Float(precision=53), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("lane", "as_of", name=op.f("pk_lane_bar")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "lane_event",
        sa.Column("lane", sa.String(length=32), nullable=False),
        sa.Column("time", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("lane", "time", "place", name=op.f("pk_lane_event")),
    )
    op.create_table(
        "job_run",
        sa.Column("job", sa.String(length=64), nullable=False),
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Float(precision=53), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=True),
        sa.Column("finished_at", sa.Float(precision=53), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job", "slot", name=op.f("pk_job_run")),
    )
    op.create_index(op.f("ix_job_run_state_next_at"), "job_run", ["state", "next_at"])

    op.create_table(
        "rate_window",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("ends", sa.BigInteger(), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_rate_window")),
    )
    op.create_index(op.f("ix_rate_window_ends"), "rate_window", ["ends"])

    op.create_table(
        "record",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record")),
    )
    op.create_table(
        "snapshot",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("as_of", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("gzip", sa.LargeBinary(), nullable=False),
        sa.Column("zstd", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_snapshot")),
    )
    op.create_table(
        "world",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("history_from", sa.BigInteger(), nullable=False),
        sa.Column("world_origin", sa.BigInteger(), nullable=False),
        sa.Column("wall_origin", sa.BigInteger(), nullable=False),
        sa.Column("speed", sa.Float(), nullable=False),
        sa.Column("ends", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_world")),
    )
    op.create_table(
        "vote",
        sa.Column("answer", sa.String(length=32), nullable=False),
        sa.Column("voter", sa.String(length=32), nullable=False),
        sa.Column("engine", sa.String(length=128), nullable=False),
        sa.Column("p_yes", sa.Float(precision=53), nullable=False),
        sa.Column("weight", sa.Float(precision=53), nullable=False),
        sa.Column("reasoning", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["answer"], ["answer.id"], name=op.f("fk_vote_answer")),
        sa.PrimaryKeyConstraint("answer", "voter", name=op.f("pk_vote")),
    )


def downgrade() -> None:
    op.drop_table("vote")
    op.drop_table("world")
    op.drop_table("snapshot")
    op.drop_table("record")
    op.drop_table("rate_window")
    op.drop_table("lane_event")
    op.drop_table("lane_bar")
    op.drop_table("lane")
    op.drop_table("hourly_vote")
    op.drop_table("job_run")
    op.drop_table("idempotency")
    op.drop_table("heartbeat")
    op.drop_table("fit")
    op.drop_table("context")
    op.drop_table("bar")
    op.drop_table("api_key")
    op.drop_table("answer")
