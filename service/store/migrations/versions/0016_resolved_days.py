"""The track record is carried on from what was resolved on each day; predictions are found by their resolution.

A key secret that was replaced is accepted until a date.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

# The columns of these days are made again at the next settlement.
FILL = """
INSERT INTO resolved_day (day)
SELECT DISTINCT resolved_at - resolved_at % 86400 FROM prediction WHERE resolved_at IS NOT NULL
"""


def upgrade() -> None:
    op.create_table(
        "resolved_day",
        sa.Column("day", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_resolved_day")),
    )
    op.execute(FILL)
    op.create_index(op.f("ix_prediction_resolved_at"), "prediction", ["resolved_at"])
    op.add_column("secret_fingerprint", sa.Column("accepted_until", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("secret_fingerprint", "accepted_until")
    op.drop_index(op.f("ix_prediction_resolved_at"), table_name="prediction")
    op.drop_table("resolved_day")
