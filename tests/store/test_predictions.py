"""Predictions come back as they were stored, and what was written once is never changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from service.forecasting.predictions import LedgerPosition, Prediction, Settlement
from service.forecasting.voters.track_record import Resolved, ResolvedVote
from service.market.instants import DAY
from service.questions.kinds import KINDS
from service.store import predictions
from service.store.tables import prediction, prediction_vote
from tests.forecasting.markets import MONDAY, waiting

DEADLINE = waiting().deadline
VOTES = {"vol": 0.1 + 0.2, "garch": 0.75, "apex": 0.005}
POSITION = LedgerPosition(7, "f" * 64)
YES = Settlement("yes", DEADLINE + 1, "seen", "bars")
AWAITING_VOTES = partial(predictions.awaiting_votes, by_hand=True)
HAS_UNANSWERED = partial(predictions.has_unanswered, by_hand=True)


def stored(id: str = "one", *, votes: dict[str, float] = VOTES, **fields: Any) -> Prediction:
    """A market with votes and odds, unsettled by default; `number` makes it a challenge."""
    fields_of_own = {
        name: fields.pop(name) for name in ("number", "settlement", "category", "author") if name in fields
    }
    if fields_of_own.get("number"):
        fields_of_own["category"] = "challenge"
    return replace(waiting(id, votes=votes, **fields), ledger_position=POSITION, **fields_of_own)


def bare(id: str = "one", **fields: Any) -> Prediction:
    """A market without votes."""
    return replace(stored(id, **fields), commitment=None, odds=None, ledger_position=None)


def answer(id: str, **fields: Any) -> Prediction:
    """An answer of the oracle."""
    return replace(stored(id, category="answer", odds=None, **fields), ledger_position=None)


def keep(database, *markets: Prediction) -> None:
    with database.writing() as db:
        predictions.add_predictions(db, markets)


def ask(database, query, *arguments):
    with database.reading() as db:
        return query(db, *arguments)


def names(markets) -> list[str]:
    return [market.id for market in markets]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_question_can_be_stored(database, kind: str):
    market = stored(comparator=kind)
    keep(database, market)
    with database.reading() as db:
        assert predictions.find_predictions(db, ["one"]) == [market]


def test_a_market_comes_back_as_it_went_in(database):
    """Every number is the same double, the votes are in the order in which they were cast."""
    market = stored(settlement=YES)
    keep(database, market)
    assert ask(database, predictions.find_prediction, "one") == market


def test_every_part_may_be_missing(database):
    draft = replace(stored("three"), ledger_position=None)
    keep(database, bare(author="user:1"), stored("two", odds=None), draft)
    assert ask(database, predictions.find_prediction, "one") == bare(author="user:1")
    assert ask(database, predictions.find_prediction, "two").odds is None
    assert ask(database, predictions.find_prediction, "three") == draft


def test_a_commitment_keeps_abstentions_features_and_views(database):
    """A vote may have no view of the price beside one that has."""
    market = stored()
    first, *others = market.commitment.votes
    other = replace(first, forecast=replace(first.forecast, p_up=0.51))
    commitment = replace(
        market.commitment,
        abstained={"news": "did not answer in time"},
        features=None,
        fitted_at=MONDAY,
        votes=(other, *others),
        p_up=0.505,
    )
    keep(database, replace(market, commitment=commitment))
    assert ask(database, predictions.find_prediction, "one").commitment == commitment


def test_odds_keep_what_their_source_left_out(database):
    market = stored(odds=(None, 0.5, None))
    quote = replace(market.odds, url="https://example.com/one", volume_usd=1234.5)
    keep(database, replace(market, odds=quote))
    assert ask(database, predictions.find_prediction, "one").odds == quote


def test_an_id_is_taken_once(database):
    keep(database, stored())
    with pytest.raises(IntegrityError):
        keep(database, stored("two"), bare("one"))
    assert ask(database, predictions.market_ids) == {"one"}


def test_an_unknown_id_is_not_found(database):
    """A challenge is not a market."""
    assert ask(database, predictions.find_prediction, "one") is None
    assert ask(database, predictions.find_challenge, 1) is None
    keep(database)
    assert (ask(database, predictions.has_markets), ask(database, predictions.market_ids)) == (False, set())
    keep(database, stored("challenge-1", number=1))
    assert not ask(database, predictions.has_markets)
    keep(database, stored("daily"))
    assert ask(database, predictions.has_markets)


def test_votes_are_committed_once_and_never_changed(database):
    """A second voting is refused, and leaves neither a vote nor a place in the ledger behind."""
    keep(database, bare(number=1))
    votes = stored().commitment
    with database.writing() as db:
        assert predictions.add_commitment(db, "one", votes, POSITION)
        assert not predictions.add_commitment(
            db, "one", replace(votes, p=0.9, votes=votes.votes[:1]), LedgerPosition(8, "0" * 64)
        )
        assert not predictions.add_commitment(db, "another", votes, LedgerPosition(9, "0" * 64))
    market = ask(database, predictions.find_prediction, "one")
    assert (market.commitment, market.ledger_position) == (votes, POSITION)
    assert len(ask(database, lambda db: db.execute(select(prediction_vote)).all())) == len(VOTES)


def test_a_market_is_settled_once(database):
    keep(database, stored())
    with database.writing() as db:
        assert predictions.add_settlement(db, "one", YES)
        assert not predictions.add_settlement(db, "one", replace(YES, outcome="no"))
        assert not predictions.add_settlement(db, "another", YES)
    assert ask(database, predictions.find_prediction, "one").settlement == YES


def test_a_market_may_be_settled_before_it_has_votes(database):
    keep(database, bare(number=1))
    with database.writing() as db:
        predictions.add_settlement(db, "one", replace(YES, outcome="void"))
    assert ask(database, predictions.find_prediction, "one").commitment is None
    assert ask(database, predictions.settled_predictions) == [
        replace(bare(number=1), settlement=replace(YES, outcome="void"))
    ]
    assert (ask(database, HAS_UNANSWERED), ask(database, AWAITING_VOTES)) == (False, [])


def test_active_markets_are_open_the_earliest_deadline_first(database):
    """Until the second of their deadline."""
    touch = replace(YES, resolved_at=MONDAY + 3600)
    keep(database, stored("later", hours=72), stored("sooner", hours=48), stored("over", hours=12))
    keep(database, stored("touched", settlement=touch), stored("challenge-1", number=1))
    end = stored("over", hours=12).deadline
    for at, active in ((3600, ["over", "sooner", "later"]), (43_200, ["sooner", "later"])):
        assert names(ask(database, predictions.active_markets, MONDAY + at)) == active
    assert [len(ask(database, predictions.active_markets, at)) for at in (end - 1, end)] == [3, 2]


def test_a_market_was_active_from_its_opening_to_its_end(database):
    """A job that begins again later asks what was open at its own hour."""
    keep(database, stored("touched", settlement=replace(YES, resolved_at=MONDAY + 3600)), stored("open"))
    assert names(ask(database, predictions.active_markets, MONDAY - 1)) == []
    assert names(ask(database, predictions.active_markets, MONDAY + 3599)) == ["open", "touched"]
    assert names(ask(database, predictions.active_markets, MONDAY + 3600)) == ["open"]


def test_a_challenge_is_found_by_its_number(database):
    """Numbers go up from one."""
    assert ask(database, predictions.next_challenge_number) == 1
    keep(database, stored("challenge-7", number=7), stored("daily"))
    assert ask(database, predictions.find_challenge, 7) == stored("challenge-7", number=7)
    assert ask(database, predictions.next_challenge_number) == 8


def test_challenges_await_votes_the_oldest_first(database):
    """Those without votes, and no market."""
    keep(database, stored("challenge-3", number=3), bare("daily"))
    assert (ask(database, HAS_UNANSWERED), ask(database, AWAITING_VOTES)) == (False, [])
    keep(database, bare("challenge-9", number=9, hours=1), bare("challenge-2", number=2, hours=50))
    assert [challenge.number for challenge in ask(database, AWAITING_VOTES)] == [2, 9]
    assert ask(database, HAS_UNANSWERED)


def test_models_alone_are_asked_what_prices_do_not_decide(database):
    """Example: "Will the Fed cut rates?" was voted on by voters that saw prices alone. Open questions wait too."""
    for number, comparator in ((3, "topic"), (4, "open")):
        question = replace(bare().question, comparator=comparator)
        keep(database, replace(bare(f"challenge-{number}", number=number), question=question, resolver="hand"))
    assert not ask(database, partial(predictions.has_unanswered, by_hand=False))
    assert ask(database, partial(predictions.awaiting_votes, by_hand=False)) == []
    assert ask(database, HAS_UNANSWERED)
    assert [market.number for market in ask(database, AWAITING_VOTES)] == [3]


def test_the_unresolved_are_markets_and_challenges(database):
    keep(database, stored("b", hours=2), stored("a", number=1), stored("c", settlement=YES))
    assert names(ask(database, predictions.unresolved_predictions)) == ["b", "a"]


def test_settled_markets_come_in_order_of_resolution(database):
    """Of those settled at once the earlier deadline comes first, then the id."""
    at = {"late": 9, "b": 5, "a": 5, "early": 2}
    keep(database, *(stored(id, settlement=replace(YES, resolved_at=DEADLINE + step)) for id, step in at.items()))
    keep(database, stored("short", hours=2, settlement=replace(YES, resolved_at=DEADLINE + 5)), stored("open"))
    assert names(ask(database, predictions.settled_predictions)) == ["early", "short", "a", "b", "late"]


@pytest.mark.slow
def test_hundreds_of_markets_are_loaded_whole(database):
    """Each with its own votes and odds."""
    markets = [stored(f"m{n:04}", p=n / 1000, odds=(None, n / 1000, None)) for n in range(1, 900)]
    keep(database, *markets)
    assert ask(database, predictions.unresolved_predictions) == markets


class TestAnswers:
    """An answer of the oracle is settled and counted like a market, and neither listed nor numbered."""

    def test_an_answer_comes_back_as_it_was_given(self, database):
        answer_row = answer("a1", settlement=YES, author="key:1")
        with database.writing() as db:
            predictions.add_predictions(db, [answer_row], {"consensus": {"p_yes": 0.4}})
        assert ask(database, predictions.find_prediction, "a1") == answer_row
        assert ask(database, lambda db: db.scalar(select(prediction.c.body))) == '{"consensus":{"p_yes":0.4}}'

    def test_no_list_of_markets_or_challenges_holds_an_answer(self, database):
        keep(database, answer("open"), answer("over", settlement=YES))
        assert ask(database, predictions.active_markets, MONDAY) == []
        for query in (predictions.listed_predictions, predictions.unresolved_predictions, AWAITING_VOTES):
            assert ask(database, query) == []
        assert ask(database, predictions.market_ids) == set()
        assert not ask(database, predictions.has_markets)

    def test_an_answer_is_due_from_its_deadline_on(self, database):
        """Markets are due before, as a touch may be seen at any time."""
        keep(database, answer("a1"), bare("daily"), bare("by-hand"), answer("over", settlement=YES))
        with database.writing() as db:
            db.execute(update(prediction).where(prediction.c.id == "by-hand").values(resolver="hand"))
        assert names(ask(database, predictions.due_predictions, DEADLINE - 1)) == ["daily"]
        assert names(ask(database, predictions.due_predictions, DEADLINE)) == ["daily", "a1"]

    def test_the_oldest_answers_are_due_first_and_not_all_at_once(self, database, monkeypatch):
        monkeypatch.setattr(predictions, "MOST_ANSWERS", 2)
        keep(database, answer("a1"), answer("a2", hours=3), answer("a3", hours=2))
        assert names(ask(database, predictions.due_predictions, DEADLINE)) == ["a3", "a2"]

    def test_settled_answers_come_by_deadline_after_markets(self, database):
        """Those of one deadline come in the order in which they were given, then by id."""
        keep(database, stored("market", settlement=replace(YES, resolved_at=DEADLINE + 99)))
        successor = replace(answer("a0", settlement=YES), created_at=MONDAY + 1)
        keep(database, successor, answer("a2", settlement=YES), answer("a1", settlement=YES))
        keep(database, answer("a9", hours=3, settlement=replace(YES, resolved_at=DEADLINE + 9)), answer("open"))
        assert names(ask(database, predictions.settled_predictions)) == ["market", "a9", "a1", "a2", "a0"]


def resolved(resolved_at: int) -> list[Resolved]:
    return [Resolved("day", resolved_at - 60, resolved_at, True, (ResolvedVote("vol", "embedded", 0.6),))]


def test_a_settlement_outdates_its_day(db):
    """The questions of the others are read in the order of the days."""
    predictions.outdate_days(db, [3 * DAY, DAY + 5, DAY + 7])
    assert (predictions.outdated_days(db), predictions.resolved_questions(db)) == ([DAY, 3 * DAY], [])
    for day in (3 * DAY, DAY):
        predictions.keep_day(db, day, resolved(day + 5))
    assert predictions.outdated_days(db) == []
    assert predictions.resolved_questions(db) == [*resolved(DAY + 5), *resolved(3 * DAY + 5)]
    predictions.outdate_days(db, [DAY + 9])
    assert (predictions.outdated_days(db), predictions.resolved_questions(db)) == ([DAY], resolved(3 * DAY + 5))
