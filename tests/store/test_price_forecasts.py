"""Waiting price forecasts are stored once, come due at their deadline and are removed one by one."""

from __future__ import annotations

from service.market.instants import DAY, HOUR
from service.store import forecasts
from tests.forecasting.made import NOW, price_forecast

HOURLY, DAILY, GOLD = price_forecast(), price_forecast(horizon="24h"), price_forecast("gold", "24h")


def test_forecasts_come_due_at_their_deadline(database):
    """As they were stored, the earliest deadline first."""
    with database.writing() as db:
        forecasts.add_price_forecasts(db, [GOLD, DAILY], backfilled=True)
        forecasts.add_price_forecasts(db, [HOURLY], backfilled=False)
    with database.reading() as db:
        assert forecasts.due_price_forecasts(db, NOW + HOUR - 1) == []
        assert forecasts.due_price_forecasts(db, NOW + HOUR) == [(HOURLY, False)]
        assert forecasts.due_price_forecasts(db, NOW + DAY) == [(HOURLY, False), (DAILY, True), (GOLD, True)]
        assert forecasts.count_price_forecasts(db) == {(False, "1h"): 1, (True, "24h"): 2}


def test_a_stored_forecast_is_never_replaced(database):
    with database.writing() as db:
        forecasts.add_price_forecasts(db, [HOURLY], backfilled=False)
        forecasts.add_price_forecasts(db, [HOURLY._replace(price=1.0)], backfilled=True)
    with database.reading() as db:
        assert forecasts.due_price_forecasts(db, NOW + DAY) == [(HOURLY, False)]


def test_only_the_named_forecasts_are_removed(database):
    with database.writing() as db:
        forecasts.add_price_forecasts(db, [HOURLY, DAILY, GOLD], backfilled=False)
        forecasts.remove_price_forecasts(db, [DAILY])
        forecasts.remove_price_forecasts(db, [])
    with database.reading() as db:
        assert [row.forecast for row in forecasts.due_price_forecasts(db, NOW + DAY)] == [HOURLY, GOLD]


def test_an_empty_table_has_none(database):
    with database.writing() as db:
        forecasts.add_price_forecasts(db, [], backfilled=False)
    with database.reading() as db:
        assert (forecasts.due_price_forecasts(db, NOW), forecasts.count_price_forecasts(db)) == ([], {})
