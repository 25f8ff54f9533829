"""Peer scores of forecasters; every score is computed again from the forecasts, by the rules of this version."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    from service.store import forecasts  # a later change of a table that it reads has to move this to its own step

    op.execute("DELETE FROM forecast_score")
    with op.batch_alter_table("forecast_score") as table:
        table.add_column(sa.Column("opening_peer", sa.Float(53), nullable=True))
        table.add_column(sa.Column("peer", sa.Float(53), nullable=False))
    forecasts.score_again(op.get_bind())
    # A job publishes the table again as soon as it starts.
    op.execute("UPDATE forecaster SET record = NULL, record_at = NULL")
    op.execute("DELETE FROM snapshot WHERE name = 'forecasters'")
    op.execute("DELETE FROM job_run WHERE job = 'score'")
