"""Pages of markets join to the whole selection in its order, whatever the filters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import IntegrityError

from service.errors import InvalidRequest
from service.forecasting.predictions import Opinion, Prediction
from service.forecasting.predictions.scores.columns import columns_of
from service.jobs.committing import keep_opened, keep_settlement
from service.market.instants import DAY, HOUR
from service.store import ledger, listings, predictions
from service.store.database import Database
from service.store.listings import ListedMarkets, MarketSelection, Tally
from tests.forecasting.markets import MONDAY, days, many, settled, waiting
from tests.store.test_predictions import DEADLINE, YES, answer, bare, keep, stored

NOW = days(3)
MARKETS = many(120, weeks=4)
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
def market_db(database: Database) -> Database:
    """Markets of every status, a challenge and an answer."""
    *markets, challenge, answer = OTHERS
    rows = [*MARKETS, *OPEN, OVER, *markets]
    rows += [replace(challenge, category="challenge", number=1), replace(answer, category="answer", author="key:1")]
    with database.writing() as db:
        predictions.add_predictions(db, rows)
    return database


def walked(database: Database, selection: MarketSelection, limit: int) -> list[Prediction]:
    """The markets of all pages of a selection."""
    markets, cursor = [], None
    with database.reading() as db:
        while True:
            page, cursor = listings.market_page(db, selection, NOW, limit, cursor=cursor)
            assert len(page) == limit or cursor is None
            markets += page
            if cursor is None:
                return markets


def ids(markets: list[Prediction]) -> list[str]:
    return [market.id for market in markets]


@pytest.mark.parametrize("limit", [1, 7, 200])
def test_pages_of_resolved_markets_join_to_all_of_them(market_db: Database, limit: int):
    expected = sorted([*MARKETS, OTHERS[0]], key=lambda market: (market.deadline, market.id), reverse=True)
    assert walked(market_db, MarketSelection("resolved"), limit) == expected


def test_markets_are_selected_by_their_status(market_db: Database):
    """Open ones by the earliest deadline: neither those past it, nor challenges, nor answers."""
    assert ids(walked(market_db, MarketSelection(), 6)) == ids(sorted(OPEN, key=lambda m: (m.deadline, m.id)))
    assert ids(walked(market_db, MarketSelection(category="challenge"), 6)) == ["challenge-1"]
    assert ids(walked(market_db, MarketSelection("void"), 5)) == ["nothing"]
    rows = ids(walked(market_db, MarketSelection("all"), 50))
    assert sorted(rows) == sorted(market.id for market in (*MARKETS, *OPEN, OVER, *OTHERS[:2]))


def test_markets_are_sorted_as_wanted(market_db: Database):
    """The newest first, or the largest disagreement of either sign; a market without odds has none and is left out."""
    rows = walked(market_db, MarketSelection("all", sort="created"), 9)
    assert [market.created_at for market in rows] == sorted((m.created_at for m in rows), reverse=True)
    rows = walked(market_db, MarketSelection("resolved", sort="divergence"), 9)
    sizes = [abs(market.divergence_pts) for market in rows]
    assert (sizes, len(sizes)) == (sorted(sizes, reverse=True), len(MARKETS))


@pytest.mark.parametrize(
    "filters",
    [{"asset": "xrp"}, {"template": "touch_below"}, {"asset": "gold", "template": "up"}, {"category": "weekly"}],
)
def test_filters_select_and_combine(market_db: Database, filters: dict[str, str]):
    def fits(market: Prediction) -> bool:
        fields = {"asset": market.question.asset, "template": market.question.comparator, "category": market.category}
        return all(fields[name] == value for name, value in filters.items())

    expected = {market.id for market in (*MARKETS, OTHERS[0]) if fits(market)}
    assert set(ids(walked(market_db, MarketSelection("resolved", **filters), 7))) == expected


def test_votes_can_be_left_out(market_db: Database):
    """A cursor of other filters is refused."""
    with market_db.reading() as db:
        markets, cursor = listings.market_page(db, MarketSelection("resolved"), NOW, 5, with_votes=False)
        with pytest.raises(InvalidRequest):
            listings.market_page(db, MarketSelection("resolved", asset="btc"), NOW, 5, cursor=cursor)
    assert [market.votes for market in markets] == [()] * 5
    assert all(market.commitment for market in markets)


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


NUMBERS = ("resolved_at", "voted_at", "outcome", "is_challenge", "quote", "p", "is_sided")


def lists_alike(database, memory: ListedMarkets) -> bool:
    with database.reading() as db:
        rows = columns_of(predictions.listed_predictions(db))
        columns = memory.load(db).columns()
    assert all(np.array_equal(getattr(columns, name), getattr(rows, name), equal_nan=True) for name in NUMBERS)
    assert columns.template.tolist() == rows.template.tolist()
    return [without_reasoning(market) for market in columns.market] == rows.market.tolist()


def without_reasoning(market):
    if market.commitment is None:
        return market
    votes = tuple(replace(vote, forecast=replace(vote.forecast, reasoning="")) for vote in market.votes)
    return replace(market, commitment=replace(market.commitment, votes=votes))


def test_what_is_settled_is_read_once_more_and_kept(database):
    """Settled before, settled meanwhile, new and settled at once, still open; answers are not listed."""
    memory = ListedMarkets()
    keep(database, stored("old", settlement=YES), stored("open"), bare("late"), stored("dare", number=1), answer("no"))
    assert lists_alike(database, memory)
    for id in ("open", "dare"):
        with database.writing() as db:
            keep_settlement(db, id, YES, DEADLINE + 2)
        assert lists_alike(database, memory)
    keep(database, stored("new"))
    with database.writing() as db:
        keep_opened(db, [stored("past", settlement=YES)], DEADLINE + 3)
    assert lists_alike(database, memory)
    assert lists_alike(database, memory)


def test_rows_of_one_kind_are_found_between_two_others(database):
    """The first is excluded, the last is not."""
    with database.writing() as db:
        for id in ("one", "two", "three"):
            predictions.add_predictions(db, [stored(id)])
            keep_settlement(db, id, YES, DEADLINE + 2)
        first, *_, last = [entry.seq for entry in ledger.entries(db, 1, 100, kind="resolution")]
        assert ledger.subjects(db, "resolution", 0, last) == ["one", "two", "three"]
        assert ledger.subjects(db, "resolution", first, last - 1) == ["two"]


SETTLED_MARKET = settled("over")
SETTLED_AT = SETTLED_MARKET.settlement.resolved_at


@pytest.fixture
def opinion_db(database: Database) -> Database:
    """An open market and a settled one, each with two hours of opinions."""
    with database.writing() as db:
        predictions.add_predictions(db, [waiting("open"), SETTLED_MARKET])
        for hour in (0, 1):
            at = MONDAY + hour * HOUR
            listings.add_opinions(db, "ai", {id: Opinion(at, 0.5 + hour / 10) for id in ("open", "over")})
            listings.add_opinions(db, "odds", {"open": Opinion(at, 0.4 + hour / 10, 0.39, None)})
    return database


def test_the_latest_opinion_of_each_holder_is_read(opinion_db: Database):
    with opinion_db.reading() as db:
        opinions = listings.latest_opinions(db, ["open", "over", "another"])
    assert opinions == {
        "open": {"ai": Opinion(MONDAY + HOUR, 0.6), "odds": Opinion(MONDAY + HOUR, 0.5, 0.39, None)},
        "over": {"ai": Opinion(MONDAY + HOUR, 0.6)},
    }


def test_a_series_is_in_the_order_of_time(opinion_db: Database):
    """A retried hour keeps its first opinion."""
    with opinion_db.writing() as db:
        listings.add_opinions(db, "ai", {"open": Opinion(MONDAY, 0.9)})
    with opinion_db.reading() as db:
        series = listings.opinion_series(db, "open")
    assert {holder: [opinion.p for opinion in row] for holder, row in series.items()} == {
        "ai": [0.5, 0.6],
        "odds": [0.4, 0.5],
    }


@pytest.mark.parametrize(("days", "count"), [(29, 2), (31, 0)])
def test_opinions_are_deleted_a_month_after_the_settlement(opinion_db: Database, days: int, count: int):
    """Those of open markets stay, so the table is bounded by the open and the lately settled ones."""
    with opinion_db.writing() as db:
        listings.prune_opinions(db, SETTLED_AT + days * DAY)
        assert len(listings.opinion_series(db, "over")["ai"]) == count
        assert len(listings.opinion_series(db, "open")["ai"]) == 2


@pytest.fixture
def markets(database):
    """Two markets to vote on."""
    with database.writing() as db:
        for id in ("one", "two"):
            predictions.add_predictions(db, [waiting(id)])
    return database


def cast(database, market: str, caller: str, is_yes: bool) -> None:
    with database.writing() as db:
        listings.cast_vote(db, market, caller, is_yes, at=100)


def tallies(database, *markets: str) -> dict[str, Tally]:
    with database.reading() as db:
        return listings.vote_tallies(db, markets)


def test_votes_are_counted_by_market_and_side(markets):
    """Each on a market that there is; one without votes has no tally."""
    assert (tallies(markets, "one", "nowhere"), tallies(markets), Tally()) == ({}, {}, (0, 0))
    for caller, market, is_yes in (("a", "one", True), ("b", "one", True), ("c", "one", False), ("a", "two", False)):
        cast(markets, market, caller, is_yes)
    assert tallies(markets, "one", "two") == {"one": Tally(2, 1), "two": Tally(0, 1)}
    assert tallies(markets, "two") == {"two": Tally(0, 1)}
    with pytest.raises(IntegrityError):
        cast(markets, "nowhere", "a", True)


# Each example votes anew on the same two markets; what earlier ones left is voted over.
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["one", "two"]), st.booleans()), max_size=8))
def test_a_tally_is_of_the_last_vote_of_each_caller(markets, votes):
    first = [(caller, market, True) for caller in "ab" for market in ("one", "two")]
    for caller, market, is_yes in first + votes:
        cast(markets, market, caller, is_yes)
    last = {(caller, market): is_yes for caller, market, is_yes in first + votes}
    for market in ("one", "two"):
        sides = [is_yes for (_, on), is_yes in last.items() if on == market]
        assert tallies(markets, market)[market] == Tally(sum(sides), len(sides) - sum(sides))
