"""From version 1.2 to 1.3, in one step: the revisions between them are of no released version."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0017"

# What a vote says of the price itself; which row of the ledger says that a forecaster took its first name; the salts
# that hide texts of strangers in the ledger, which what was recorded before does not have; the form of JSON in which a row of
# the ledger is hashed. All are added in place, so that the triggers of the ledger stay.
NEW_COLUMNS = {
    "prediction_vote": [("p_up", sa.Float(53))],
    "forecaster": [("named_seq", sa.BigInteger()), ("name_salt", sa.String(32))],
    "prediction": [("salt", sa.String(32))],
    "ledger": [("form", sa.String(16))],
    "forecast_score": [("opening_peer", sa.Float(53))],
}


def upgrade() -> None:
    from service.store import forecasts  # a later change of a table that it reads has to move this to its own step

    for table, columns in NEW_COLUMNS.items():
        for name, kind in columns:
            op.add_column(table, sa.Column(name, kind))
    op.execute("UPDATE resolved_day SET body = NULL")  # the track record is counted anew, by horizons
    op.drop_table("sequence_row")  # a job computed them from the beginning every time
    _list_challenges_like_markets()
    _note_coverage()
    # The callers who may write no more, and what authorities outside signed of the ledger's roots.
    op.create_table(
        "block",
        sa.Column("caller", sa.String(128), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "ledger_timestamp",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("authority", sa.String(256), primary_key=True),
        sa.Column("stamped_at", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
    )
    # Whoever has a name keeps its record; without one, what was settled already can no longer be chosen to count. Every
    # score is computed again from the forecasts, by the rules of this version, and a job publishes the table at once.
    op.execute("UPDATE forecaster SET named_seq = 0 WHERE name IS NOT NULL")
    op.execute("DELETE FROM forecast_score")
    op.add_column("forecast_score", sa.Column("peer", sa.Float(53), nullable=False))
    forecasts.score_again(op.get_bind())
    op.execute("UPDATE forecaster SET record = NULL, record_at = NULL")
    # Documents of the version before do not say which row of the ledger they follow from.
    op.execute("DELETE FROM snapshot WHERE name IN ('forecasters', 'streaks', 'shadow', 'ai-vs-market')")
    op.execute("DELETE FROM job_run WHERE job = 'score'")


def _list_challenges_like_markets() -> None:
    listed = sa.text("category <> 'answer'")
    for name, column in (("deadline", "deadline"), ("creation", "created_at"), ("divergence", "divergence")):
        columns = [column, "id", "outcome", "category", "asset", "template"]
        op.drop_index(f"ix_prediction_by_{name}", "prediction")
        op.create_index(
            f"ix_prediction_by_{name}", "prediction", columns, sqlite_where=listed, postgresql_where=listed
        )


def _note_coverage() -> None:
    """What the sources have given of each asset's bars. Other worlds than the live one have all of theirs."""
    table = op.create_table(
        "coverage", sa.Column("series", sa.String(24), primary_key=True), sa.Column("body", sa.Text(), nullable=False)
    )
    stored = sa.text(
        "SELECT bar.asset, world.step, world.history_from, max(bar.time) + world.step"
        " FROM bar JOIN world ON bar.step = world.step WHERE world.name <> 'live'"
        " GROUP BY bar.asset, world.step, world.history_from"
    )
    rows = [
        {
            "series": f"{asset}/{step}",
            "body": json.dumps({"wanted_from": since, "progress_at": until, "windows": [[since, until]]}),
        }
        for asset, step, since, until in op.get_bind().execute(stored)
    ]
    if rows:
        op.bulk_insert(table, rows)
