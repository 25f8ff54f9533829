"""The track record and the scores are computed anew: their counts of independent questions are measured now."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The next settlement writes a new record; without their last slots the jobs publish the documents at once."""
    op.execute("DELETE FROM record")
    op.execute("DELETE FROM snapshot WHERE name IN ('ai-vs-market', 'streaks', 'shadow', 'apex', 'widget')")
    op.execute("DELETE FROM job_run WHERE job IN ('score', 'apex', 'widget')")


def downgrade() -> None:
    upgrade()  # the documents of the version before differ too, and its jobs write them
