"""Which secrets a database belongs to: a process with another secret does not start."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "secret_fingerprint",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("fingerprint", sa.String(length=16), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_secret_fingerprint")),
    )


def downgrade() -> None:
    op.drop_table("secret_fingerprint")
