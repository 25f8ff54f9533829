"""Forecasts of forecasters are kept in order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.predictions.scores.forecasters import MarketForecast, MarketForecastScore
from service.store import forecasts, predictions
from tests.forecasting.markets import settled, waiting


@pytest.fixture
def db(database):
    with database.writing() as db:
        predictions.add_predictions(db, [waiting("one"), settled("two")])
        for number in (1, 2):
            forecasts.forecaster_id(db, f"key:0000000{number}", f"id-{number}", 5)
        yield db


def test_forecasts_are_kept_in_order(db):
    first = MarketForecast(3, "two", "id-1", 50, 0.61, "salt")
    later = replace(first, seq=7, p=0.62)
    for forecast in (later, first, replace(first, seq=8, market="one"), replace(first, seq=9, forecaster="id-2")):
        forecasts.add_forecast(db, forecast)
    assert forecasts.market_forecasts(db, "two")[:2] == [first, later]
    assert forecasts.last_forecast(db, "two", "key:00000001") == later
    assert forecasts.last_forecast(db, "two", "key:00000009") is None
    assert [(row.seq, row.market, row.outcome) for row in forecasts.settled_forecasts(db, "id-1", 5)] == [
        (7, "two", "yes"),
        (3, "two", "yes"),
    ]


def test_the_settled_forecasts_are_the_newest(db):
    """At most as many as are wanted, and none of a market that is open."""
    first = MarketForecast(3, "two", "id-1", 50, 0.61, "salt")
    for forecast in (first, replace(first, seq=7, p=0.62), replace(first, seq=8, market="one")):
        forecasts.add_forecast(db, forecast)
    assert [(row.seq, row.p) for row in forecasts.settled_forecasts(db, "id-1", 1)] == [(7, 0.62)]


def test_scores_are_kept_by_market(db):
    """A forecaster without a score of a market has no row."""
    score = MarketForecastScore(0.6, 0.16, 0.51, 0.9)
    forecasts.add_scores(db, "two", 100, {"id-1": score, "id-2": None})
    assert forecasts.find_scores(db, ["id-1", "id-2"]) == {"id-1": {"two": score}}
