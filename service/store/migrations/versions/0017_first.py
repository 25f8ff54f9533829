"""The schema of version 1.2, from which later steps go on. An empty database gets the present tables at once."""

from __future__ import annotations

revision = "0017"
down_revision = None


def upgrade() -> None:
    """Nothing: `migrations.upgrade` never runs this step."""
