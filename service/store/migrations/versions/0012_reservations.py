"""Charges of unfinished requests, emails as they are counted, and when the slots of jobs came due and began."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service.access.emails import normalised

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

EMAILS = sa.text("SELECT DISTINCT email FROM api_key")
RENAME = sa.text("UPDATE api_key SET email = :normalised WHERE email = :email")


def upgrade() -> None:
    op.create_table(
        "reservation",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("ends", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reservation")),
    )
    op.create_index(op.f("ix_reservation_expires_at"), "reservation", ["expires_at"])
    for name in ("added_at", "started_at"):
        op.add_column("job_run", sa.Column(name, sa.Float(precision=53)))
    db = op.get_bind()
    for (email,) in db.execute(EMAILS).all():
        db.execute(RENAME, {"email": email, "normalised": normalised(email)})


def downgrade() -> None:
    for name in ("started_at", "added_at"):
        op.drop_column("job_run", name)
    op.drop_table("reservation")
