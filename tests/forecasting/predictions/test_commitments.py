"""A commitment holds the votes of the panel, and a hash of what the voters forecast from."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256

import pytest

from service.forecasting.predictions import CommittedVote, Prediction
from service.forecasting.predictions.commitments import answer, commitment_of, inputs_of
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.embedded import voters
from tests.forecasting.made import NOW, panel_of


@pytest.fixture
def market(asking) -> Prediction:
    question = asking("touch_above", at=1.02)
    deadline = int(question.deadline.timestamp())
    return Prediction("weekly-btc-touch-above-x", "weekly", question, "", "bars", NOW, deadline, deadline, False)


@pytest.fixture
def committed(market, knowledge):
    return commitment_of(panel_of().ask(market.question, NOW, knowledge), knowledge)


def test_nine_votes_are_committed_as_the_panel_pools_them(committed, market, knowledge):
    result = panel_of().ask(market.question, NOW, knowledge)
    assert [vote.voter for vote in committed.votes] == [voter.name for voter in voters()]
    assert [vote.p for vote in committed.votes] == [ballot.p for ballot in result.ballots]
    assert [vote.ballot for vote in committed.votes] == list(result.ballots)
    assert tuple(vote.weight for vote in committed.votes) == result.pooled.weights
    assert (committed.p, committed.p_up, committed.as_of) == (result.pooled.p, result.pooled.p_up, result.as_of)
    assert (committed.voted_at, committed.fitted_at, committed.abstained) == (NOW, knowledge.fits.slot, {})


def test_abstentions_are_kept_with_their_reasons(market, contexts):
    """And what was voted before the first fit says so."""
    untrained = Knowledge(contexts)
    result = panel_of().ask(market.question, NOW, untrained)
    commitment = commitment_of(replace(result, abstained={"news": "did not answer in time"}), untrained)
    assert commitment.abstained == {"news": "did not answer in time"}
    assert commitment.fitted_at is None


def test_a_commitment_survives_json(committed):
    """As it does in the ledger."""
    plain = [vote.to_plain() for vote in committed.votes]
    assert [CommittedVote.from_plain(vote) for vote in json.loads(json.dumps(plain, allow_nan=False))] == list(
        committed.votes
    )
    assert all(type(vote.weight) is type(vote.p) is float for vote in committed.votes)


def test_features_are_the_hash_of_contexts_and_fits(committed, market, contexts, fits):
    """A JSON library and SHA-256 reproduce it."""
    shown = {
        "contexts": {"btc": asdict(contexts["btc"])},
        "fits": {"slot": fits.slot, "version": fits.version},
    }
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert committed.inputs == text
    assert committed.features == sha256(text.encode()).hexdigest()


def test_inputs_change_with_the_assets_and_fits_alone(asking, contexts, fits, knowledge):
    single, both = asking("up"), asking("relative", other_asset="eth")
    dearer = {**contexts, "eth": replace(contexts["eth"], spot=contexts["eth"].spot * 1.01)}
    assert inputs_of(single, knowledge) == inputs_of(single, replace(knowledge, contexts=dearer))
    assert inputs_of(both, knowledge) != inputs_of(both, replace(knowledge, contexts=dearer))
    refitted = replace(knowledge, fits=replace(fits, slot=fits.slot + 1))
    assert inputs_of(single, knowledge) != inputs_of(single, refitted)
    assert inputs_of(single, knowledge) != inputs_of(single, Knowledge(contexts))


def test_an_answer_is_a_prediction_of_the_result(market, knowledge):
    result = panel_of().ask(market.question, NOW, knowledge)
    answered = answer(result, knowledge, "00adcce31a6a83e7", "key:abc")
    assert (answered.id, answered.category, answered.author) == ("00adcce31a6a83e7", "answer", "key:abc")
    assert (answered.question, answered.rule) == (market.question, market.question.canonical)
    assert (answered.created_at, answered.closes_at, answered.deadline) == (NOW, NOW, market.deadline)
    assert answered.commitment == commitment_of(result, knowledge)
