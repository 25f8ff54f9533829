"""A commitment holds the votes of the panel, and a hash of what the voters forecast from."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256

import pytest
import rfc8785

from service import canonical
from service.forecasting.predictions import CommittedVote, Prediction, resolution_order
from service.forecasting.predictions.commitments import (
    VoteInputs,
    answer,
    by_voter,
    commitment_of,
    features_json,
    inputs_of,
    market_rows,
    question_row,
    row_json,
    settlement_rows,
    votes_row,
    withdrawn,
    without_texts,
)
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.inputs import WINDOW
from service.forecasting.voters.panel import VOTERS
from service.ledger.chain import LedgerRow
from service.ledger.commitments import text_hash
from service.market.instants import DAY
from service.questions.question import Question
from tests.forecasting.made import NOW, committed_vote, market_of, panel_of
from tests.forecasting.markets import MONDAY, settled, waiting

AUTHOR = "user:3141592653"
BODY = '{"contexts":{"btc":{"spot":0.10}},"fits":null}'


@pytest.fixture
def market(query) -> Prediction:
    return market_of(query("touch_above", at=1.02), "weekly-btc-touch-above-x", "weekly")


@pytest.fixture
def commitment(market, knowledge):
    return commitment_of(panel_of().ask(market.question, NOW, knowledge), knowledge)


def test_nine_votes_are_committed_as_the_panel_pools_them(commitment, market, knowledge, contexts):
    """Abstentions are kept with their reasons, and what was voted before the first fit says so."""
    result = panel_of().ask(market.question, NOW, knowledge)
    assert [vote.voter for vote in commitment.votes] == [voter.name for voter in VOTERS]
    ballots = zip(result.ballots, result.pool.weights, strict=True)
    assert commitment.votes == tuple(CommittedVote.of(ballot, weight) for ballot, weight in ballots)
    assert all(type(vote.weight) is type(vote.p) is float for vote in commitment.votes), "as JSON gives them back"
    assert (commitment.p, commitment.p_up, commitment.as_of) == (result.pool.p, result.pool.p_up, result.as_of)
    assert (commitment.voted_at, commitment.fitted_at, commitment.abstained) == (NOW, knowledge.fits.slot, {})
    result = replace(panel_of().ask(market.question, NOW, Knowledge(contexts)), abstained={"news": "was late"})
    commitment = commitment_of(result, Knowledge(contexts))
    assert (commitment.abstained, commitment.fitted_at) == ({"news": "was late"}, None)


def test_features_are_the_hash_of_contexts_and_fits(commitment, market, contexts, fits):
    """A JSON library and SHA-256 reproduce it."""
    features = {"contexts": {"btc": asdict(contexts["btc"])}, "fits": {"slot": fits.slot, "version": fits.version}}
    text = rfc8785.dumps(features).decode()
    assert commitment.inputs == text
    assert commitment.features == sha256(text.encode()).hexdigest()


def test_inputs_change_with_the_assets_and_fits_alone(query, contexts, fits, knowledge):
    rise, comparison = query("up"), query("relative", other_asset="eth")
    dearer = {**contexts, "eth": replace(contexts["eth"], spot=contexts["eth"].spot * 1.01)}
    assert inputs_of(rise, knowledge) == inputs_of(rise, replace(knowledge, contexts=dearer))
    assert inputs_of(comparison, knowledge) != inputs_of(comparison, replace(knowledge, contexts=dearer))
    refit = replace(knowledge, fits=replace(fits, slot=fits.slot + 1))
    assert inputs_of(rise, knowledge) != inputs_of(rise, refit)
    assert inputs_of(rise, knowledge) != inputs_of(rise, Knowledge(contexts))


def test_an_answer_is_a_prediction_of_the_result(commitment, market, knowledge):
    result = panel_of().ask(market.question, NOW, knowledge)
    prediction = answer(result, knowledge, "00adcce31a6a83e7", "key:abc")
    assert (prediction.id, prediction.category, prediction.author) == ("00adcce31a6a83e7", "answer", "key:abc")
    assert (prediction.question, prediction.rule) == (market.question, market.question.canonical)
    assert (prediction.created_at, prediction.closes_at, prediction.deadline) == (NOW, NOW, market.deadline)
    assert prediction.commitment == commitment


def authored(**fields) -> Prediction:
    return replace(settled(votes={"vol": 0.6, "garch": 0.75}, odds=(0.5, 0.55, 0.6), **fields), author=AUTHOR)


def rows_of(market: Prediction) -> list[LedgerRow]:
    return [question_row(market), *market_rows([market])]


def score_of(market: Prediction) -> dict | None:
    return next((row.body for row in settlement_rows(market) if row.kind == "score"), None)


@pytest.fixture
def rows() -> dict[str, LedgerRow]:
    return {row.kind: row for row in rows_of(authored())}


def test_each_row_names_its_kind_and_market_and_no_author(rows):
    """Canonical JSON carries its body without loss."""
    assert list(rows) == ["question", "votes", "odds", "resolution", "score"]
    assert {row.subject for row in rows.values()} == {"one"}
    for row in rows.values():
        assert AUTHOR not in canonical.write(row.body)
        assert "author" not in row.body
        assert canonical.read(canonical.write(row.body)) == json.loads(json.dumps(row.body))


def test_rows_are_whole_and_unrounded(rows):
    """It repeats that of the question, so a reader sees that this did not change; odds and settlement are whole too."""
    body = rows["votes"].body
    assert Question.from_plain(body["question"]) == authored().question
    assert (body["rule"], body["resolver"], body["category"]) == ("YES if so", "bars", "daily")
    assert (body["created_at"], body["closes_at"], body["deadline"]) == (MONDAY, MONDAY + DAY - 1, MONDAY + DAY - 1)
    assert [(vote["voter"], vote["p"]) for vote in body["votes"]] == [("vol", 0.6), ("garch", 0.75)]
    for backfilled in (True, False):
        assert {row.backfilled for row in rows_of(authored(backfilled=backfilled))} == {backfilled}
    assert (body["p"], body["voted_at"], body["as_of"], body["abstained"]) == (0.7, MONDAY, MONDAY, {})
    question = rows["question"].body
    assert {name: rows["votes"].body[name] for name in question} == question
    assert (rows["odds"].body["bid"], rows["odds"].body["p_yes"], rows["odds"].body["ask"]) == (0.5, 0.55, 0.6)
    assert (rows["odds"].body["source"], rows["odds"].body["fetched_at"]) == ("simulated", MONDAY)
    resolution = {"outcome": "yes", "resolved_at": MONDAY + DAY, "evidence": "seen", "source": "bars"}
    assert rows["resolution"].body == resolution


def test_a_view_of_the_price_is_in_the_row_where_there_is_one():
    """Rows of topics and of earlier versions have none, so their hashes stay."""
    market = authored()
    commitment = market.commitment
    votes = [replace(vote, forecast=replace(vote.forecast, p_up=0.51)) for vote in commitment.votes]
    with_view = votes_row(market, replace(commitment, votes=(votes[0], commitment.votes[1]), p_up=0.51)).body
    assert (with_view["p_up"], [vote.get("p_up") for vote in with_view["votes"]]) == (0.51, [0.51, None])
    without = votes_row(market, commitment).body
    assert [row for row in (without, *without["votes"], with_view["votes"][1]) if "p_up" in row] == []


@pytest.mark.parametrize("comparator", ["up", "topic"])
def test_rows_about_a_foreign_text_have_hashes_of_it(comparator: str):
    """Of what a language model wrote about it too; and once it is withdrawn, the rest of the rows is the same."""
    text = "Ann Doe asks."
    market = authored(comparator=comparator)
    votes = (committed_vote("vol", 0.6, reasoning="calm"), committed_vote("macro", 0.7, reasoning=text, engine="x:y"))
    question = replace(market.question, text=text, notes=(text,), canonical=text if comparator == "topic" else "Up?")
    commitment, odds = replace(market.commitment, votes=votes), replace(market.odds, url=f"https://{text}")
    market = replace(market, category="imported", salt="5a17", rule=text)
    market = replace(market, question=question, commitment=commitment, odds=odds)
    rows = rows_of(market)
    assert text not in str(rows)
    assert rows[1].body["votes"][0]["reasoning"] == "calm"
    assert rows[1].body["votes"][1]["reasoning"] == text_hash(text, "5a17")
    plain = withdrawn(market)
    assert text not in str(plain)
    assert withdrawn(plain) == plain
    assert [without_texts(row.body) for row in rows_of(plain)] == [without_texts(row.body) for row in rows]


@pytest.mark.parametrize(
    ("outcome", "pool", "market", "vol", "garch"),
    [("yes", 0.09, 0.2025, 0.16, 0.0625), ("no", 0.49, 0.3025, 0.36, 0.5625)],
)
def test_a_score_is_the_squared_distance_from_what_happened(outcome, pool, market, vol, garch):
    """The pool gave 0.7, the outside market 0.55, vol 0.6 and garch 0.75."""
    voters = {"vol": vol, "garch": garch}
    row = {"outcome": outcome, "brier": pool, "brier_market": market, "brier_by_voter": voters}
    assert score_of(authored(outcome=outcome)) == row


def test_void_open_and_unvoted_markets_have_no_score():
    """Without odds it has none of the outside market, and an unsettled one has no row of a settlement."""
    assert score_of(authored(outcome="void")) is None
    assert score_of(authored(comparator="open")) is None
    assert score_of(replace(authored(), commitment=None)) is None
    assert score_of(replace(authored(), odds=None))["brier_market"] is None
    assert settlement_rows(replace(authored(), settlement=None)) == []


def test_rows_of_markets_are_in_the_order_of_their_instants():
    """The second market is voted on when the first is settled: the settlement comes first, then votes, then odds."""
    first = authored()
    at = first.settlement.resolved_at
    second = replace(first, id="two", settlement=None, created_at=at)
    second = replace(second, commitment=replace(first.commitment, voted_at=at))
    rows = [f"{row.subject} {row.kind}" for row in market_rows([second, first])]
    assert rows == ["one votes", "one odds", "one resolution", "one score", "two votes", "two odds"]


def test_the_inputs_are_the_hashed_text():
    """A parsed and rewritten 0.10 would be 0.1, and have another hash."""
    row = VoteInputs("ab" * 32, 1_795_262_400, "btc", BODY)
    assert row_json(row).endswith(b'"asset":"btc","inputs":' + BODY.encode() + b"}")
    assert json.loads(row_json(row))["voted_at"] == "2026-11-21T12:00:00Z"
    page = features_json([row, row], world="simulated", next="abc")
    document = json.loads(page)
    assert (document["count"], document["next"], document["world"], len(document["rows"])) == (2, "abc", "simulated", 2)
    assert page.count(BODY.encode()) == 2
    assert json.loads(features_json([], world="simulated", next=None))["rows"] == []


def test_every_voter_names_what_it_reads(contexts):
    """Its model the terms of a context, a language model in its seat inputs of one; the calendar is in none."""
    reads = by_voter()
    assert set(reads) == {voter.name for voter in VOTERS}
    assert all(set(voter.calendar) <= set(WINDOW) for voter in reads.values())
    assert not any(set(voter.inputs) & set(WINDOW) for voter in reads.values())
    assert {name for voter in reads.values() for name in voter.variance} == contexts["btc"].variance.keys()
    assert {name for voter in reads.values() for name in voter.inputs} <= contexts["btc"].inputs.keys()
    assert [name for name, voter in reads.items() if not voter.inputs] == ["news", "vol", "garch", "sv"]


def test_a_vote_survives_json_without_loss():
    """Except for its latency, which is no part of it. Before the commitment there are no votes."""
    forecast = Forecast(1 / 3, "why", fallback=True, prompt="seat/1", tokens=940, usd=0.000305)
    vote = CommittedVote("trend", "openai:some-model", forecast, latency_ms=12.5, weight=1.25)
    assert CommittedVote.from_plain(json.loads(json.dumps(vote.to_plain()))) == vote
    assert "latency_ms" not in vote.to_plain()
    market = waiting(votes={"vol": 0.6})
    draft = replace(market, commitment=None)
    assert [vote.voter for vote in market.votes] == ["vol"]
    assert (draft.votes, draft.voted_at) == ((), market.created_at)


@pytest.mark.parametrize(
    ("outcome", "comparator", "is_scored"),
    [("yes", "up", True), ("no", "up", True), ("void", "up", False), ("yes", "open", False)],
)
def test_only_a_decided_event_is_scored(outcome, comparator, is_scored):
    assert settled(outcome=outcome, comparator=comparator).is_scored == is_scored
    assert not waiting(comparator=comparator).is_scored


def test_predictions_are_ordered_by_resolution():
    """At one instant by deadline, then by id; what is not settled is last."""
    last, first = settled("a", resolved=2_000_000_000), settled("b", resolved=1_900_000_000)
    short, long = (settled(name, hours=hours, resolved=1_950_000_000) for name, hours in (("d", 24), ("c", 48)))
    rows = sorted([last, long, waiting("e"), short, first], key=resolution_order)
    assert [each.id for each in rows] == ["b", "d", "c", "a", "e"]
