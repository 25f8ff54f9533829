"""Answers that no price decides, on the command line: listed, resolved by hand, and scored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service.forecasting.voters.track_record import TrackRecord
from service.market.instants import HOUR
from service.store import predictions
from service.store.pages import RECORD, records
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import waiting

pytestmark = pytest.mark.slow

VOTES = {"momentum": 0.2, "trend": 0.3, "news": 0.4}


@pytest.fixture
def answered(database, now):
    """Store an answer of the oracle that ends in a day; returns its id."""

    def store(id: str, *, resolver: str = "hand", hours: float = 24, **options) -> str:
        answer = waiting(id, p=0.3, opened=now - HOUR, hours=hours, odds=None, **options)
        votes = tuple(committed_vote(voter, p, engine="custom:model") for voter, p in VOTES.items())
        commitment = replace(answer.commitment, votes=votes)
        stored = replace(
            answer, category="answer", resolver=resolver, author="key:secret-caller", commitment=commitment
        )
        with database.writing() as db:
            predictions.add_predictions(db, [stored], {})
        return id

    return store


def test_only_answers_by_hand_are_listed_without_their_caller(operate, answered):
    answered("prices", resolver="bars")
    answered("fed", comparator="topic", polarity="none")
    answered("late", comparator="topic", polarity="none", hours=0.5)
    code, printed, complaint = operate("answers", "list", "--json")
    assert (code, complaint) == (0, "")
    assert "secret-caller" not in printed
    assert [(row["id"], row["status"], row["p_yes"]) for row in json.loads(printed)] == [
        ("late", "due", 0.3),
        ("fed", "open", 0.3),
    ]


def test_a_resolved_answer_is_scored_in_its_own_band(operate, answered, database):
    """The pool said 30% and it did not happen: 0.09; the record of prices stays as it was."""
    answered("fed", comparator="topic", polarity="none")
    code, printed, _ = operate(
        "answers", "resolve", "fed", "no", "--evidence", "https://www.federalreserve.gov", "--json"
    )
    assert code == 0
    assert (json.loads(printed)["status"], json.loads(printed)["brier"]) == ("no", 0.09)
    with database.reading() as db:
        assert predictions.find_prediction(db, "fed").settlement.source == "hand"
        record = TrackRecord.from_plain(records.find(db, RECORD))
    standings = record.of_band("topic").standings
    weights = {standing.voter: standing.weight for standing in standings}
    assert weights["momentum"] > weights["trend"] > weights["news"], "they said 20%, 30% and 40%"
    assert ({standing.n for standing in standings}, list(record.bands)) == ({1}, ["topic"])
    assert operate("answers", "list", "--json")[1].strip() == "[]"


def test_a_void_answer_is_not_scored(operate, answered):
    answered("fed", comparator="topic", polarity="none")
    printed = operate("answers", "resolve", "fed", "void", "--evidence", "not determined", "--json")[1]
    assert (json.loads(printed)["status"], json.loads(printed)["brier"]) == ("void", None)


@pytest.mark.parametrize(
    ("id", "complaint"),
    [
        ("prices", "error: prices is resolved by bars, not by hand."),
        ("settled", "error: Answer settled is already resolved."),
        ("absent", "error: There is no answer absent."),
    ],
)
def test_what_cannot_be_resolved_is_refused(operate, answered, id, complaint):
    answered("prices", resolver="bars")
    answered("settled", comparator="topic", polarity="none")
    operate("answers", "resolve", "settled", "no", "--evidence", "seen")
    code, _, errors = operate("answers", "resolve", id, "yes", "--evidence", "seen")
    assert (code, errors) == (2, f"{complaint}\n")
