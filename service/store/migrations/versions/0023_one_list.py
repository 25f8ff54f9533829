"""One list of everything: challenges are listed like markets, trades of the fund stand in its document."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.drop_table("sequence_row")  # a job computed them from the beginning every time
    listed = sa.text("category <> 'answer'")
    for name, column in (("deadline", "deadline"), ("creation", "created_at"), ("divergence", "divergence")):
        columns = [column, "id", "outcome", "category", "asset", "template"]
        op.drop_index(f"ix_prediction_by_{name}", "prediction")
        op.create_index(
            f"ix_prediction_by_{name}", "prediction", columns, sqlite_where=listed, postgresql_where=listed
        )
