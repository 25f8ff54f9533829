"""A database of revision 0006 loses what the new scores replace, and its jobs write that again at once."""

from __future__ import annotations

import pytest
from alembic import command
from sqlalchemy import text

from service import canonical
from service.store import knowledge, runs, snapshots
from service.store.database import Database
from service.store.plain import lane_states, records
from tests.forecasting.markets import MONDAY
from tests.store.migrations.revisions import run

pytestmark = pytest.mark.slow

# A calibration of revision 0006 has a correlation.
RECORD = '{"as_of":1,"direction":{"calibration":{"correlation":0.89},"standings":[]}}'


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request, tmp_path) -> Database:
    """A database of revision 0006 with a record, two documents and a slot of two jobs."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path}/old.sqlite")
    else:
        database = Database(request.getfixturevalue("empty_postgresql"))
    run(database, command.upgrade, "0006")
    with database.writing() as db:
        db.execute(text("INSERT INTO record (id, as_of, body) VALUES (1, 1, :body)"), {"body": RECORD})
        for name in ("streaks", "leaderboard"):
            snapshots.save(db, name, MONDAY, b"{}")
        db.execute(text("INSERT INTO lane (name, as_of, body) VALUES ('trend', 9, :body)"), {"body": '{"trades":3}'})
        for place, pnl in enumerate((70.0, None, -20.0, 5.0)):
            event = {"lane": "trend", "time": 5, "place": place, "body": canonical.write({"pnl_usd": pnl})}
            db.execute(
                text("INSERT INTO lane_event (lane, time, place, body) VALUES (:lane, :time, :place, :body)"), event
            )
        for job in ("score", "rank"):
            row = {"job": job, "slot": MONDAY}
            db.execute(
                text("INSERT INTO job_run (job, slot, state, attempt, next_at) VALUES (:job, :slot, 'due', 0, :slot)"),
                row,
            )
    yield database
    database.close()


def test_the_record_and_the_scores_are_computed_anew(old):
    old.migrate()
    with old.reading() as db:
        assert records.latest(db) is None
        assert snapshots.latest(db, "streaks") is None
        assert runs.newest(db, "score") is None
    assert knowledge.beside(old, {}).record.event.standings == ()


def test_a_lane_knows_the_sums_of_its_results(old):
    """70 and 5 won, 20 lost, from the events of its closed positions."""
    old.migrate()
    with old.reading() as db:
        assert lane_states.find(db, "trend") == {"trades": 3, "won_usd": 75.0, "lost_usd": 20.0}


def test_everything_else_stays(old):
    old.migrate()
    with old.reading() as db:
        assert snapshots.latest(db, "leaderboard").body == b"{}"
        assert runs.newest(db, "rank").slot == MONDAY
