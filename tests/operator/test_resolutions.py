"""Challenges and answers on the command line: listed, and resolved by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.voters.track_record import TrackRecord
from service.ledger.chain import with_iso_instants
from service.market.instants import DAY, HOUR, iso
from service.store import ledger, predictions
from service.store.pages import RECORD, records
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import waiting
from tests.operator.conftest import answer_of, complaint_of

pytestmark = pytest.mark.slow


def test_challenges_are_listed_without_their_caller(operate, challenge, now):
    bars, event = challenge("Will bitcoin reach 120k?"), challenge("Will the SEC approve a Solana ETF?")
    challenge_past = challenge("Will India ban crypto?", "key:secret-caller", opened_at=now - 9 * DAY)
    operate("challenges", "resolve", event, "yes", "--evidence", "https://www.sec.gov/1")
    code, output, complaint = operate("challenges", "list")
    assert (code, complaint) == (0, "")
    assert "secret-caller" not in output
    heading, *rows = output.splitlines()
    assert heading.split() == ["number", "status", "resolver", "deadline", "question"]
    states = [f"{bars} open bars", f"{event} yes hand", f"{challenge_past} due hand"]
    assert [" ".join(row.split()[:3]) for row in rows] == states
    assert rows[1].endswith("Will the SEC approve a Solana ETF?")
    rows = answer_of(operate, "challenges", "list", "--unresolved")
    assert [row["number"] for row in rows] == [bars, challenge_past]


def test_a_challenge_is_resolved_once_with_a_row_of_the_ledger(operate, challenge, database, now):
    number, link = challenge("Will the SEC approve a Solana ETF?"), "https://www.sec.gov/1"
    row = answer_of(operate, "challenges", "resolve", number, "yes", "--evidence", link)
    assert (row["status"], row["evidence"], row["resolved_at"]) == ("yes", link, iso(now))
    complaint = complaint_of(operate, "challenges", "resolve", number, "no", "--evidence", "seen")
    assert complaint == f"Challenge {number} is already resolved; only its ledger row can be corrected."
    with database.reading() as db:
        settlement = predictions.find_challenge(db, number).settlement
        entry = ledger.find_entry(db, row["seq"])
        assert ledger.head(db) == entry
    assert (settlement.outcome, settlement.resolved_at, settlement.source) == ("yes", now, "hand")
    assert (entry.kind, entry.subject, entry.recorded_at) == ("resolution", f"challenge-{number}", iso(now))
    assert entry.body == with_iso_instants(vars(settlement))


@pytest.mark.parametrize(
    ("number", "text", "evidence", "complaint"),
    [
        (1, "Will bitcoin reach 120k?", "seen", "challenge-1 is resolved by bars, not by hand"),
        (1, "Will China ban bitcoin?", " ", "State where the outcome can be checked."),
        (17, "Will China ban bitcoin?", "seen", "There is no challenge 17."),
    ],
)
def test_a_challenge_that_prices_decide_is_left_alone(operate, challenge, database, number, text, evidence, complaint):
    """So is one that is not there, or whose outcome nothing shows."""
    challenge(text)
    words = ("challenges", "resolve", number, "yes", "--evidence", evidence)
    assert complaint_of(operate, *words).startswith(complaint)
    with database.reading() as db:
        assert predictions.find_challenge(db, 1).settlement is None
        assert ledger.head(db).kind == "question"


def test_votes_of_models_on_a_challenge_are_scored_in_the_ledger(operate, database, now):
    """The pool said 30% and it happened: 0.49."""
    topic = waiting("challenge-9", p=0.3, votes={"news": 0.4}, opened=now - HOUR, odds=None, comparator="topic")
    with database.writing() as db:
        predictions.add_predictions(db, [replace(topic, category="challenge", number=9, resolver="hand")])
    assert operate("challenges", "resolve", 9, "yes", "--evidence", "seen")[0] == 0
    with database.reading() as db:
        score = ledger.head(db)
        record = TrackRecord.from_plain(records.find(db, RECORD))
    assert (score.kind, score.subject, score.body["brier"]) == ("score", "challenge-9", 0.49)
    assert [standing.voter for standing in record.of_band("topic").standings] == ["news"]


VOTES = {"momentum": 0.2, "trend": 0.3, "news": 0.4}


@pytest.fixture
def open_answer(database, now):
    """Store an answer of the oracle that ends in a day, and which by default no price decides; returns its id."""

    def store(id: str, *, resolver: str = "hand", hours: float = 24) -> str:
        topic = {"comparator": "topic", "polarity": "none"} if resolver == "hand" else {}
        answer = waiting(id, p=0.3, opened=now - HOUR, hours=hours, odds=None, **topic)
        votes = tuple(committed_vote(voter, p, engine="custom:model") for voter, p in VOTES.items())
        parts = {"resolver": resolver, "author": "key:secret-caller"}
        parts["commitment"] = replace(answer.commitment, votes=votes)
        with database.writing() as db:
            predictions.add_predictions(db, [replace(answer, category="answer", **parts)], {})
        return id

    return store


def test_only_answers_by_hand_are_listed_without_their_caller(operate, open_answer):
    open_answer("prices", resolver="bars")
    open_answer("fed")
    open_answer("late", hours=0.5)
    rows = answer_of(operate, "answers", "list")
    assert "secret-caller" not in str(rows)
    states = [(row["id"], row["status"], row["p_yes"]) for row in rows]
    assert states == [("late", "due", 0.3), ("fed", "open", 0.3)]


def test_a_resolved_answer_is_scored_in_its_own_band(operate, open_answer, database):
    """The pool said 30% and it did not happen: 0.09; the record of prices stays as it was. A void one has no score."""
    for id, outcome, brier in (("fed", "no", 0.09), ("unclear", "void", None)):
        row = answer_of(operate, "answers", "resolve", open_answer(id), outcome, "--evidence", "seen")
        assert (row["status"], row["brier"]) == (outcome, brier)
    with database.reading() as db:
        assert predictions.find_prediction(db, "fed").settlement.source == "hand"
        record = TrackRecord.from_plain(records.find(db, RECORD))
    standings = record.of_band("topic").standings
    weights = {standing.voter: standing.weight for standing in standings}
    assert weights["momentum"] > weights["trend"] > weights["news"], "they said 20%, 30% and 40%"
    assert ({standing.n for standing in standings}, list(record.bands)) == ({1}, ["topic"])
    assert answer_of(operate, "answers", "list") == []


@pytest.mark.parametrize(
    ("id", "complaint"),
    [
        ("prices", "prices is resolved by bars, not by hand."),
        ("settled", "Answer settled is already resolved."),
        ("absent", "There is no answer absent."),
    ],
)
def test_what_cannot_be_resolved_is_refused(operate, open_answer, id, complaint):
    open_answer("prices", resolver="bars")
    operate("answers", "resolve", open_answer("settled"), "no", "--evidence", "seen")
    assert complaint_of(operate, "answers", "resolve", id, "yes", "--evidence", "seen") == complaint
