"""The inputs of the voters at each committed vote, by the hash that the ledger holds, and sequences read in pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "vote_input",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("voted_at", sa.BigInteger(), nullable=False),
        sa.Column("asset", sa.String(length=16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_vote_input")),
    )
    op.create_index(op.f("ix_vote_input_voted_at_hash"), "vote_input", ["voted_at", "hash"])
    op.create_index(op.f("ix_vote_input_asset_voted_at_hash"), "vote_input", ["asset", "voted_at", "hash"])
    op.create_table(
        "sequence_row",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", "place", name=op.f("pk_sequence_row")),
    )
    op.create_index(op.f("ix_sequence_row_name_at_place"), "sequence_row", ["name", "at", "place"])


def downgrade() -> None:
    op.drop_table("sequence_row")
    op.drop_table("vote_input")
