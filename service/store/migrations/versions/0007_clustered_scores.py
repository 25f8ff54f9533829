"""Scores and the track record are computed anew; lanes know the sums of their profits and losses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service import canonical

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

LANES = sa.text("SELECT name, body FROM lane")
EVENTS = sa.text("SELECT body FROM lane_event WHERE lane = :lane")
KEEP_LANE = sa.text("UPDATE lane SET body = :body WHERE name = :name")


def upgrade() -> None:
    """The next settlement writes a new record; without their last slots the jobs publish the documents at once."""
    _forget_scores()
    db = op.get_bind()
    for name, body in db.execute(LANES).all():
        events = (canonical.read(event) for (event,) in db.execute(EVENTS, {"lane": name}))
        results = [event["pnl_usd"] for event in events if event.get("pnl_usd") is not None]
        sums = {"won_usd": sum(max(0.0, pnl) for pnl in results), "lost_usd": sum(max(0.0, -pnl) for pnl in results)}
        db.execute(KEEP_LANE, {"name": name, "body": canonical.write(canonical.read(body) | sums)})


def downgrade() -> None:
    _forget_scores()  # the documents of the version before differ too, and its jobs write them
    db = op.get_bind()
    for name, body in db.execute(LANES).all():
        state = {key: value for key, value in canonical.read(body).items() if key not in ("won_usd", "lost_usd")}
        db.execute(KEEP_LANE, {"name": name, "body": canonical.write(state)})


def _forget_scores() -> None:
    op.execute("DELETE FROM record")
    op.execute("DELETE FROM snapshot WHERE name IN ('ai-vs-market', 'streaks', 'shadow', 'apex', 'apex-fund', 'widget')")
    op.execute("DELETE FROM job_run WHERE job IN ('score', 'apex', 'widget')")
