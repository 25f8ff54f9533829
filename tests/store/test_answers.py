"""The oracle's answers as their callers read them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import TypeAdapter
from sqlalchemy import Connection, select, update

from service import canonical
from service.forecasting.predictions import Settlement
from service.forecasting.predictions.commitments import WITHDRAWN
from service.forecasting.voters.ballots import EMBEDDED, Ballot, Forecast, PanelResult
from service.forecasting.voters.panel import pool
from service.forecasting.voters.track_record import BandRecord
from service.forecasting.voters.votes import Answer, publish
from service.store import answers, keys, listings, predictions
from service.store.answers import erase_answers, erase_keys
from service.store.listings import Tally
from service.store.tables import prediction
from tests.forecasting.made import meaning_of
from tests.forecasting.markets import ENDS, MONDAY, OPENED, QUESTION, settled, waiting

ANN, BEN = "key:ann", "key:ben"
ANSWER = TypeAdapter(Answer)
P = 0.7


@pytest.fixture
def given_answer(db: Connection) -> Callable[..., Answer]:
    """Store an answer to a caller as the oracle does, and return it."""

    def store(id: str, caller: str = ANN, at: int = OPENED) -> Answer:
        ballots = tuple(Ballot(f"v{n}", EMBEDDED, Forecast(0.6, "because", p_up=0.5), 1.0) for n in range(3))
        result = PanelResult(QUESTION, at, at, ballots, {"x": "late"}, pool(ballots, BandRecord()))
        answer = publish(result, meaning_of(QUESTION), BandRecord(), id=id, world="simulated")
        market = waiting(id, votes={"vol": P})
        market = replace(market, category="answer", author=caller, created_at=at, odds=None, question=QUESTION)
        predictions.add_predictions(db, [market], ANSWER.dump_python(answer, mode="json"))
        return answer

    return store


def ids(db: Connection, caller: str, cursor: str | None = None) -> tuple[list[str], str | None]:
    """A page of two answers: their ids, and the cursor of the next one."""
    page, following = answers.answers_page(db, caller, 2, cursor=cursor, with_votes=True)
    return [answer.id for answer in page], following


def test_pages_go_from_the_newest_to_the_oldest(db, given_answer):
    """Two answers of one second are not lost between pages."""
    for number, id in enumerate(("a", "b", "c", "d", "e")):
        given_answer(id, at=OPENED + number // 2)
    first, cursor = ids(db, ANN)
    second, following = ids(db, ANN, cursor)
    third, end = ids(db, ANN, following)
    assert (first, second, third, end) == (["e", "d"], ["c", "b"], ["a"], None)


def test_an_answer_is_its_callers_alone(db, given_answer):
    given_answer("a")
    assert ids(db, BEN) == ([], None)
    assert answers.find_answer(db, "a", BEN) is None
    assert answers.find_answer(db, "a", ANN).id == "a"


def test_it_reads_as_it_was_given(db, given_answer):
    """Without votes where only the list is wanted."""
    answer = given_answer("a")
    copy = answers.find_answer(db, "a", ANN)
    ((entry,), _) = answers.answers_page(db, ANN, 1, cursor=None, with_votes=False)
    assert {name: getattr(copy, name) for name in vars(answer)} == vars(answer)
    assert (copy.resolution, copy.score, entry.votes) == (None, None, {})


def test_its_outcome_is_scored_against_what_was_answered(db, given_answer):
    given_answer("a")
    predictions.add_settlement(db, "a", Settlement("no", ENDS, "btc close 50,000", "bars"))
    answer = answers.find_answer(db, "a", ANN)
    assert (answer.resolution.outcome, answer.score.brier) == ("no", pytest.approx(P**2, abs=1e-5))


def test_fields_that_came_later_are_filled_in(db, given_answer):
    """A body of an earlier version lacks them, and has one that went."""
    given_answer("a")
    body = canonical.read(db.scalar(select(prediction.c.body)))
    del body["answer"], body["consensus"]["pivotal"], body["understood"]["alternatives"]
    body["consensus"]["effective_voters"] = 1.0
    for vote in body["votes"].values():
        del vote["outlier"], vote["usd"], vote["evidence"]
    db.execute(update(prediction).values(body=canonical.write(body)))
    answer = answers.find_answer(db, "a", ANN)
    assert (answer.consensus.pivotal, answer.understood.alternatives) == ((), ())
    assert {(vote.outlier, vote.usd, vote.evidence) for vote in answer.votes.values()} == {(False, None, None)}
    assert answer.answer == "More likely than not: 60%"


def add(db: Connection, author: str) -> None:
    """An answer that is open and one that is settled, a challenge, and a market, which has no author."""
    answers = [
        replace(answer, category="answer", author=author, odds=None) for answer in (waiting("open"), settled("done"))
    ]
    challenge = replace(waiting("challenge"), category="challenge", number=1, author=author, odds=None)
    predictions.add_predictions(db, [*answers, challenge, settled("market")])


def test_old_answers_lose_their_text_and_keep_their_outcome(db):
    add(db, "key:1a")
    deadline = waiting().deadline
    assert (erase_answers(db, deadline), erase_answers(db, deadline + 1), erase_answers(db, deadline + 1)) == (0, 2, 0)
    assert predictions.find_prediction(db, "open") is None
    done = predictions.find_prediction(db, "done")
    assert (done.question.text, done.author, done.rule, done.outcome) == (WITHDRAWN, None, "", "yes")
    assert predictions.find_prediction(db, "market").question.text == "market?"
    assert predictions.find_prediction(db, "challenge").author == "key:1a"


def test_a_key_is_erased_with_everything_of_it(db):
    _, key = keys.register_key(db, b"secret", "you@example.com", MONDAY)
    add(db, f"key:{key.id}:alice")
    for caller in (f"key:{key.id}", f"key:{key.id}:alice", "key:other"):
        listings.cast_vote(db, "market", caller, True, MONDAY)
    assert erase_keys(db, [key.id]) == {"keys": 1, "answers": 2, "challenges": 1, "votes": 2, "webhooks": 0}
    assert keys.listed_keys(db, "you@example.com") == []
    assert predictions.find_prediction(db, "challenge").author is None
    assert listings.vote_tallies(db, ["market"]) == {"market": Tally(3, 0)}
    assert listings.find_own_vote(db, "market", f"key:{key.id}") is None
    assert listings.find_own_vote(db, "market", "key:other") is not None


def test_another_key_is_left_alone(db):
    """Its id begins as the erased one does."""
    _, key = keys.register_key(db, b"secret", "you@example.com", MONDAY)
    add(db, f"key:{key.id}0")
    assert erase_keys(db, [key.id])["answers"] == 0
    assert predictions.find_prediction(db, "done").author == f"key:{key.id}0"
    assert set(erase_keys(db, []).values()) == {0}
