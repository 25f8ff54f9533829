"""Trades of the fund stand in its document, and answers of streaks in the list of markets, not in rows of their own."""

from __future__ import annotations

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("sequence_row")  # a job computed them from the beginning every time
