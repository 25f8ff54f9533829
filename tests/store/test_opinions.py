"""Hourly opinions on open markets: one of each holder an hour, until a month after the settlement."""

from __future__ import annotations

import pytest

from service.forecasting.predictions import Opinion
from service.market.instants import DAY, HOUR
from service.store import listings, predictions
from service.store.database import Database
from tests.forecasting.markets import MONDAY, settled, waiting

OVER = settled("over")
SETTLED_AT = OVER.settlement.resolved_at


@pytest.fixture
def markets(database: Database) -> Database:
    """An open market and a settled one, each with two hours of opinions."""
    with database.writing() as db:
        predictions.add_predictions(db, [waiting("open"), OVER])
        for hour in (0, 1):
            at = MONDAY + hour * HOUR
            listings.add_opinions(db, "ai", {id: Opinion(at, 0.5 + hour / 10) for id in ("open", "over")})
            listings.add_opinions(db, "odds", {"open": Opinion(at, 0.4 + hour / 10, 0.39, None)})
    return database


def test_the_latest_opinion_of_each_holder_is_read(markets: Database):
    with markets.reading() as db:
        held = listings.latest_opinions(db, ["open", "over", "another"])
    assert held == {
        "open": {"ai": Opinion(MONDAY + HOUR, 0.6), "odds": Opinion(MONDAY + HOUR, 0.5, 0.39, None)},
        "over": {"ai": Opinion(MONDAY + HOUR, 0.6)},
    }


def test_a_series_is_in_the_order_of_time(markets: Database):
    with markets.reading() as db:
        series = listings.opinion_series(db, "open")
    assert [opinion.p for opinion in series["ai"]] == [0.5, 0.6]
    assert [opinion.p for opinion in series["odds"]] == [0.4, 0.5]


def test_a_retried_hour_keeps_its_first_opinion(markets: Database):
    with markets.writing() as db:
        listings.add_opinions(db, "ai", {"open": Opinion(MONDAY, 0.9)})
    with markets.reading() as db:
        assert listings.opinion_series(db, "open")["ai"][0].p == 0.5


@pytest.mark.parametrize(("days", "kept"), [(29, 2), (31, 0)])
def test_opinions_are_deleted_a_month_after_the_settlement(markets: Database, days: int, kept: int):
    """Those of open markets stay, so the table is bounded by the open and the lately settled ones."""
    with markets.writing() as db:
        listings.prune_opinions(db, SETTLED_AT + days * DAY)
        assert len(listings.opinion_series(db, "over")["ai"]) == kept
        assert len(listings.opinion_series(db, "open")["ai"]) == 2
