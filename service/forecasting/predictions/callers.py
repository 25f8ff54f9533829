"""Predictions of callers: the challenges that they open, and the kept answers of the oracle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

import numpy as np

from service.errors import FieldError, InvalidRequest
from service.forecasting.predictions import Prediction, Settlement, resolver_of
from service.forecasting.predictions.resolution import Outcome
from service.forecasting.voters.votes import Answer
from service.market.instants import HOUR, iso, utc
from service.questions import Circumstances, read_any, rule
from service.questions.criterion import EXAMPLE, invalid
from service.scores.proper import brier, log_score

LAST_SECOND = time(23, 59, 59)
FARTHEST_D = 365
SOONEST_S = HOUR


def open_challenge(text: str, deadline: date, circumstances: Circumstances, number: int, author: str) -> Prediction:
    """The challenge that a caller opens; its deadline takes the place of that of the circumstances.

    It ends at the last second of `deadline` (UTC), or at the instant of that day that the text names. Raises
    InvalidRequest for the field `deadline` if it is too early or too late, and for `question` if the text is not a
    single question with the answer yes or no by then.
    """
    now = int(circumstances.now.timestamp())
    earliest, latest = utc(now + SOONEST_S).date(), utc(now).date() + timedelta(days=FARTHEST_D)
    detail = (
        f"The deadline must be at least an hour and at most {FARTHEST_D} days ahead: it is {iso(now)} in this world, "
        f"so choose a day from {earliest} to {latest}."
    )
    refusal = InvalidRequest(detail, [FieldError("deadline", detail)])
    if not earliest <= deadline <= latest:
        raise refusal
    question = read_any(text, replace(circumstances, until=datetime.combine(deadline, LAST_SECOND, UTC))).question
    if question.comparator == "open":
        raise invalid(f"This question has no yes or no answer. Name an event that should happen by then: {EXAMPLE}")
    ends = int(question.deadline.timestamp())
    if ends - now < SOONEST_S:
        raise refusal
    return Prediction(
        id=f"challenge-{number}",
        category="challenge",
        question=question,
        rule=rule(question, now),
        resolver=resolver_of(question),
        created_at=now,
        closes_at=ends,
        deadline=ends,
        number=number,
        author=author,
    )


def resolve_by_hand(market: Prediction, outcome: Outcome, evidence: str, now: int) -> Settlement:
    """The operator's settlement of a challenge or an answer at the world second `now`.

    `evidence` says where it can be checked. Raises InvalidRequest for a market that is not resolved by hand, and
    without evidence.
    """
    if market.resolver != "hand":
        raise InvalidRequest(f"{market.id} is resolved by {market.resolver}, not by hand.")
    if not evidence.strip():
        detail = "State where the outcome can be checked."
        raise InvalidRequest(detail, [FieldError("evidence", detail)])
    return Settlement(outcome, now, evidence.strip(), "hand")


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
    settlement = prediction.settlement
    resolution = settlement and AnswerResolution(settlement.outcome, iso(settlement.resolved_at), settlement.evidence)
    score = None
    if prediction.commitment and prediction.is_scored:
        p, outcome = np.array(prediction.commitment.p), np.array(float(prediction.outcome == "yes"))
        score = AnswerScore(round(float(brier(p, outcome)), 5), round(float(log_score(p, outcome)), 5))
    return KeptAnswer(**vars(answer), resolution=resolution, score=score)
