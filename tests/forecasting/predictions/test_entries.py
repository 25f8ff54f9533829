"""What goes into the ledger of a market: all of what was said, and never who asked."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service import canonical
from service.forecasting.predictions import Settled
from service.forecasting.predictions.entries import (
    is_scored,
    odds_row,
    question_row,
    resolution_row,
    score_row,
    votes_row,
)
from service.forecasting.questions.question import Question
from service.market.instants import DAY
from tests.forecasting.rows import MONDAY, settled

AUTHOR = "user:3141592653"


def authored(**fields) -> Settled:
    one = settled(votes={"vol": 0.6, "logit": 0.75}, odds=(0.5, 0.55, 0.6), **fields)
    return replace(one, market=replace(one.market, author=AUTHOR))


@pytest.fixture
def rows() -> dict:
    one = authored()
    made = (
        question_row(one.market),
        votes_row(one.market, one.commitment),
        odds_row(one.market, one.odds),
        resolution_row(one.market, one.settlement),
        score_row(one),
    )
    return {row.kind: row for row in made}


def test_there_is_a_row_of_each_kind_and_each_names_its_market(rows):
    assert list(rows) == ["question", "votes", "odds", "resolution", "score"]
    assert {row.subject for row in rows.values()} == {"one"}


def test_no_row_holds_who_asked(rows):
    for row in rows.values():
        assert AUTHOR not in canonical.write(row.body)
        assert "author" not in row.body


@pytest.mark.parametrize("backfilled", [True, False])
def test_every_row_says_whether_it_was_backfilled(backfilled):
    one = authored(backfilled=backfilled)
    made = [
        question_row(one.market),
        votes_row(one.market, one.commitment),
        odds_row(one.market, one.odds),
        resolution_row(one.market, one.settlement),
        score_row(one),
    ]
    assert {row.backfilled for row in made} == {backfilled}


def test_a_body_is_what_canonical_json_carries_without_loss(rows):
    for row in rows.values():
        assert canonical.read(canonical.write(row.body)) == json.loads(json.dumps(row.body))


def test_the_votes_are_recorded_with_the_whole_question_and_every_number_unrounded(rows):
    one, body = authored(), rows["votes"].body
    assert Question.from_plain(body["question"]) == one.market.question
    assert (body["rule"], body["resolver"], body["category"]) == ("YES if so", "bars", "daily")
    assert (body["created_at"], body["closes_at"], body["deadline"]) == (MONDAY, MONDAY + DAY - 1, MONDAY + DAY - 1)
    assert [(vote["voter"], vote["p"]) for vote in body["votes"]] == [("vol", 0.6), ("logit", 0.75)]
    assert (body["p"], body["voted_at"], body["as_of"], body["abstained"]) == (0.7, MONDAY, MONDAY, {})


def test_a_question_is_recorded_as_it_is_with_the_votes_that_follow(rows):
    """Whoever compares the two rows sees that nothing was changed between asking and voting."""
    asked = rows["question"].body
    assert {name: rows["votes"].body[name] for name in asked} == asked


def test_odds_and_settlement_are_recorded_whole(rows):
    assert (rows["odds"].body["bid"], rows["odds"].body["p_yes"], rows["odds"].body["ask"]) == (0.5, 0.55, 0.6)
    assert (rows["odds"].body["source"], rows["odds"].body["fetched_at"]) == ("simulated", MONDAY)
    assert rows["resolution"].body == {
        "outcome": "yes",
        "resolved_at": MONDAY + DAY,
        "evidence": "seen",
        "source": "bars",
    }


@pytest.mark.parametrize(
    ("outcome", "pool", "market", "vol", "logit"),
    [("yes", 0.09, 0.2025, 0.16, 0.0625), ("no", 0.49, 0.3025, 0.36, 0.5625)],
)
def test_a_score_is_the_squared_distance_from_what_happened(outcome, pool, market, vol, logit):
    """The pool said 0.7, the outside market 0.55, vol 0.6 and logit 0.75."""
    assert score_row(authored(outcome=outcome)).body == {
        "outcome": outcome,
        "brier": pool,
        "brier_market": market,
        "brier_by_voter": {"vol": vol, "logit": logit},
    }


def test_without_odds_there_is_no_score_of_the_outside_market():
    assert score_row(replace(authored(), odds=None)).body["brier_market"] is None


def test_what_is_void_or_asks_for_no_event_or_was_not_voted_on_has_no_score():
    assert score_row(authored(outcome="void")) is None
    assert score_row(authored(comparator="open")) is None
    assert score_row(replace(authored(), commitment=None)) is None


def test_what_counts_is_what_came_out_yes_or_no_of_an_event():
    assert is_scored(authored(outcome="yes"))
    assert is_scored(authored(outcome="no"))
    assert not is_scored(authored(outcome="void"))
    assert not is_scored(authored(comparator="open"))
