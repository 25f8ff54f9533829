"""Answers of the oracle become predictions; jobs and the voters' inputs are stored under their new names."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

from service import canonical

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

AT_ONCE = 400  # answers in memory
RENAMED_JOBS = {
    "relive": "backfill",
    "portray": "publish_strategy_pages",
    "take_over": "import_markets",
    "settle_taken": "settle_imported",
}

RENAMED_INPUTS = {
    "heat": "vol_ratio_180d",
    "spark": "vol_ratio_12h",
    "stretch_48h": "mean_distance_48h",
    "tilt_168h": "semivariance_skew_7d",
    "place_50d": "range_position_50d",
}

# The order of the voters of an answer was not stored, so they are ordered by name.
CARRY_VOTES = """
INSERT INTO prediction_vote
    (prediction, place, voter, engine, p, weight, reasoning, fallback, prompt, tokens, usd)
SELECT answer, ROW_NUMBER() OVER (PARTITION BY answer ORDER BY voter) - 1,
    voter, engine, p_yes, weight, reasoning, fallback, prompt, tokens, usd
FROM vote
"""

ANSWER_COLUMNS = ("id", "asked_at", "caller", "question", "deadline", "p_yes", "body", "outcome", "resolved_at", "evidence")
PREDICTION_COLUMNS = (
    *("id", "category", "question", "rule", "resolver", "created_at", "closes_at", "deadline", "author", "voted_at"),
    *("commitment", "outcome", "resolved_at", "evidence", "resolved_by", "body"),
)
answer = sa.table("answer", *map(sa.column, ANSWER_COLUMNS))
prediction = sa.table("prediction", sa.column("backfilled", sa.Boolean()), *map(sa.column, PREDICTION_COLUMNS))
job_run = sa.table("job_run", sa.column("job"))
fit = sa.table("fit", sa.column("slot"), sa.column("body"))
context = sa.table("context", sa.column("asset"), sa.column("body"))


def upgrade() -> None:
    db = op.get_bind()
    op.add_column("prediction", sa.Column("body", sa.Text()))
    ids = list(db.scalars(sa.select(answer.c.id).order_by(answer.c.id)))
    for start in range(0, len(ids), AT_ONCE):
        chosen = sa.select(answer).where(answer.c.id.in_(ids[start : start + AT_ONCE]))
        db.execute(sa.insert(prediction), [_prediction(row) for row in db.execute(chosen).mappings()])
    op.execute(CARRY_VOTES)
    op.drop_table("vote")
    op.drop_table("answer")
    for old, new in RENAMED_JOBS.items():
        db.execute(sa.update(job_run).where(job_run.c.job == old).values(job=new))
    db.execute(sa.delete(job_run).where(job_run.c.job == "resolve"))  # the job `settle` does its work
    for table, key in ((fit, fit.c.slot), (context, context.c.asset)):
        for row in db.execute(sa.select(key, table.c.body)).all():
            body = canonical.write(_renamed(canonical.read(row.body)))
            db.execute(sa.update(table).where(key == row[0]).values(body=body))


def _renamed(value: Any) -> Any:
    """A JSON value with the new names of the inputs, both as keys and as values."""
    if isinstance(value, dict):
        return {RENAMED_INPUTS.get(name, name): _renamed(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part) for part in value]
    return RENAMED_INPUTS.get(value, value) if isinstance(value, str) else value


def downgrade() -> None:
    raise CommandError("Revision 0004 cannot be undone: restore the backup that was made before the upgrade.")


def _prediction(row: Mapping[str, Any]) -> dict[str, Any]:
    """The prediction of an answer, built from the published answer."""
    body = canonical.read(row["body"])
    understood = body["understood"]
    commitment = {
        "voted_at": row["asked_at"],
        "as_of": int(datetime.fromisoformat(body["as_of"]).timestamp()),
        "p": row["p_yes"],
        "abstained": body["abstained"],
        "features": None,
        "fitted_at": None,
    }
    return {
        "id": row["id"],
        "category": "answer",
        "question": canonical.write(understood | {"text": row["question"], "deadline": row["deadline"]}),
        "rule": understood["canonical"],
        "resolver": "bars",
        "created_at": row["asked_at"],
        "closes_at": row["asked_at"],
        "deadline": row["deadline"],
        "backfilled": False,
        "author": row["caller"],
        "voted_at": row["asked_at"],
        "commitment": canonical.write(commitment),
        "outcome": row["outcome"],
        "resolved_at": row["resolved_at"],
        "evidence": canonical.read(row["evidence"])["bars"] if row["evidence"] else None,
        "resolved_by": "bars" if row["outcome"] else None,
        "body": row["body"],
    }
