"""Forecasts of forecasters are kept in order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from service.errors import NameTaken
from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecasters import counted_markets, record_of
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, MarketForecastScore
from service.market.instants import DAY, HOUR
from service.store import forecasts, predictions
from service.store.tables import forecaster
from tests.forecasting.made import NOW, price_forecast
from tests.forecasting.markets import settled, waiting

SCORE = MarketForecastScore(0.6, 0.04, 0.16, 0.51, 0.9, 0.03)
RECORD = record_of({}, counted_markets(columns_of([])))
HOURLY, DAILY, GOLD = price_forecast(), price_forecast(horizon="24h"), price_forecast("gold", "24h")


@pytest.fixture
def db(db):
    predictions.add_predictions(db, [waiting("one"), settled("two")])
    for number in (1, 2):
        forecasts.forecaster_id(db, f"key:0000000{number}", f"id-{number}", 5)
    return db


def test_forecasts_are_kept_in_order(db):
    first = MarketForecast(3, "two", "id-1", 50, 0.61, "salt")
    later = replace(first, seq=7, p=0.62)
    for forecast in (later, first, replace(first, seq=8, market="one"), replace(first, seq=9, forecaster="id-2")):
        forecasts.add_forecast(db, forecast)
    assert forecasts.market_forecasts(db, "two")[:2] == [first, later]
    assert forecasts.last_forecast(db, "two", "key:00000001") == later
    assert forecasts.last_forecast(db, "two", "key:00000009") is None
    rows = [(row.seq, row.market, row.outcome) for row in forecasts.settled_forecasts(db, "id-1", 5)]
    assert rows == [(7, "two", "yes"), (3, "two", "yes")]
    assert [row.p for row in forecasts.settled_forecasts(db, "id-1", 1)] == [0.62]


def test_whoever_gave_up_a_name_stays_an_entrant(db):
    """Or a revoked key; a puppet master shows the best of its names. One without a score could never be shown."""
    assert forecasts.count_entrants(db) == 0
    for number in (1, 2):
        forecasts.count_since(db, f"id-{number}", number)
    forecasts.add_scores(db, "two", 100, {"id-1": SCORE})
    assert forecasts.count_entrants(db) == 1
    forecasts.add_scores(db, "two", 100, {"id-2": SCORE})
    forecasts.rename_forecaster(db, "key:00000001", None)
    forecasts.forget_forecasters(db, "00000002")
    assert forecasts.count_entrants(db) == 2


def test_a_caller_has_one_id(db):
    assert forecasts.forecaster_id(db, "key:00000001", "another", 9) == "id-1"
    assert forecasts.count_forecasters(db) == 2


def test_a_name_is_unique(db):
    forecasts.rename_forecaster(db, "key:00000001", "owl")
    with pytest.raises(NameTaken), db.begin_nested():
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
    forecasts.add_scores(db, "two", 100, {"id-1": SCORE})
    assert forecasts.outdated_forecasters(db) == ["id-1"]
    assert forecasts.find_scores(db, ["id-1", "id-2"]) == {"id-1": {"one": SCORE, "two": SCORE}}


def test_a_record_is_read_as_it_was_kept(db):
    """Without a name there is none: the name may be given up while the job computes."""
    forecasts.save_record(db, "id-1", RECORD, 100)
    forecasts.rename_forecaster(db, "key:00000001", "owl")
    assert forecasts.find_forecaster(db, "owl") == ("id-1", "owl", None)
    forecasts.save_record(db, "id-1", RECORD, 100)
    (row,) = forecasts.named_forecasters(db)
    assert row == forecasts.find_forecaster(db, "owl") == ("id-1", "owl", RECORD)
    forecasts.rename_forecaster(db, "key:00000001", "jay")
    assert forecasts.find_forecaster(db, "jay") == ("id-1", "jay", RECORD)
    forecasts.rename_forecaster(db, "key:00000001", None)
    assert (forecasts.named_forecasters(db), forecasts.forecaster_name(db, "key:00000001")) == ([], None)


def test_forecasts_come_due_at_their_deadline(db):
    """As they were stored, the earliest deadline first."""
    forecasts.add_price_forecasts(db, [GOLD, DAILY], backfilled=True)
    forecasts.add_price_forecasts(db, [HOURLY], backfilled=False)
    assert forecasts.due_price_forecasts(db, NOW + HOUR - 1) == []
    assert forecasts.due_price_forecasts(db, NOW + HOUR) == [(HOURLY, False)]
    assert forecasts.due_price_forecasts(db, NOW + DAY) == [(HOURLY, False), (DAILY, True), (GOLD, True)]
    assert forecasts.count_price_forecasts(db) == {(False, "1h"): 1, (True, "24h"): 2}


def test_a_stored_forecast_is_never_replaced(db):
    """Only the named ones are removed, and an empty table has none."""
    forecasts.add_price_forecasts(db, [], backfilled=False)
    assert (forecasts.due_price_forecasts(db, NOW + DAY), forecasts.count_price_forecasts(db)) == ([], {})
    forecasts.add_price_forecasts(db, [HOURLY, DAILY, GOLD], backfilled=False)
    forecasts.add_price_forecasts(db, [HOURLY._replace(price=1.0)], backfilled=True)
    # An IN of PostgreSQL takes some 8,000 rows.
    book = [DAILY._replace(at=DAILY.at - HOUR * hours) for hours in range(10_000)]
    forecasts.add_price_forecasts(db, book, backfilled=False)
    forecasts.remove_price_forecasts(db, book)
    forecasts.remove_price_forecasts(db, [])
    assert forecasts.due_price_forecasts(db, NOW + DAY) == [(HOURLY, False), (GOLD, False)]
