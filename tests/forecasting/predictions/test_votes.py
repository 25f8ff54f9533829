"""What is committed on a market: the votes as they were cast, and a seal of what the voters saw."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import sha256

import pytest

from service.errors import NoVoters
from service.forecasting.oracle import ask, voters
from service.forecasting.predictions import PredictionMarket
from service.forecasting.predictions.votes import commit, features
from service.forecasting.record import Record
from tests.forecasting.made import NOW


def no_time() -> float:
    return 0.0


@pytest.fixture
def market(asking) -> PredictionMarket:
    question = asking("touch_above", at=1.02)
    deadline = int(question.deadline.timestamp())
    return PredictionMarket("weekly-btc-touch-above-x", "weekly", question, "", "bars", NOW, deadline, deadline, False)


@pytest.fixture
def committed(market, contexts, fits):
    return commit(market, NOW, contexts, fits, voters(), Record(), quorum=5, timer=no_time)


def test_nine_votes_are_frozen_as_the_oracle_pools_them(committed, market, contexts, fits):
    verdict = ask(market.question, NOW, contexts, fits, voters(), Record(), quorum=5, timer=no_time)
    assert [vote.voter for vote in committed.votes] == [voter.name for voter in voters()]
    assert [vote.p for vote in committed.votes] == [ballot.p for ballot in verdict.ballots]
    assert [vote.reasoning for vote in committed.votes] == [ballot.reasoning for ballot in verdict.ballots]
    assert tuple(vote.weight for vote in committed.votes) == verdict.pooled.weights
    assert (committed.p, committed.as_of) == (verdict.pooled.p, verdict.as_of)
    assert (committed.voted_at, committed.fitted_at, committed.abstained) == (NOW, fits.slot, {})


def test_who_abstained_is_kept_with_the_reason(market, contexts):
    """Before the first fit only volatility has something to say."""
    found = commit(market, NOW, contexts, None, voters(), Record(), quorum=1, timer=no_time)
    assert [vote.voter for vote in found.votes] == ["vol"]
    assert set(found.abstained.values()) == {"is not fitted yet"}
    assert found.fitted_at is None


def test_too_few_votes_commit_nothing(market, contexts):
    with pytest.raises(NoVoters):
        commit(market, NOW, contexts, None, voters(), Record(), quorum=2, timer=no_time)


def test_a_commitment_is_plain_numbers_and_words(committed):
    """What goes into the ledger goes through JSON without loss."""
    assert json.loads(json.dumps(asdict(committed), allow_nan=False)) == json.loads(json.dumps(asdict(committed)))
    assert all(type(vote.weight) is type(vote.p) is float for vote in committed.votes)


def test_the_seal_is_the_hash_of_the_contexts_and_of_which_fits(committed, market, contexts, fits):
    """Anybody can make it with a JSON library and SHA-256."""
    shown = {
        "contexts": {"btc": asdict(contexts["btc"])},
        "fits": {"slot": fits.slot, "version": fits.version},
    }
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert committed.features == sha256(text.encode()).hexdigest()


def test_the_seal_changes_with_what_was_shown_and_with_nothing_else(asking, contexts, fits):
    one, both = asking("up"), asking("relative", other_asset="eth")
    dearer = {**contexts, "eth": replace(contexts["eth"], spot=contexts["eth"].spot * 1.01)}
    assert features(one, contexts, fits) == features(one, dearer, fits)
    assert features(both, contexts, fits) != features(both, dearer, fits)
    assert features(one, contexts, fits) != features(one, contexts, replace(fits, slot=fits.slot + 1))
    assert features(one, contexts, fits) != features(one, contexts, None)
