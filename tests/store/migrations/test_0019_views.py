"""Votes of version 1.2 say nothing of the price itself, and its track record is counted anew by horizons."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import insert

from service import canonical
from service.forecasting.predictions import Prediction
from service.forecasting.predictions.commitments import market_rows
from service.forecasting.voters.track_record import TrackRecord
from service.jobs.committing import renew_record
from service.ledger.verifier import verify
from service.market.instants import DAY
from service.store import knowledge, ledger, predictions
from service.store.database import Database
from service.store.pages import RECORD, records
from service.store.tables import resolved_day
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import settled
from tests.store.migrations.revisions import make_first

ENGINE = "embedded"
CAST = (committed_vote("vol", 0.4, engine=ENGINE), committed_vote("forest", 0.6, engine=ENGINE))
MARKET = settled(odds=None)
SETTLED_AT = MARKET.settlement.resolved_at
STANDINGS = [{"voter": "forest", "engine": ENGINE, "n": 40, "weight": 1.7}]
CALIBRATION = {"n": 40, "n_eff": 20.0, "stretch": 1.2, "effective_voters": 1.0}
COUNTED = {
    "engines": [["forest", ENGINE]],
    "classes": ["direction"],
    "asked_at": [MARKET.voted_at],
    "resolved_at": [SETTLED_AT],
    "happened": [1.0],
    "p": [[0.6]],
}


@pytest.fixture
def earlier(database: Database) -> tuple[Database, Prediction]:
    """The database as version 1.2 left it, with a settled market, its rows in the ledger and a track record."""
    market = replace(MARKET, commitment=replace(MARKET.commitment, votes=CAST))
    record = {"as_of": SETTLED_AT, "direction": {"calibration": CALIBRATION, "standings": STANDINGS}, "event": {}}
    with database.writing() as db:
        ledger.append(db, market_rows([market]), SETTLED_AT)
        predictions.add_predictions(db, [market])
        body = canonical.write(COUNTED)
        db.execute(resolved_day.delete())
        db.execute(insert(resolved_day).values(day=SETTLED_AT // DAY * DAY, body=body))
        records.save(db, RECORD, record, as_of=SETTLED_AT)
        make_first(db)
    database.migrate()
    return database, market


def test_a_vote_without_a_view_is_read_as_it_was_cast(earlier):
    """Its row in the ledger has no such field, so every hash stays."""
    database, market = earlier
    with database.reading() as db:
        stored = predictions.find_prediction(db, market.id)
        assert verify(ledger.export(db)).fault is None
    assert stored == market
    assert {vote.ballot.forecast.p_up for vote in stored.votes} | {stored.commitment.p_up} == {None}


def test_a_record_of_classes_reads_as_empty_until_it_is_renewed(earlier):
    """Then the same votes count in the band of their horizon, with the weight of an embedded engine."""
    database, _ = earlier
    assert knowledge.latest_knowledge(database, 300).record == TrackRecord(SETTLED_AT)
    with database.writing() as db:
        renew_record(db, SETTLED_AT)
    record = knowledge.latest_knowledge(database, 300).record
    standings = [(each.voter, each.engine, each.n, each.weight) for each in record.of_band("day").standings]
    assert standings == [("forest", ENGINE, 1, 1.0), ("vol", ENGINE, 1, 1.0)]
    assert list(record.bands) == ["day"]
