"""What the sources have given of each asset's bars. Other worlds than the live one have all of theirs."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    table = op.create_table(
        "coverage",
        sa.Column("series", sa.String(24), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("series", name=op.f("pk_coverage")),
    )
    stored = sa.text(
        "SELECT bar.asset, world.step, world.history_from, max(bar.time) + world.step"
        " FROM bar JOIN world ON bar.step = world.step WHERE world.name <> 'live'"
        " GROUP BY bar.asset, world.step, world.history_from"
    )
    rows = [
        {"series": f"{asset}/{step}", "body": json.dumps({"wanted_from": since, "progress_at": until, "windows": [[since, until]]})}
        for asset, step, since, until in op.get_bind().execute(stored)
    ]
    if rows:
        op.bulk_insert(table, rows)
