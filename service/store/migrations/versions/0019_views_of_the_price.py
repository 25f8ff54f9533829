"""What a vote says of the price itself; the track record is counted anew, by horizons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    with op.batch_alter_table("prediction_vote") as table:
        table.add_column(sa.Column("p_up", sa.Float(53), nullable=True))
    op.execute("UPDATE resolved_day SET body = NULL")
