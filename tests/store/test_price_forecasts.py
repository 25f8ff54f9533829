"""Waiting price forecasts are stored once, come due at their deadline and are removed one by one."""

from __future__ import annotations

from service.market.instants import DAY, HOUR
from service.store import price_forecasts
from tests.forecasting.made import NOW, price_forecast

HOURLY, DAILY, GOLD = price_forecast(), price_forecast(horizon="24h"), price_forecast("gold", "24h")


def test_forecasts_come_due_at_their_deadline(database):
    """As they were stored, the earliest deadline first."""
    with database.writing() as db:
        price_forecasts.add(db, [GOLD, DAILY], backfilled=True)
        price_forecasts.add(db, [HOURLY], backfilled=False)
    with database.reading() as db:
        assert price_forecasts.due(db, NOW + HOUR - 1) == []
        assert price_forecasts.due(db, NOW + HOUR) == [(HOURLY, False)]
        assert price_forecasts.due(db, NOW + DAY) == [(HOURLY, False), (DAILY, True), (GOLD, True)]
        assert price_forecasts.count(db) == {(False, "1h"): 1, (True, "24h"): 2}


def test_a_stored_forecast_is_never_replaced(database):
    with database.writing() as db:
        price_forecasts.add(db, [HOURLY], backfilled=False)
        price_forecasts.add(db, [HOURLY._replace(price=1.0)], backfilled=True)
    with database.reading() as db:
        assert price_forecasts.due(db, NOW + DAY) == [(HOURLY, False)]


def test_only_the_named_forecasts_are_removed(database):
    with database.writing() as db:
        price_forecasts.add(db, [HOURLY, DAILY, GOLD], backfilled=False)
        price_forecasts.remove(db, [DAILY])
        price_forecasts.remove(db, [])
    with database.reading() as db:
        assert [row.forecast for row in price_forecasts.due(db, NOW + DAY)] == [HOURLY, GOLD]


def test_an_empty_table_has_none(database):
    with database.writing() as db:
        price_forecasts.add(db, [], backfilled=False)
    with database.reading() as db:
        assert (price_forecasts.due(db, NOW), price_forecasts.count(db)) == ([], {})
