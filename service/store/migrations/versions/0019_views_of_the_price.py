"""What a vote says of the price itself; the track record is counted anew, by horizons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("prediction_vote") as table:
        table.add_column(sa.Column("p_up", sa.Float(53), nullable=True))
    op.execute("UPDATE resolved_day SET body = NULL")


def downgrade() -> None:
    op.execute("UPDATE resolved_day SET body = NULL")
    with op.batch_alter_table("prediction_vote") as table:
        table.drop_column("p_up")
