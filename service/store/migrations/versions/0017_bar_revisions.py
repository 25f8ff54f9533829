"""Job processes keep hourly bars in memory; a revision says that older ones were stored or built anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bar_revision",
        sa.Column("asset", sa.String(16), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("asset", name=op.f("pk_bar_revision")),
    )


def downgrade() -> None:
    op.drop_table("bar_revision")
