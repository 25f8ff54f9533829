"""The inputs of apex's layers that come from the latest ranking."""

from __future__ import annotations

from types import SimpleNamespace

from service.forecasting.apex.layers import NetView
from service.jobs.apex import swarm
from service.store import snapshots


def test_before_the_first_ranking_there_is_no_swarm(sqlite_database):
    assert swarm(SimpleNamespace(database=sqlite_database)) == {}


def test_the_swarm_is_that_of_the_latest_ranking(sqlite_database):
    with sqlite_database.writing() as db:
        snapshots.save_snapshot(db, "swarm", 100, b'{"btc": {"long": 1, "short": 2, "flat": 51}}')
        snapshots.save_snapshot(db, "swarm", 200, b'{"btc": {"long": 30, "short": 4, "flat": 20}}')
    assert swarm(SimpleNamespace(database=sqlite_database)) == {"btc": NetView(30, 4, 20)}
