"""Forecasts count from a name on: which row of the ledger says that a forecaster took its first one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    with op.batch_alter_table("forecaster") as table:
        table.add_column(sa.Column("named_seq", sa.BigInteger(), nullable=True))
    # Whoever has a name keeps its record; without one, what was settled already can no longer be chosen to count.
    op.execute("UPDATE forecaster SET named_seq = 0 WHERE name IS NOT NULL")
    op.execute("DELETE FROM forecast_score WHERE forecaster IN (SELECT id FROM forecaster WHERE name IS NULL)")
