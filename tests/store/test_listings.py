"""Pages of markets join to the whole selection in its order, whatever the filters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.dialects import sqlite

from service.errors import InvalidRequest
from service.forecasting.predictions import Prediction
from service.store import listings, predictions
from service.store.database import Database
from service.store.listings import MarketSelection
from tests.forecasting.markets import MONDAY, days, many, settled, waiting

NOW = days(3)
SETTLED = many(120, weeks=4)
OPEN = [
    waiting(f"open-{n}", opened=MONDAY + n, hours=96 + n % 3, asset=("btc", "xrp")[n % 2], p=0.5 + n / 60)
    for n in range(20)
]
OVER = waiting("awaits-its-bars", hours=24)
OTHERS = [
    settled("without-odds", odds=None),
    settled("nothing", "void", asset="gold"),
    waiting("challenge-1", hours=900),
    waiting("0123456789abcdef", hours=900),
]


@pytest.fixture
def filled(database: Database) -> Database:
    """Markets of every status, a challenge and an answer."""
    *markets, challenge, answer = OTHERS
    rows = [*SETTLED, *OPEN, OVER, *markets]
    rows += [replace(challenge, category="challenge", number=1), replace(answer, category="answer", author="key:1")]
    with database.writing() as db:
        predictions.add_predictions(db, rows)
    return database


def walked(database: Database, selection: MarketSelection, limit: int) -> list[Prediction]:
    """The markets of all pages of a selection."""
    markets, cursor = [], None
    with database.reading() as db:
        while True:
            page = listings.market_page(db, selection, NOW, limit, cursor=cursor)
            assert len(page.markets) == limit or page.following is None
            markets += page.markets
            if page.following is None:
                return markets
            cursor = page.following


def ids(markets: list[Prediction]) -> list[str]:
    return [market.id for market in markets]


@pytest.mark.parametrize("limit", [1, 7, 200])
def test_pages_of_resolved_markets_join_to_all_of_them(filled: Database, limit: int):
    expected = sorted([*SETTLED, OTHERS[0]], key=lambda market: (market.deadline, market.id), reverse=True)
    assert walked(filled, MarketSelection("resolved"), limit) == expected


def test_open_markets_come_by_the_earliest_deadline(filled: Database):
    """Neither those past their deadline, nor challenges, nor answers."""
    assert ids(walked(filled, MarketSelection(), 6)) == ids(sorted(OPEN, key=lambda m: (m.deadline, m.id)))


def test_void_and_all_markets_are_selected(filled: Database):
    assert ids(walked(filled, MarketSelection("void"), 5)) == ["nothing"]
    everything = {market.id for market in (*SETTLED, *OPEN, OVER, *OTHERS[:2])}
    listed = ids(walked(filled, MarketSelection("all"), 50))
    assert (set(listed), len(listed)) == (everything, len(everything))


def test_the_newest_come_first_by_creation(filled: Database):
    listed = walked(filled, MarketSelection("all", sort="created"), 9)
    assert [market.created_at for market in listed] == sorted((m.created_at for m in listed), reverse=True)


def test_the_largest_disagreement_comes_first(filled: Database):
    """Of either sign; a market without odds has none and is left out."""
    listed = walked(filled, MarketSelection("resolved", sort="divergence"), 9)
    sizes = [abs(market.divergence_pts) for market in listed]
    assert (sizes, len(sizes)) == (sorted(sizes, reverse=True), len(SETTLED))


@pytest.mark.parametrize(
    "filters",
    [{"asset": "xrp"}, {"template": "touch_below"}, {"asset": "gold", "template": "up"}, {"category": "weekly"}],
)
def test_filters_select_and_combine(filled: Database, filters: dict[str, str]):
    def fits(market: Prediction) -> bool:
        own = {"asset": market.question.asset, "template": market.question.comparator, "category": market.category}
        return all(own[name] == value for name, value in filters.items())

    expected = {market.id for market in (*SETTLED, OTHERS[0]) if fits(market)}
    assert set(ids(walked(filled, MarketSelection("resolved", **filters), 7))) == expected


def test_votes_can_be_left_out(filled: Database):
    with filled.reading() as db:
        page = listings.market_page(db, MarketSelection("resolved"), NOW, 5, with_votes=False)
    assert [market.votes for market in page.markets] == [()] * 5
    assert all(market.commitment for market in page.markets)


def test_a_cursor_of_other_filters_is_refused(filled: Database):
    with filled.reading() as db:
        cursor = listings.market_page(db, MarketSelection("resolved"), NOW, 5).following
        with pytest.raises(InvalidRequest):
            listings.market_page(db, MarketSelection("resolved", asset="btc"), NOW, 5, cursor=cursor)


@pytest.mark.parametrize(
    "selection",
    [
        MarketSelection("resolved"),
        MarketSelection("resolved", asset="btc"),
        MarketSelection("all", sort="created"),
        MarketSelection("void", sort="divergence"),
    ],
)
def test_sqlite_walks_an_index_and_sorts_nothing(sqlite_url: str, selection: MarketSelection):
    """Sorting 100,000 resolved markets for a page took 240 ms."""
    database = Database(sqlite_url)
    with database.reading() as db:
        plan = " ".join(str(row) for row in db.exec_driver_sql("EXPLAIN QUERY PLAN " + sql_of(selection)))
    database.close()
    assert "COVERING INDEX ix_prediction_by_" in plan
    assert "TEMP B-TREE" not in plan


def sql_of(selection: MarketSelection) -> str:
    query = listings.market_keys(selection, NOW)
    return str(query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
