"""The first start backfills the past of the market, once."""

from __future__ import annotations

import pytest

from service.jobs import backfill
from service.market.instants import DAY
from service.store import predictions
from service.store.tables import metadata
from tests.jobs.track_record import SLOT, document, opened, rows, settled


def test_the_first_start_has_a_record_that_is_all_backfilled(house):
    past = settled(house, backfilled=True)
    assert len(past) >= 300
    assert not settled(house, backfilled=False)
    assert len(opened(house)) >= 40
    assert all(opened(house).values())
    assert {row.kind for row in rows(house) if not row.backfilled} == {"price_forecast"}
    streaks = document(house, "streaks")["streaks"]
    assert [row["voter"] for row in streaks if not row["backfilled"]] == ["consensus"]
    assert {row["voter"] for row in streaks if row["backfilled"]} > {"consensus", "vol", "news", "sv"}
    live, backfilled = document(house, "ai-vs-market")["books"]
    assert (live["backfilled"], live["n"], live["verdict"]) == (False, 0, "not enough resolved markets")
    assert backfilled["n"] >= 300
    assert backfilled["calibration"]["ai"]["bins"]


def test_the_past_is_backfilled_once(house):
    """Where there are markets nothing is written."""
    calls = []
    backfill.backfill(house.engine.job_context, SLOT)(calls.append)
    assert not calls


@pytest.mark.slow
def test_an_early_challenge_does_not_prevent_the_backfill(house, monkeypatch):
    """Somebody may ask while the first start is still learning."""
    monkeypatch.setattr(backfill, "BACKFILLED_S", 2 * DAY)
    answer = house.client.post(
        "/api/challenges/create", json={"question": "Will Bitcoin rise?", "deadline": "2026-12-31"}
    )
    assert answer.status_code == 200
    with house.runtime.database.writing() as db:
        for name in ("opinion", "prediction_vote", "odds", "prediction"):
            table = metadata.tables[name]
            key = table.c.id if name == "prediction" else table.c.prediction
            db.execute(table.delete().where(key != "challenge-1"))
    effects = backfill.backfill(house.engine.job_context, SLOT)
    with house.runtime.database.writing() as db:
        effects(db)
        assert len(predictions.market_ids(db)) > 20
