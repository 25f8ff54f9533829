"""Pages of markets join to the whole selection in its order, whatever the filters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from service.errors import InvalidRequest
from service.forecasting.predictions import Opinion, Prediction
from service.forecasting.predictions.scores.columns import columns_of
from service.jobs.committing import keep_opened, keep_settlement
from service.market.instants import DAY, HOUR
from service.store import ledger, listings, predictions
from service.store.listings import ListedMarkets, MarketSelection, Tally
from tests.forecasting.markets import MONDAY, days, many, settled, waiting
from tests.store.test_predictions import DEADLINE, YES, answer, bare, keep, names, stored

NOW = days(3)
MARKETS = many(120, weeks=4)
OPEN = [
    waiting(f"open-{n}", opened=MONDAY + n, hours=96 + n % 3, asset=("btc", "xrp")[n % 2], p=0.5 + n / 60)
    for n in range(20)
]
OVER = waiting("awaits-its-bars", hours=24)
WITHOUT_ODDS, VOID = settled("without-odds", odds=None), settled("nothing", "void", asset="gold")
NUMBERS = ("resolved_at", "voted_at", "outcome", "is_challenge", "quote", "p", "is_sided")
SETTLED_MARKET = settled("over")


@pytest.fixture
def market_db(db: Connection) -> Connection:
    """Markets of every status, a challenge and an answer."""
    challenge = replace(waiting("challenge-1", hours=900), category="challenge", number=1)
    oracle_answer = replace(waiting("0123456789abcdef", hours=900), category="answer", author="key:1")
    keep(db, *MARKETS, *OPEN, OVER, WITHOUT_ODDS, VOID, challenge, oracle_answer)
    return db


def walked(db: Connection, selection: MarketSelection, limit: int) -> list[Prediction]:
    """The markets of all pages of a selection."""
    markets, cursor = [], None
    while True:
        page, cursor = listings.market_page(db, selection, NOW, limit, cursor=cursor)
        assert len(page) == limit or cursor is None
        markets += page
        if cursor is None:
            return markets


@pytest.mark.parametrize("limit", [1, 7, 200])
def test_pages_of_resolved_markets_join_to_all_of_them(market_db: Connection, limit: int):
    expected = sorted([*MARKETS, WITHOUT_ODDS], key=lambda market: (market.deadline, market.id), reverse=True)
    assert walked(market_db, MarketSelection("resolved"), limit) == expected


def test_markets_are_selected_by_their_status(market_db: Connection):
    """Open ones by the earliest deadline: neither those past it, nor challenges, nor answers."""
    assert names(walked(market_db, MarketSelection(), 6)) == names(sorted(OPEN, key=lambda m: (m.deadline, m.id)))
    assert names(walked(market_db, MarketSelection(category="challenge"), 6)) == ["challenge-1"]
    assert names(walked(market_db, MarketSelection("void"), 5)) == ["nothing"]
    rows = walked(market_db, MarketSelection("all"), 50)
    assert sorted(names(rows)) == sorted(names([*MARKETS, *OPEN, OVER, WITHOUT_ODDS, VOID]))


def test_markets_are_sorted_as_wanted(market_db: Connection):
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
def test_filters_select_and_combine(market_db: Connection, filters: dict[str, str]):
    def fits(market: Prediction) -> bool:
        fields = {"asset": market.question.asset, "template": market.question.comparator, "category": market.category}
        return all(fields[name] == value for name, value in filters.items())

    expected = {market.id for market in (*MARKETS, WITHOUT_ODDS) if fits(market)}
    assert set(names(walked(market_db, MarketSelection("resolved", **filters), 7))) == expected


def test_votes_can_be_left_out(market_db: Connection):
    """A cursor of other filters is refused."""
    markets, cursor = listings.market_page(market_db, MarketSelection("resolved"), NOW, 5, with_votes=False)
    with pytest.raises(InvalidRequest):
        listings.market_page(market_db, MarketSelection("resolved", asset="btc"), NOW, 5, cursor=cursor)
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
def test_sqlite_walks_an_index_and_sorts_nothing(plan_of, selection: MarketSelection):
    """Sorting 100,000 resolved markets for a page took 240 ms."""
    plan = plan_of(listings.market_keys(selection, NOW))
    assert "COVERING INDEX ix_prediction_by_" in plan
    assert "TEMP B-TREE" not in plan


def lists_alike(db: Connection, memory: ListedMarkets) -> bool:
    rows = columns_of(predictions.listed_predictions(db))
    columns = memory.load(db).columns()
    assert all(np.array_equal(getattr(columns, name), getattr(rows, name), equal_nan=True) for name in NUMBERS)
    assert columns.template.tolist() == rows.template.tolist()
    return [without_reasoning(market) for market in columns.market] == rows.market.tolist()


def without_reasoning(market: Prediction) -> Prediction:
    if market.commitment is None:
        return market
    votes = tuple(replace(vote, forecast=replace(vote.forecast, reasoning="")) for vote in market.votes)
    return replace(market, commitment=replace(market.commitment, votes=votes))


def test_what_is_settled_is_read_once_more_and_kept(db):
    """Settled before, settled meanwhile, new and settled at once, still open; answers are not listed."""
    memory = ListedMarkets()
    keep(db, stored("old", settlement=YES), stored("open"), bare("late"), stored("dare", number=1), answer("no"))
    assert lists_alike(db, memory)
    for id in ("open", "dare"):
        keep_settlement(db, id, YES, DEADLINE + 2)
        assert lists_alike(db, memory)
    keep(db, stored("new"))
    keep_opened(db, [stored("past", settlement=YES)], DEADLINE + 3)
    assert lists_alike(db, memory)
    assert lists_alike(db, memory)


def test_rows_of_one_kind_are_found_between_two_others(db):
    """The first is excluded, the last is not."""
    for id in ("one", "two", "three"):
        keep(db, stored(id))
        keep_settlement(db, id, YES, DEADLINE + 2)
    first, *_, last = [entry.seq for entry in ledger.entries(db, 1, 100, kind="resolution")]
    assert ledger.subjects(db, "resolution", 0, last) == ["one", "two", "three"]
    assert ledger.subjects(db, "resolution", first, last - 1) == ["two"]


@pytest.fixture
def opinion_db(db: Connection) -> Connection:
    """An open market and a settled one, each with two hours of opinions."""
    predictions.add_predictions(db, [waiting("open"), SETTLED_MARKET])
    for hour in (0, 1):
        at = MONDAY + hour * HOUR
        listings.add_opinions(db, "ai", {id: Opinion(at, 0.5 + hour / 10) for id in ("open", "over")})
        listings.add_opinions(db, "odds", {"open": Opinion(at, 0.4 + hour / 10, 0.39, None)})
    return db


def test_the_latest_opinion_of_each_holder_is_read(opinion_db: Connection):
    assert listings.latest_opinions(opinion_db, ["open", "over", "another"]) == {
        "open": {"ai": Opinion(MONDAY + HOUR, 0.6), "odds": Opinion(MONDAY + HOUR, 0.5, 0.39, None)},
        "over": {"ai": Opinion(MONDAY + HOUR, 0.6)},
    }


def test_a_series_is_in_the_order_of_time(opinion_db: Connection):
    """A retried hour keeps its first opinion."""
    listings.add_opinions(opinion_db, "ai", {"open": Opinion(MONDAY, 0.9)})
    series = listings.opinion_series(opinion_db, "open")
    p = {holder: [opinion.p for opinion in opinions] for holder, opinions in series.items()}
    assert p == {"ai": [0.5, 0.6], "odds": [0.4, 0.5]}


@pytest.mark.parametrize(("days", "count"), [(29, 2), (31, 0)])
def test_opinions_are_deleted_a_month_after_the_settlement(opinion_db: Connection, days: int, count: int):
    """Those of open markets stay, so the table is bounded by the open and the lately settled ones."""
    listings.prune_opinions(opinion_db, SETTLED_MARKET.settlement.resolved_at + days * DAY)
    assert [len(listings.opinion_series(opinion_db, id)["ai"]) for id in ("over", "open")] == [count, 2]


@pytest.fixture
def voted_db(db: Connection) -> Connection:
    """Two markets to vote on."""
    predictions.add_predictions(db, [waiting("one"), waiting("two")])
    return db


def cast(db: Connection, *votes: tuple[str, str, bool]) -> None:
    """Vote as caller, market and side say."""
    for caller, market, is_yes in votes:
        listings.cast_vote(db, market, caller, is_yes, at=100)


def test_votes_are_counted_by_market_and_side(voted_db: Connection):
    """Each on a market that there is; one without votes has no tally."""
    assert [listings.vote_tallies(voted_db, ids) for ids in (["one", "nowhere"], [])] == [{}, {}]
    cast(voted_db, ("a", "one", True), ("b", "one", True), ("c", "one", False), ("a", "two", False))
    assert listings.vote_tallies(voted_db, ["one", "two"]) == {"one": Tally(2, 1), "two": Tally(0, 1)}
    assert listings.vote_tallies(voted_db, ["two"]) == {"two": Tally(0, 1)}
    with pytest.raises(IntegrityError), voted_db.begin_nested():
        cast(voted_db, ("a", "nowhere", True))


# Each example votes anew on the same two markets; what earlier ones left is voted over.
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["one", "two"]), st.booleans()), max_size=8))
def test_a_tally_is_of_the_last_vote_of_each_caller(voted_db: Connection, votes):
    votes = [(caller, market, True) for caller in "ab" for market in ("one", "two")] + votes
    cast(voted_db, *votes)
    last = {(caller, market): is_yes for caller, market, is_yes in votes}
    for market in ("one", "two"):
        sides = [is_yes for (_, on), is_yes in last.items() if on == market]
        assert listings.vote_tallies(voted_db, [market]) == {market: Tally(sum(sides), len(sides) - sum(sides))}
