"""Kept answers of the oracle as they are published: what was answered, and what became known at the deadline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.votes import Answer
from service.market.instants import iso
from service.scores.proper import brier, log_score


@dataclass(frozen=True)
class AnswerResolution:
    """The outcome of an answered question: where the question names no event, whether the price rose."""

    outcome: Outcome
    resolved_at: str
    evidence: str


@dataclass(frozen=True)
class AnswerScore:
    """The Brier and the log score of the answer's `p_yes`, lower is better."""

    brier: float
    log: float


@dataclass(frozen=True)
class KeptAnswer(Answer):
    """An answer as it was published, and its outcome.

    `resolution` is null until the deadline, and where no price decides the question until the operator sets the
    outcome; `score` until the outcome is yes or no, and where the question names no event.
    """

    resolution: AnswerResolution | None = None
    score: AnswerScore | None = None


@dataclass(frozen=True)
class AnswersDocument:
    """A page of the caller's answers, the newest first; `next` is the cursor of the next page, null on the last."""

    schema: str
    count: int
    next: str | None
    answers: tuple[KeptAnswer, ...]


def kept_answer(answer: Answer, prediction: Prediction) -> KeptAnswer:
    """An answer with what its prediction shows of the outcome."""
    settlement = prediction.settlement
    resolution = settlement and AnswerResolution(settlement.outcome, iso(settlement.resolved_at), settlement.evidence)
    return KeptAnswer(**vars(answer), resolution=resolution, score=_score(prediction))


def _score(prediction: Prediction) -> AnswerScore | None:
    if prediction.commitment is None or not prediction.is_scored:
        return None
    p, happened = np.array(prediction.commitment.p), np.array(float(prediction.outcome == "yes"))
    return AnswerScore(round(float(brier(p, happened)), 5), round(float(log_score(p, happened)), 5))
