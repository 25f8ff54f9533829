"""Markets and challenges come back as they went in, and what was said of them once is never said again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from service.forecasting.predictions import Settled, Settlement
from service.store import predictions
from service.store.predictions import Stored
from service.store.tables import odds, prediction_vote
from tests.forecasting.rows import MONDAY, settled, waiting

DEADLINE = waiting().market.deadline
VOTES = {"vol": 0.1 + 0.2, "logit": 0.75, "apex": 0.005}
HASH = "f" * 64
YES = Settlement("yes", DEADLINE + 1, "seen", "bars")


def stored(id: str = "one", number: int | None = None, settlement: Settlement | None = None, **fields) -> Stored:
    """A market with votes and odds, open unless a settlement is given."""
    row = waiting(id, votes=VOTES, **fields)
    return Stored(row.market, number, row.commitment, row.odds, settlement, 7, HASH)


def bare(id: str = "one", number: int | None = None, author: str | None = None, **fields) -> Stored:
    """A market that nobody has voted on."""
    market = replace(waiting(id, **fields).market, author=author)
    return Stored(market, number, None, None, None, None, None)


def keep(database, *markets: Stored) -> None:
    with database.writing() as db:
        predictions.add_all(db, markets)


def ask(database, question, *arguments):
    with database.reading() as db:
        return question(db, *arguments)


def names(found) -> list[str]:
    return [one.market.id for one in found]


def test_a_market_comes_back_as_it_went_in(database):
    """Every number is the same double, the votes are in the order in which they were cast."""
    one = stored(settlement=YES)
    keep(database, one)
    assert ask(database, predictions.find, "one") == one


def test_every_part_may_be_missing(database):
    keep(database, bare(author="user:1"), stored("two", odds=None), replace(stored("three"), seq=None, hash=None))
    assert ask(database, predictions.find, "one") == bare(author="user:1")
    assert ask(database, predictions.find, "two").odds is None
    assert ask(database, predictions.find, "three") == replace(stored("three"), seq=None, hash=None)


def test_a_commitment_keeps_who_abstained_and_what_was_shown(database):
    one = stored()
    told = replace(one.commitment, abstained={"forest": "is not fitted yet"}, features="0" * 64, fitted_at=MONDAY)
    keep(database, replace(one, commitment=told))
    assert ask(database, predictions.find, "one").commitment == told


def test_odds_keep_what_their_source_left_out(database):
    one = stored(odds=(None, 0.5, None))
    given = replace(one.odds, url="https://example.com/one", volume_usd=1234.5)
    keep(database, replace(one, odds=given))
    assert ask(database, predictions.find, "one").odds == given


def test_an_id_is_taken_once(database):
    keep(database, stored())
    with pytest.raises(IntegrityError):
        keep(database, stored("two"), bare("one"))
    assert ask(database, predictions.ids) == {"one"}


def test_what_is_not_there_is_not_found(database):
    assert ask(database, predictions.find, "one") is None
    assert ask(database, predictions.find_challenge, 1) is None
    assert not ask(database, predictions.has_any)
    assert ask(database, predictions.ids) == set()
    keep(database)
    assert not ask(database, predictions.has_any)


def test_whether_any_market_was_opened_is_not_told_by_challenges(database):
    keep(database, stored("challenge-1", number=1))
    assert not ask(database, predictions.has_any)
    keep(database, stored("daily"))
    assert ask(database, predictions.has_any)


def test_votes_are_committed_once_and_never_changed(database):
    """A second voting is refused, and leaves neither a vote nor a place in the ledger behind."""
    keep(database, bare(number=1))
    votes = stored().commitment
    with database.writing() as db:
        assert predictions.commit(db, "one", votes, 7, HASH)
        assert not predictions.commit(db, "one", replace(votes, p=0.9, votes=votes.votes[:1]), 8, "0" * 64)
        assert not predictions.commit(db, "another", votes, 9, HASH)
    found = ask(database, predictions.find, "one")
    assert (found.commitment, found.seq, found.hash) == (votes, 7, HASH)
    assert len(ask(database, lambda db: db.execute(select(prediction_vote)).all())) == len(VOTES)


def test_a_market_is_settled_once(database):
    keep(database, stored())
    with database.writing() as db:
        assert predictions.settle(db, "one", YES)
        assert not predictions.settle(db, "one", replace(YES, outcome="no"))
        assert not predictions.settle(db, "another", YES)
    assert ask(database, predictions.find, "one").settlement == YES


def test_a_market_may_be_settled_before_anybody_voted(database):
    keep(database, bare(number=1))
    with database.writing() as db:
        predictions.settle(db, "one", replace(YES, outcome="void"))
    assert ask(database, predictions.find, "one").commitment is None
    assert ask(database, predictions.settled) == [Settled(bare().market, None, None, replace(YES, outcome="void"))]
    assert ask(database, predictions.awaiting_votes) == []
    assert not ask(database, predictions.has_unanswered)


def test_active_markets_are_open_and_not_over_and_the_first_to_end_comes_first(database):
    keep(
        database,
        stored("later", hours=72),
        stored("sooner", hours=48),
        stored("over", hours=12),
        stored("settled", settlement=YES),
        stored("challenge-1", number=1),
    )
    assert names(ask(database, predictions.active, MONDAY + 43_200)) == ["sooner", "later"]
    assert names(ask(database, predictions.active, MONDAY)) == ["over", "sooner", "later"]


def test_a_market_is_active_until_the_second_of_its_deadline(database):
    keep(database, stored())
    assert names(ask(database, predictions.active, DEADLINE - 1)) == ["one"]
    assert names(ask(database, predictions.active, DEADLINE)) == []


def test_the_newest_open_challenges_come_first(database):
    keep(
        database,
        *(stored(f"challenge-{number}", number=number) for number in (1, 2, 10)),
        stored("challenge-3", number=3, settlement=YES),
        stored("challenge-4", number=4, hours=1),
        stored("daily"),
    )
    assert [one.number for one in ask(database, predictions.active_challenges, MONDAY + 3600, 10)] == [10, 2, 1]
    assert [one.number for one in ask(database, predictions.active_challenges, MONDAY + 3600, 2)] == [10, 2]


def test_a_challenge_is_found_by_its_number(database):
    keep(database, stored("challenge-5", number=5), stored("daily"))
    assert ask(database, predictions.find_challenge, 5) == stored("challenge-5", number=5)


def test_numbers_of_challenges_go_up_from_one(database):
    assert ask(database, predictions.next_number) == 1
    keep(database, stored("daily"), bare("challenge-7", number=7))
    assert ask(database, predictions.next_number) == 8


def test_what_awaits_votes_are_the_challenges_nobody_voted_on_the_oldest_first(database):
    keep(
        database,
        bare("challenge-9", number=9, hours=1),
        bare("challenge-2", number=2, hours=50),
        stored("challenge-3", number=3),
        bare("daily"),
    )
    assert [one.number for one in ask(database, predictions.awaiting_votes)] == [2, 9]
    assert ask(database, predictions.has_unanswered)


def test_only_challenges_wait_for_votes(database):
    keep(database, bare("daily"), stored("challenge-3", number=3))
    assert not ask(database, predictions.has_unanswered)
    assert ask(database, predictions.awaiting_votes) == []


def test_the_unresolved_are_all_that_nothing_has_settled(database):
    keep(database, stored("b", hours=2), stored("a", number=1), stored("c", settlement=YES))
    assert names(ask(database, predictions.unresolved)) == ["b", "a"]


def test_the_settled_come_in_the_order_in_which_they_were(database):
    """Of those settled at once the earlier deadline comes first, then the id."""
    at = {"late": 9, "b": 5, "a": 5, "early": 2}
    keep(database, *(stored(id, settlement=replace(YES, resolved_at=DEADLINE + step)) for id, step in at.items()))
    keep(database, stored("short", hours=2, settlement=replace(YES, resolved_at=DEADLINE + 5)), stored("open"))
    assert names(ask(database, predictions.settled)) == ["early", "short", "a", "b", "late"]


def test_a_settled_market_is_the_row_that_scores_are_computed_from(database):
    row = settled(votes=VOTES, outcome="no")
    keep(database, Stored(row.market, None, row.commitment, row.odds, row.settlement, 1, HASH))
    assert ask(database, predictions.settled) == [row]


def test_more_markets_than_fit_into_one_query_are_loaded_whole(database):
    """Each with its own votes and odds."""
    many = [stored(f"m{n:04}", p=n / 1000, odds=(None, n / 1000, None)) for n in range(1, 2 * predictions.AT_ONCE + 2)]
    keep(database, *many)
    assert ask(database, predictions.unresolved) == many


def test_votes_and_odds_belong_to_a_market(database):
    for table in (prediction_vote, odds):
        (key,) = table.foreign_keys
        assert key.column.table.name == "prediction"
