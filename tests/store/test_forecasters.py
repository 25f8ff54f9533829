"""A forecaster is one id for each caller; its record is computed again when there are new scores."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.errors import NameTaken
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import MarketForecastScore, counted_markets, record_of
from service.scores.luck import SimulatedRecords
from service.store import forecasts, predictions
from service.store.tables import forecaster
from tests.forecasting.markets import settled, waiting

SCORE = MarketForecastScore(0.6, 0.16, 0.51, 0.9)
RECORD = record_of({}, counted_markets(columns_of([])), SimulatedRecords(1))


@pytest.fixture
def db(database):
    with database.writing() as db:
        predictions.add_predictions(db, [waiting("one"), settled("two")])
        for number in (1, 2):
            forecasts.forecaster_id(db, f"key:0000000{number}", f"id-{number}", 5)
        yield db


def test_a_caller_has_one_id(db):
    assert forecasts.forecaster_id(db, "key:00000001", "another", 9) == "id-1"
    assert forecasts.count_forecasters(db) == 2


def test_a_name_is_unique(database):
    with database.writing() as db:
        for number in (1, 2):
            forecasts.forecaster_id(db, f"key:0000000{number}", f"id-{number}", 5)
        forecasts.rename_forecaster(db, "key:00000001", "owl")
    with pytest.raises(NameTaken), database.writing() as db:
        forecasts.rename_forecaster(db, "key:00000002", "owl")


def test_a_key_is_forgotten_with_its_end_users(db):
    for number, caller in enumerate(("key:00000001:alice", "key:00000001:bob%_", "key:000000010"), start=3):
        forecasts.forecaster_id(db, caller, f"id-{number}", 5)
    forecasts.forget_forecasters(db, "00000001")
    callers = dict(db.execute(select(forecaster.c.id, forecaster.c.caller)).all())
    assert callers == {"id-1": None, "id-2": "key:00000002", "id-3": None, "id-4": None, "id-5": "key:000000010"}


def test_only_named_forecasters_with_new_scores_are_outdated(db):
    assert forecasts.outdated_forecasters(db) == []
    forecasts.rename_forecaster(db, "key:00000001", "owl")
    assert forecasts.outdated_forecasters(db) == ["id-1"]
    forecasts.save_record(db, "id-1", RECORD, 100)
    forecasts.add_scores(db, "one", 99, {"id-1": SCORE})
    assert forecasts.outdated_forecasters(db) == []
    forecasts.add_scores(db, "two", 100, {"id-1": SCORE, "id-2": None})
    assert forecasts.outdated_forecasters(db) == ["id-1"]
    assert forecasts.find_scores(db, ["id-1", "id-2"]) == {"id-1": {"one": SCORE, "two": SCORE}}


def test_a_record_is_read_as_it_was_kept(db):
    forecasts.rename_forecaster(db, "key:00000001", "owl")
    forecasts.save_record(db, "id-1", RECORD, 100)
    (row,) = forecasts.named_forecasters(db)
    assert row == forecasts.find_forecaster(db, "owl") == ("id-1", "owl", RECORD)
    forecasts.rename_forecaster(db, "key:00000001", "jay")
    assert forecasts.find_forecaster(db, "jay") == ("id-1", "jay", RECORD)
    forecasts.rename_forecaster(db, "key:00000001", None)
    assert (forecasts.named_forecasters(db), forecasts.forecaster_name(db, "key:00000001")) == ([], None)


def test_a_forecaster_without_a_name_gets_no_record(db):
    """The name may be given up while the job computes."""
    forecasts.save_record(db, "id-1", RECORD, 100)
    forecasts.rename_forecaster(db, "key:00000001", "owl")
    assert forecasts.find_forecaster(db, "owl") == ("id-1", "owl", None)
