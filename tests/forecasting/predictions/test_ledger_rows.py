"""The ledger rows of a prediction hold everything but its author."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from service import canonical
from service.forecasting.predictions import CommittedVote, Prediction
from service.forecasting.predictions.ledger_rows import (
    market_rows,
    odds_row,
    question_row,
    score_row,
    settlement_rows,
    votes_row,
)
from service.ledger.chain import LedgerRow
from service.market.instants import DAY
from service.questions.question import Question
from tests.forecasting.markets import MONDAY, settled

AUTHOR = "user:3141592653"


def authored(**fields) -> Prediction:
    return replace(settled(votes={"vol": 0.6, "garch": 0.75}, odds=(0.5, 0.55, 0.6), **fields), author=AUTHOR)


def rows_of(market: Prediction) -> list[LedgerRow]:
    return [
        question_row(market),
        votes_row(market, market.commitment),
        odds_row(market, market.odds),
        *settlement_rows(market),
    ]


@pytest.fixture
def rows() -> dict[str, LedgerRow]:
    return {row.kind: row for row in rows_of(authored())}


def test_each_row_names_its_kind_and_its_market(rows):
    assert list(rows) == ["question", "votes", "odds", "resolution", "score"]
    assert {row.subject for row in rows.values()} == {"one"}


def test_no_row_holds_the_author(rows):
    for row in rows.values():
        assert AUTHOR not in canonical.write(row.body)
        assert "author" not in row.body


@pytest.mark.parametrize("backfilled", [True, False])
def test_every_row_says_whether_it_was_backfilled(backfilled):
    assert {row.backfilled for row in rows_of(authored(backfilled=backfilled))} == {backfilled}


def test_canonical_json_carries_a_body_without_loss(rows):
    for row in rows.values():
        assert canonical.read(canonical.write(row.body)) == json.loads(json.dumps(row.body))


def test_the_row_of_votes_is_whole_and_unrounded(rows):
    body = rows["votes"].body
    assert Question.from_plain(body["question"]) == authored().question
    assert (body["rule"], body["resolver"], body["category"]) == ("YES if so", "bars", "daily")
    assert (body["created_at"], body["closes_at"], body["deadline"]) == (MONDAY, MONDAY + DAY - 1, MONDAY + DAY - 1)
    assert [(vote["voter"], vote["p"]) for vote in body["votes"]] == [("vol", 0.6), ("garch", 0.75)]
    assert (body["p"], body["voted_at"], body["as_of"], body["abstained"]) == (0.7, MONDAY, MONDAY, {})


def test_a_view_of_the_price_is_in_the_row_where_there_is_one():
    """Rows of topics and of earlier versions have none, so their hashes stay."""
    market = authored()
    commitment = market.commitment
    ballots = [replace(vote.ballot, forecast=replace(vote.ballot.forecast, p_up=0.51)) for vote in commitment.votes]
    seen = [CommittedVote(ballot, 1.0) for ballot in ballots]
    with_view = votes_row(market, replace(commitment, votes=(seen[0], commitment.votes[1]), p_up=0.51)).body
    assert (with_view["p_up"], [vote.get("p_up") for vote in with_view["votes"]]) == (0.51, [0.51, None])
    without = votes_row(market, commitment).body
    assert [row for row in (without, *without["votes"], with_view["votes"][1]) if "p_up" in row] == []


def test_the_row_of_votes_repeats_that_of_the_question(rows):
    """A reader who compares the two rows sees that the question did not change before the votes."""
    question = rows["question"].body
    assert {name: rows["votes"].body[name] for name in question} == question


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
    ("outcome", "pool", "market", "vol", "garch"),
    [("yes", 0.09, 0.2025, 0.16, 0.0625), ("no", 0.49, 0.3025, 0.36, 0.5625)],
)
def test_a_score_is_the_squared_distance_from_what_happened(outcome, pool, market, vol, garch):
    """The pool gave 0.7, the outside market 0.55, vol 0.6 and garch 0.75."""
    assert score_row(authored(outcome=outcome)).body == {
        "outcome": outcome,
        "brier": pool,
        "brier_market": market,
        "brier_by_voter": {"vol": vol, "garch": garch},
    }


def test_without_odds_there_is_no_score_of_the_outside_market():
    assert score_row(replace(authored(), odds=None)).body["brier_market"] is None


def test_void_open_and_unvoted_markets_have_no_score():
    assert score_row(authored(outcome="void")) is None
    assert score_row(authored(comparator="open")) is None
    assert score_row(replace(authored(), commitment=None)) is None


def test_an_unsettled_market_has_no_rows_of_a_settlement():
    assert settlement_rows(replace(authored(), settlement=None)) == []


def test_rows_of_markets_are_in_the_order_of_their_instants():
    """The second market is voted on when the first is settled: the settlement comes first, then votes, then odds."""
    first = authored()
    at = first.settlement.resolved_at
    second = replace(
        authored(), id="two", commitment=replace(first.commitment, voted_at=at), settlement=None, created_at=at
    )
    rows = [(row.subject, row.kind) for row in market_rows([second, first])]
    assert rows == [
        ("one", "votes"),
        ("one", "odds"),
        ("one", "resolution"),
        ("one", "score"),
        ("two", "votes"),
        ("two", "odds"),
    ]
