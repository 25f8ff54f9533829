"""A forecaster is one id for each caller; its record is computed again when there are new scores."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.errors import NameTaken
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import MarketForecastScore, counted_markets, record_of
from service.scores.luck import SimulatedRecords
from service.store import forecasters, forecasts, predictions
from service.store.tables import forecaster
from tests.forecasting.markets import settled, waiting

SCORE = MarketForecastScore(0.6, 0.16, 0.51, 0.9)
RECORD = record_of({}, counted_markets(columns_of([])), SimulatedRecords(1))


@pytest.fixture
def db(database):
    with database.writing() as db:
        predictions.add(db, [waiting("one"), settled("two")])
        for number in (1, 2):
            forecasters.id_of(db, f"key:0000000{number}", f"id-{number}", 5)
        yield db


def test_a_caller_has_one_id(db):
    assert forecasters.id_of(db, "key:00000001", "another", 9) == "id-1"
    assert forecasters.count(db) == 2


def test_a_name_is_unique(database):
    with database.writing() as db:
        for number in (1, 2):
            forecasters.id_of(db, f"key:0000000{number}", f"id-{number}", 5)
        forecasters.rename(db, "key:00000001", "owl")
    with pytest.raises(NameTaken), database.writing() as db:
        forecasters.rename(db, "key:00000002", "owl")


def test_a_key_is_forgotten_with_its_end_users(db):
    for number, caller in enumerate(("key:00000001:alice", "key:00000001:bob%_", "key:000000010"), start=3):
        forecasters.id_of(db, caller, f"id-{number}", 5)
    forecasters.forget(db, "00000001")
    callers = dict(db.execute(select(forecaster.c.id, forecaster.c.caller)).all())
    assert callers == {"id-1": None, "id-2": "key:00000002", "id-3": None, "id-4": None, "id-5": "key:000000010"}


def test_only_named_forecasters_with_new_scores_are_outdated(db):
    assert forecasters.outdated(db) == []
    forecasters.rename(db, "key:00000001", "owl")
    assert forecasters.outdated(db) == ["id-1"]
    forecasters.keep_record(db, "id-1", RECORD, 100)
    forecasts.keep_scores(db, "one", 99, {"id-1": SCORE})
    assert forecasters.outdated(db) == []
    forecasts.keep_scores(db, "two", 100, {"id-1": SCORE, "id-2": None})
    assert forecasters.outdated(db) == ["id-1"]
    assert forecasts.scores_of(db, ["id-1", "id-2"]) == {"id-1": {"one": SCORE, "two": SCORE}}


def test_a_record_is_read_as_it_was_kept(db):
    forecasters.rename(db, "key:00000001", "owl")
    forecasters.keep_record(db, "id-1", RECORD, 100)
    (row,) = forecasters.named(db)
    assert row == forecasters.find(db, "owl") == ("id-1", "owl", RECORD)
    forecasters.rename(db, "key:00000001", "jay")
    assert forecasters.find(db, "jay") == ("id-1", "jay", RECORD)
    forecasters.rename(db, "key:00000001", None)
    assert (forecasters.named(db), forecasters.name_of(db, "key:00000001")) == ([], None)


def test_a_forecaster_without_a_name_gets_no_record(db):
    """The name may be given up while the job computes."""
    forecasters.keep_record(db, "id-1", RECORD, 100)
    forecasters.rename(db, "key:00000001", "owl")
    assert forecasters.find(db, "owl") == ("id-1", "owl", None)
