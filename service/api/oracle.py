"""A question in, nine votes and a consensus out."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Annotated

from flask import Blueprint, Flask, current_app
from pydantic import Field, TypeAdapter

from service.api import examples, metrics
from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.api.services import Services, services
from service.errors import Busy, InvalidQuestion, NotAMarketQuestion, NoVoters, Unavailable
from service.forecasting import oracle as forecasting
from service.forecasting.questions import understand
from service.forecasting.questions.clean import LONGEST
from service.forecasting.votes import Answer, Verdict, publish
from service.market.instants import utc
from service.store import answers
from service.store import knowledge as stored

oracle = Blueprint("oracle", __name__)

ANSWER = TypeAdapter(Answer)

Question = Annotated[
    str, Field(min_length=1, max_length=LONGEST, examples=["Will Bitcoin rise more than 5% this month?"])
]


class Ask(Body):
    """A question about crypto or markets, in plain words."""

    question: Question


def register(app: Flask) -> None:
    """Let `app` answer as many questions at once as the settings say, so that telemetry never waits for them."""
    known: Services = app.extensions["ninefold"]
    app.extensions["ninefold-admission"] = BoundedSemaphore(known.settings.oracle_concurrency)


@oracle.post("/api/v1/oracle")
@operation(
    tag="Oracle",
    key="required",
    limit="daily",
    retryable=True,
    raises=(NotAMarketQuestion, InvalidQuestion, Busy, NoVoters),
    example=examples.ANSWER,
)
def ask(body: Ask, caller: Caller) -> Answer:
    """Ask nine voters one question about crypto or markets.

    Six seats and three brains vote on what the question was understood to mean (`understood`); the weighted
    consensus comes with every vote. Bull is the upward side of the question, `p_yes` the probability of yes.
    Refused questions are not counted.
    """
    with _admitted():
        return _answered(body.question, caller)


@contextmanager
def _admitted() -> Iterator[None]:
    admission: BoundedSemaphore = current_app.extensions["ninefold-admission"]
    if not admission.acquire(blocking=False):
        raise Busy("As many questions as this server takes at once are being answered.")
    try:
        yield
    finally:
        admission.release()


def _answered(text: str, caller: Caller) -> Answer:
    """No connection is held while the voters think."""
    known = services()
    now = known.clock.at(known.now())
    knowledge = stored.latest(known.database, known.step)
    if not knowledge.contexts:
        raise Unavailable("The first bars are still being fetched.")
    question = understand(text, utc(now), knowledge.spots)
    verdict = forecasting.ask(
        question,
        now,
        knowledge.contexts,
        knowledge.fits,
        known.voters,
        knowledge.record,
        quorum=known.settings.oracle_quorum,
        timer=time.perf_counter,
    )
    _measure(verdict)
    answer = publish(verdict, id=secrets.token_hex(8), world=known.clock.world)
    _keep(known, caller, verdict, answer)
    return answer


def _measure(verdict: Verdict) -> None:
    for ballot in verdict.ballots:
        metrics.observe_vote(ballot.voter, ballot.latency_ms / 1000)
    for name in verdict.abstained:
        metrics.observe_abstention(name)


def _keep(known: Services, caller: Caller, verdict: Verdict, answer: Answer) -> None:
    question = verdict.question
    given = answers.Answer(
        id=answer.id,
        asked_at=verdict.asked_at,
        caller=caller.id,
        asset=question.asset,
        question=question.text,
        kind=question.comparator,
        deadline=int(question.deadline.timestamp()),
        p_yes=verdict.pooled.p,
        body=ANSWER.dump_python(answer, mode="json"),
    )
    votes = tuple(
        answers.Vote(ballot.voter, ballot.engine, ballot.p, weight, ballot.reasoning)
        for ballot, weight in zip(verdict.ballots, verdict.pooled.weights, strict=True)
    )
    with known.database.writing() as db:
        answers.add(db, given, votes)
