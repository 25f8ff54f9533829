"""A database of revision 0004 goes on with votes that have a volatility."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from alembic import command
from alembic.util import CommandError
from sqlalchemy import text

from service.store import hourly_votes, migrations
from service.store.database import Database
from service.trading.lanes import LaneVote
from tests.store.migrations.revisions import run

HOUR = 1_795_248_000


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request, tmp_path) -> Iterator[Database]:
    """A database of revision 0004 with a vote that has no volatility."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path}/old.sqlite")
    else:
        database = Database(request.getfixturevalue("empty_postgresql"))
    run(database, command.upgrade, "0004")
    with database.writing() as db:
        db.execute(text(f"INSERT INTO hourly_vote (hour, asset, p_up) VALUES ({HOUR}, 'btc', 0.5)"))
    yield database
    database.close()


def test_votes_without_a_volatility_are_dropped(old):
    """The lane reads none of them, and new ones are stored with both numbers."""
    old.migrate()
    with old.writing() as db:
        assert hourly_votes.since(db, 0) == {}
        hourly_votes.add(db, HOUR, {"btc": LaneVote(0.45, 0.52)})
        assert hourly_votes.since(db, HOUR) == {HOUR: {"btc": LaneVote(0.45, 0.52)}}


def test_a_downgrade_is_refused(old):
    old.migrate()
    with pytest.raises(CommandError, match="restore the backup"):
        run(old, command.downgrade, "0004")
    with old.reading() as db:
        assert migrations.current(db) == migrations.head()
