"""Markets are selected and sorted by columns of their own; the hourly opinions on open markets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from service import canonical

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

IS_MARKET = sa.text("category NOT IN ('answer', 'challenge')")
FILTERED = ["outcome", "category", "asset", "template"]
SORTED = {"deadline": "deadline", "creation": "created_at", "divergence": "divergence"}
FROM_QUESTION = {
    "sqlite": "UPDATE prediction SET asset = question ->> 'asset', template = question ->> 'comparator'",
    "postgresql": "UPDATE prediction SET asset = question::json ->> 'asset', "
    "template = question::json ->> 'comparator'",
}
PRICED = sa.text(
    "SELECT id, commitment, question, p_yes FROM prediction JOIN odds ON odds.prediction = id "
    "WHERE commitment IS NOT NULL"
)
KEEP_DIVERGENCE = sa.text("UPDATE prediction SET divergence = :divergence WHERE id = :id")


def upgrade() -> None:
    for name in ("asset", "template"):
        op.add_column("prediction", sa.Column(name, sa.String(length=16), nullable=False, server_default=""))
    op.add_column("prediction", sa.Column("divergence", sa.Float(precision=53)))
    op.execute(FROM_QUESTION[op.get_bind().dialect.name])
    _fill_divergences()
    op.create_index(op.f("ix_prediction_author_created_at_id"), "prediction", ["author", "created_at", "id"])
    for name, column in SORTED.items():
        condition = {"sqlite_where": IS_MARKET, "postgresql_where": IS_MARKET}
        op.create_index(f"ix_prediction_by_{name}", "prediction", [column, "id", *FILTERED], **condition)
    op.create_table(
        "opinion",
        sa.Column("prediction", sa.String(length=96), nullable=False),
        sa.Column("holder", sa.String(length=8), nullable=False),
        sa.Column("at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("p", sa.Float(precision=53), nullable=False),
        sa.Column("bid", sa.Float(precision=53)),
        sa.Column("ask", sa.Float(precision=53)),
        sa.PrimaryKeyConstraint("prediction", "holder", "at", name=op.f("pk_opinion")),
        sa.ForeignKeyConstraint(["prediction"], ["prediction.id"], name=op.f("fk_opinion_prediction")),
        sqlite_with_rowid=False,
    )
    _publish_again()


def downgrade() -> None:
    op.drop_table("opinion")
    for name in SORTED:
        op.drop_index(f"ix_prediction_by_{name}", "prediction")
    op.drop_index(op.f("ix_prediction_author_created_at_id"), "prediction")
    for name in ("divergence", "template", "asset"):
        op.drop_column("prediction", name)
    _publish_again()


def _fill_divergences() -> None:
    """The distance in points between the published probabilities of the pool and the outside market."""
    db = op.get_bind()
    rows = [
        {"id": id, "divergence": abs(round(100 * (round(canonical.read(commitment)["p"], 3) - round(p, 4)), 2))}
        for id, commitment, question, p in db.execute(PRICED)
        if canonical.read(question)["comparator"] != "open"
    ]
    if rows:
        db.execute(KEEP_DIVERGENCE, rows)


def _publish_again() -> None:
    """Documents of the other version have other fields; without their last slots the jobs publish them at once."""
    op.execute("DELETE FROM snapshot WHERE name IN ('ai-vs-market', 'shadow', 'predictions')")
    op.execute("DELETE FROM job_run WHERE job IN ('score', 'list_markets')")
