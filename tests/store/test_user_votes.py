"""One vote of each caller on each market, and the last one counts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from service.store import listings, predictions
from service.store.listings import Tally
from tests.forecasting.markets import waiting


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
    for caller, market, is_yes in (("a", "one", True), ("b", "one", True), ("c", "one", False), ("a", "two", False)):
        cast(markets, market, caller, is_yes)
    assert tallies(markets, "one", "two") == {"one": Tally(2, 1), "two": Tally(0, 1)}
    assert tallies(markets, "two") == {"two": Tally(0, 1)}


def test_a_market_without_votes_has_no_tally(markets):
    assert tallies(markets, "one", "nowhere") == {}
    assert tallies(markets) == {}
    assert Tally() == (0, 0)


def test_a_vote_may_be_changed_and_counts_once(markets):
    for is_yes in (True, False, False):
        cast(markets, "one", "a", is_yes)
    assert tallies(markets, "one") == {"one": Tally(0, 1)}


def test_a_vote_is_on_a_market_that_there_is(markets):
    with pytest.raises(IntegrityError):
        cast(markets, "nowhere", "a", True)


# Each example votes anew on the same two markets; what earlier ones left is voted over.
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["one", "two"]), st.booleans()), max_size=8))
def test_a_tally_is_of_the_last_vote_of_each_caller(markets, votes):
    every = [(caller, market, True) for caller in "ab" for market in ("one", "two")]
    for caller, market, is_yes in every + votes:
        cast(markets, market, caller, is_yes)
    last = {(caller, market): is_yes for caller, market, is_yes in every + votes}
    for market in ("one", "two"):
        sides = [is_yes for (_, on), is_yes in last.items() if on == market]
        assert tallies(markets, market)[market] == Tally(sum(sides), len(sides) - sum(sides))
