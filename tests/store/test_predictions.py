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
from service.market.instants import DAY, HOUR
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


def stored(id: str = "one", *, settlement: Settlement | None = None, **fields: Any) -> Prediction:
    """A market with votes and odds, unsettled by default; `number` makes it a challenge."""
    own_fields = {name: fields.pop(name) for name in ("number", "category", "author") if name in fields}
    if "number" in own_fields:
        own_fields["category"] = "challenge"
    market = waiting(id, **{"votes": VOTES} | fields)
    return replace(market, ledger_position=POSITION, settlement=settlement, **own_fields)


def bare(id: str = "one", **fields: Any) -> Prediction:
    """A market without votes."""
    return replace(stored(id, **fields), commitment=None, odds=None, ledger_position=None)


def answer(id: str, **fields: Any) -> Prediction:
    """An answer of the oracle."""
    return replace(stored(id, category="answer", odds=None, **fields), ledger_position=None)


def keep(db, *markets: Prediction) -> None:
    predictions.add_predictions(db, markets)


def names(markets) -> list[str]:
    return [market.id for market in markets]


ODDS = stored(odds=(None, 0.5, None)).odds
COMMITMENT = stored().commitment
FIRST, *OTHERS = COMMITMENT.votes
MIXED_VIEWS = replace(
    COMMITMENT,
    abstained={"news": "did not answer in time"},
    features=None,
    fitted_at=MONDAY,
    votes=(replace(FIRST, forecast=replace(FIRST.forecast, p_up=0.51)), *OTHERS),
    p_up=0.505,
)
PREDICTIONS = {
    **{f"a question of the kind {kind}": stored(comparator=kind) for kind in KINDS},
    "a settled market": stored(settlement=YES),
    "without votes": bare(author="user:1"),
    "without odds": stored(odds=None),
    "without a place in the ledger": replace(stored(), ledger_position=None),
    "with abstentions, and one vote that has a view of the price": replace(stored(), commitment=MIXED_VIEWS),
    "with odds of a price alone": replace(stored(), odds=replace(ODDS, url="https://example.com/1", volume_usd=1.5)),
    "an answer": answer("one", settlement=YES, author="key:1"),
}


@pytest.mark.parametrize("market", PREDICTIONS.values(), ids=PREDICTIONS)
def test_a_prediction_comes_back_as_it_went_in(db, market: Prediction):
    """Every number is the same double, the votes are in the order in which they were cast; any part may be missing."""
    keep(db, market)
    assert predictions.find_predictions(db, ["one"]) == [predictions.find_prediction(db, "one")] == [market]


def test_an_answer_is_kept_as_it_was_published(db):
    predictions.add_predictions(db, [answer("a1")], {"consensus": {"p_yes": 0.4}})
    assert db.scalar(select(prediction.c.body)) == '{"consensus":{"p_yes":0.4}}'


def test_an_id_is_taken_once(db):
    keep(db, stored())
    with pytest.raises(IntegrityError), db.begin_nested():
        keep(db, stored("two"), bare("one"))
    assert predictions.market_ids(db) == {"one"}


def test_an_unknown_id_is_not_found(db):
    """A challenge is not a market."""
    assert predictions.find_prediction(db, "one") is None
    assert predictions.find_challenge(db, 1) is None
    keep(db)
    assert (predictions.has_markets(db), predictions.market_ids(db)) == (False, set())
    keep(db, stored("challenge-1", number=1))
    assert not predictions.has_markets(db)
    keep(db, stored("daily"))
    assert predictions.has_markets(db)


def test_votes_are_committed_once_and_never_changed(db):
    """A second voting is refused, and leaves neither a vote nor a place in the ledger behind."""
    keep(db, bare(number=1))
    votes = stored().commitment
    assert predictions.add_commitment(db, "one", votes, POSITION)
    others = replace(votes, p=0.9, votes=votes.votes[:1])
    assert not predictions.add_commitment(db, "one", others, LedgerPosition(8, "0" * 64))
    assert not predictions.add_commitment(db, "another", votes, LedgerPosition(9, "0" * 64))
    market = predictions.find_prediction(db, "one")
    assert (market.commitment, market.ledger_position) == (votes, POSITION)
    assert len(db.execute(select(prediction_vote)).all()) == len(VOTES)


def test_a_market_is_settled_once(db):
    keep(db, stored())
    assert predictions.add_settlement(db, "one", YES)
    assert not predictions.add_settlement(db, "one", replace(YES, outcome="no"))
    assert not predictions.add_settlement(db, "another", YES)
    assert predictions.find_prediction(db, "one").settlement == YES


def test_a_market_may_be_settled_before_it_has_votes(db):
    keep(db, bare(number=1))
    void = replace(YES, outcome="void")
    predictions.add_settlement(db, "one", void)
    assert predictions.settled_predictions(db) == [replace(bare(number=1), settlement=void)]
    assert (HAS_UNANSWERED(db), AWAITING_VOTES(db)) == (False, [])


@pytest.mark.parametrize(
    ("at", "ids"),
    [
        (-1, []),
        (HOUR - 1, ["over", "touched", "sooner", "later"]),
        (HOUR, ["over", "sooner", "later"]),
        (12 * HOUR - 2, ["over", "sooner", "later"]),
        (12 * HOUR - 1, ["sooner", "later"]),
    ],
)
def test_a_market_is_active_from_its_opening_to_its_end(db, at: int, ids: list[str]):
    """The earliest deadline comes first. A job that begins again later asks what was open at its own hour."""
    touch = replace(YES, resolved_at=MONDAY + HOUR)
    keep(db, stored("later", hours=72), stored("sooner", hours=48), stored("over", hours=12))
    keep(db, stored("touched", settlement=touch), stored("challenge-1", number=1))
    assert names(predictions.active_markets(db, MONDAY + at)) == ids


def test_a_reader_finds_what_was_committed(database):
    """On a connection that cannot write, as every answer of the service does."""
    with database.writing() as db:
        keep(db, stored(), stored("challenge-7", number=7))
    with database.reading() as db:
        assert predictions.find_prediction(db, "one") == stored()
        assert predictions.find_challenge(db, 7) == stored("challenge-7", number=7)
        assert names(predictions.find_predictions(db, ["challenge-7"])) == ["challenge-7"]


def test_a_challenge_is_found_by_its_number(db):
    """Numbers go up from one."""
    assert predictions.next_challenge_number(db) == 1
    keep(db, stored("challenge-7", number=7), stored("daily"))
    assert predictions.find_challenge(db, 7) == stored("challenge-7", number=7)
    assert predictions.next_challenge_number(db) == 8


def test_challenges_await_votes_the_oldest_first(db):
    """Those without votes, and no market."""
    keep(db, stored("challenge-3", number=3), bare("daily"))
    assert (HAS_UNANSWERED(db), AWAITING_VOTES(db)) == (False, [])
    keep(db, bare("challenge-9", number=9, hours=1), bare("challenge-2", number=2, hours=50))
    assert [challenge.number for challenge in AWAITING_VOTES(db)] == [2, 9]
    assert HAS_UNANSWERED(db)


def test_models_alone_are_asked_what_prices_do_not_decide(db):
    """Example: "Will the Fed cut rates?" was voted on by voters that saw prices alone. Open questions wait too."""
    for number, comparator in ((3, "topic"), (4, "open")):
        question = replace(bare().question, comparator=comparator)
        keep(db, replace(bare(f"challenge-{number}", number=number), question=question, resolver="hand"))
    assert not predictions.has_unanswered(db, by_hand=False)
    assert predictions.awaiting_votes(db, by_hand=False) == []
    assert HAS_UNANSWERED(db)
    assert [market.number for market in AWAITING_VOTES(db)] == [3]


def test_the_unresolved_are_markets_and_challenges(db):
    keep(db, stored("b", hours=2), stored("a", number=1), stored("c", settlement=YES))
    assert names(predictions.unresolved_predictions(db)) == ["b", "a"]


def test_settled_markets_come_in_order_of_resolution(db):
    """Of those settled at once the earlier deadline comes first, then the id."""
    at = {"late": 9, "b": 5, "a": 5, "early": 2}
    keep(db, *(stored(id, settlement=replace(YES, resolved_at=DEADLINE + step)) for id, step in at.items()))
    keep(db, stored("short", hours=2, settlement=replace(YES, resolved_at=DEADLINE + 5)), stored("open"))
    assert names(predictions.settled_predictions(db)) == ["early", "short", "a", "b", "late"]


@pytest.mark.slow
def test_hundreds_of_markets_are_loaded_whole(db):
    """Each with its own votes and odds."""
    markets = [stored(f"m{n:04}", p=n / 1000, odds=(None, n / 1000, None)) for n in range(1, 900)]
    keep(db, *markets)
    assert predictions.unresolved_predictions(db) == markets


def test_no_list_of_markets_or_challenges_holds_an_answer(db):
    """It is settled and counted like a market, and neither listed nor numbered."""
    keep(db, answer("open"), answer("over", settlement=YES))
    assert predictions.active_markets(db, MONDAY) == []
    for query in (predictions.listed_predictions, predictions.unresolved_predictions, AWAITING_VOTES):
        assert query(db) == []
    assert predictions.market_ids(db) == set()
    assert not predictions.has_markets(db)


def test_an_answer_is_due_from_its_deadline_on(db):
    """Markets are due before, as a touch may be seen at any time."""
    keep(db, answer("a1"), bare("daily"), bare("by-hand"), answer("over", settlement=YES))
    db.execute(update(prediction).where(prediction.c.id == "by-hand").values(resolver="hand"))
    assert names(predictions.due_predictions(db, DEADLINE - 1)) == ["daily"]
    assert names(predictions.due_predictions(db, DEADLINE)) == ["daily", "a1"]


def test_the_oldest_answers_are_due_first_and_not_all_at_once(db, monkeypatch):
    monkeypatch.setattr(predictions, "MOST_ANSWERS", 2)
    keep(db, answer("a1"), answer("a2", hours=3), answer("a3", hours=2))
    assert names(predictions.due_predictions(db, DEADLINE)) == ["a3", "a2"]


def test_settled_answers_come_by_deadline_after_markets(db):
    """Those of one deadline come in the order in which they were given, then by id."""
    keep(db, stored("market", settlement=replace(YES, resolved_at=DEADLINE + 99)))
    successor = replace(answer("a0", settlement=YES), created_at=MONDAY + 1)
    keep(db, successor, answer("a2", settlement=YES), answer("a1", settlement=YES))
    keep(db, answer("a9", hours=3, settlement=replace(YES, resolved_at=DEADLINE + 9)), answer("open"))
    assert names(predictions.settled_predictions(db)) == ["market", "a9", "a1", "a2", "a0"]


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
