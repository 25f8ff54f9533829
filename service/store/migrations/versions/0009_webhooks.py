"""Webhooks and their deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=8), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("assets", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("rotations", sa.Integer(), nullable=False),
        sa.Column("rotated_at", sa.BigInteger()),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.BigInteger()),
        sa.Column("next_at", sa.Float(precision=53), nullable=False),
        sa.Column("paused_at", sa.BigInteger()),
        sa.Column("paused_reason", sa.Text()),
        sa.Column("owner", sa.String(length=32)),
        sa.Column("held_until", sa.Float(precision=53), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
        sa.ForeignKeyConstraint(["key"], ["api_key.id"], name=op.f("fk_webhook_key")),
    )
    op.create_index(op.f("ix_webhook_key"), "webhook", ["key"])
    op.create_table(
        "webhook_delivery",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("webhook", sa.String(length=32), nullable=False),
        sa.Column("message", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.BigInteger()),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("error", sa.Text()),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_webhook_delivery")),
        sa.UniqueConstraint("message"),
        sa.ForeignKeyConstraint(["webhook"], ["webhook.id"], name=op.f("fk_webhook_delivery_webhook")),
    )
    op.create_index(op.f("ix_webhook_delivery_webhook_number"), "webhook_delivery", ["webhook", "number"])


def downgrade() -> None:
    op.drop_table("webhook_delivery")
    op.drop_table("webhook")
