"""Commitments: all votes on a question, and a hash of the voters' inputs."""

from __future__ import annotations

from hashlib import sha256

from service import canonical
from service.forecasting.predictions import Commitment, CommittedVote, Prediction
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.votes import PanelResult
from service.questions.question import Question


def answer(result: PanelResult, knowledge: Knowledge, id: str, caller: str) -> Prediction:
    """The prediction that stores an answer of the oracle; callers do not vote on it."""
    question = result.question
    return Prediction(
        id=id,
        category="answer",
        question=question,
        rule=question.canonical,
        resolver="bars",
        created_at=result.asked_at,
        closes_at=result.asked_at,
        deadline=int(question.deadline.timestamp()),
        author=caller,
        commitment=commitment_of(result, knowledge),
    )


def commitment_of(result: PanelResult, knowledge: Knowledge) -> Commitment:
    """The commitment to the ballots of a panel, each with its weight; `knowledge` is the panel's input."""
    weighted = zip(result.ballots, result.pooled.weights, strict=True)
    return Commitment(
        voted_at=result.asked_at,
        as_of=result.as_of,
        p=result.pooled.p,
        votes=tuple(CommittedVote(ballot, weight) for ballot, weight in weighted),
        abstained=result.abstained,
        features=features(result.question, knowledge),
        fitted_at=knowledge.fits.slot if knowledge.fits else None,
    )


def features(question: Question, knowledge: Knowledge) -> str:
    """The SHA-256, in hex, of the voters' inputs: the contexts of the question's assets, and which fits."""
    fits = knowledge.fits
    shown = {
        "contexts": {asset: knowledge.contexts[asset].to_plain() for asset in question.assets},
        "fits": {"version": fits.version, "slot": fits.slot} if fits else None,
    }
    return sha256(canonical.write(shown).encode()).hexdigest()
