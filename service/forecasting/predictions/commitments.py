"""Commitments: all votes on a question, and a hash of the voters' inputs."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from service import canonical
from service.forecasting.predictions import Commitment, CommittedVote, Prediction, resolver_of
from service.forecasting.voters.ballots import PanelResult
from service.forecasting.voters.consensus import pool
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.track_record import TrackRecord
from service.questions import Question, rule


def answer(result: PanelResult, knowledge: Knowledge, id: str, caller: str) -> Prediction:
    """The prediction that stores an answer of the oracle; callers do not vote on it."""
    question = result.question
    return Prediction(
        id=id,
        category="answer",
        question=question,
        rule=rule(question, result.asked_at) if question.comparator == "topic" else question.canonical,
        resolver=resolver_of(question),
        created_at=result.asked_at,
        closes_at=result.asked_at,
        deadline=int(question.deadline.timestamp()),
        author=caller,
        commitment=commitment_of(result, knowledge),
    )


def commitment_of(result: PanelResult, knowledge: Knowledge) -> Commitment:
    """The commitment to the ballots of a panel, each with its weight; `knowledge` is the panel's input."""
    weighted = zip(result.ballots, result.pooled.weights, strict=True)
    inputs = inputs_of(result.question, knowledge)
    return Commitment(
        voted_at=result.asked_at,
        as_of=result.as_of,
        p=result.pooled.p,
        p_up=result.pooled.p_up,
        votes=tuple(CommittedVote(ballot, weight) for ballot, weight in weighted),
        abstained=result.abstained,
        features=sha256(inputs.encode()).hexdigest(),
        fitted_at=knowledge.fits.slot if knowledge.fits else None,
        inputs=inputs,
    )


def weighed(prediction: Prediction, record: TrackRecord) -> Prediction:
    """The prediction with its votes weighed by a track record, and pooled with these weights."""
    commitment, question = prediction.commitment, prediction.question
    assert commitment is not None
    ballots = [vote.ballot for vote in commitment.votes]
    pooled = pool(ballots, record.of(question))
    weighted = zip(ballots, pooled.weights, strict=True)
    votes = tuple(CommittedVote(ballot, weight) for ballot, weight in weighted)
    return replace(prediction, commitment=replace(commitment, p=pooled.p, p_up=pooled.p_up, votes=votes))


def inputs_of(question: Question, knowledge: Knowledge) -> str:
    """The voters' inputs as canonical JSON: the contexts of the question's assets, and which fits."""
    fits = knowledge.fits
    inputs = {
        "contexts": {asset: knowledge.contexts[asset].to_plain() for asset in question.assets},
        "fits": {"version": fits.version, "slot": fits.slot} if fits else None,
    }
    return canonical.write(inputs)
