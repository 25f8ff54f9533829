"""The votes that the consensus lane trades on have a volatility.

Stored votes are dropped: the lane reads those of the last hours only, and does without where there are none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(sa.delete(sa.table("hourly_vote")))
    with op.batch_alter_table("hourly_vote") as table:
        table.add_column(sa.Column("volatility", sa.Float(53), nullable=False))


def downgrade() -> None:
    raise CommandError("Revision 0005 cannot be undone: restore the backup that was made before the upgrade.")
