"""A question in, nine votes and a consensus out."""

from __future__ import annotations

import secrets
import time
from collections.abc import Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from threading import BoundedSemaphore
from typing import Annotated

from flask import Blueprint, Flask, Response, current_app
from pydantic import Field, TypeAdapter

from service.api import examples, metrics, streaming
from service.api.auth import Caller
from service.api.inputs import Body
from service.api.limits import give_back
from service.api.operations import operation
from service.api.services import Services, services
from service.api.sharing import Abandoned, Sharing
from service.api.streaming import Event
from service.errors import Busy, InvalidQuestion, NotAMarketQuestion, NoVoters, Unavailable
from service.forecasting import oracle as forecasting
from service.forecasting.brains import EMBEDDED
from service.forecasting.predictions.votes import frozen
from service.forecasting.questions import understand
from service.forecasting.questions.clean import LONGEST
from service.forecasting.questions.question import Question
from service.forecasting.votes import Answer, Ballot, Understood, Verdict, Vote, publish, understood, vote
from service.market.instants import utc
from service.store import answers
from service.store import knowledge as stored
from service.store.knowledge import Knowledge

oracle = Blueprint("oracle", __name__)

ANSWER = TypeAdapter(Answer)
PATIENCE_S = 2.0  # beyond the voters' own deadline, for a run that somebody else makes

Text = Annotated[str, Field(min_length=1, max_length=LONGEST, examples=["Will Bitcoin rise more than 5% this month?"])]


class Ask(Body):
    """A question about crypto or markets, in plain words."""

    question: Text


@dataclass(frozen=True)
class Asked:
    """The first event of a stream: what the question was taken to mean, and who is asked."""

    question: str
    understood: Understood
    voters: tuple[str, ...]


@dataclass(frozen=True)
class Cast:
    """An event of a stream: a vote. Its weight is 1 until the consensus says more."""

    voter: str
    vote: Vote


@dataclass(frozen=True)
class Abstained:
    """An event of a stream: somebody does not vote, and why."""

    voter: str
    reason: str


ASKED, CAST, ABSTAINED = TypeAdapter(Asked), TypeAdapter(Cast), TypeAdapter(Abstained)
STREAM = (
    "an event `question`, then a `vote` or `abstention` for each voter as it comes, then `consensus` with the whole "
    "answer, or `error` with a problem; a comment every ten seconds in between"
)


def register(app: Flask) -> None:
    """Let `app` answer as many questions at once as the settings say, so that telemetry never waits for them."""
    known: Services = app.extensions["ninefold"]
    app.extensions["ninefold-admission"] = BoundedSemaphore(known.settings.oracle_concurrency)
    app.extensions["ninefold-sharing"] = Sharing(known.now)


@oracle.post("/api/v1/oracle")
@operation(
    tag="Oracle",
    key="required",
    limit="daily",
    retryable=True,
    returns=Answer,
    also={streaming.MEDIA: STREAM},
    raises=(NotAMarketQuestion, InvalidQuestion, Busy, NoVoters),
    example=examples.ANSWER,
)
def ask(body: Ask, caller: Caller) -> Response:
    """Ask nine voters one question about crypto or markets.

    Six seats and three brains vote on what the question was understood to mean (`understood`); the weighted
    consensus comes with every vote. Bull is the upward side of the question, `p_yes` the probability of yes.
    With `Accept: text/event-stream` the votes come one by one. Where language models vote, who asks the same within
    three minutes gets the same answer, `cached`, and it is not counted. Refused questions are not counted.
    """
    inquiry = _inquiry(body.question, caller)
    admitted = _admitted()
    if streaming.wanted():
        return streaming.respond(_events(inquiry), admitted.close)
    with admitted:
        *_, answer = _progress(inquiry)
    return Response(ANSWER.dump_json(answer), mimetype="application/json")


@dataclass(frozen=True)
class _Inquiry:
    """A question that was understood, at an instant of world time, and what is known by then."""

    question: Question
    now: int
    knowledge: Knowledge
    caller: Caller


Step = tuple[str, forecasting.Said] | Answer | None


def _inquiry(text: str, caller: Caller) -> _Inquiry:
    known = services()
    now = known.clock.at(known.now())
    knowledge = stored.latest(known.database, known.step)
    if not knowledge.contexts:
        raise Unavailable("The first bars are still being fetched.")
    return _Inquiry(understand(text, utc(now), knowledge.spots), now, knowledge, caller)


def _admitted() -> ExitStack:
    """A place among the questions that are open, until it is closed, once or more."""
    admission: BoundedSemaphore = current_app.extensions["ninefold-admission"]
    if not admission.acquire(blocking=False):
        raise Busy("As many questions as this server takes at once are being answered.")
    place = ExitStack()
    place.callback(admission.release)
    return place


def _events(inquiry: _Inquiry) -> Iterator[Event | None]:
    """An answer as it comes; one that was there is told vote by vote as well."""
    question = inquiry.question
    names = tuple(voter.name for voter in services().voters)
    yield Event("question", ASKED.dump_json(Asked(question.text, understood(question), names)))
    steps = _progress(inquiry)
    with closing(steps):
        for step in steps:
            if isinstance(step, Answer):
                yield from _told(step) if step.cached else ()
                yield Event("consensus", ANSWER.dump_json(step))
            else:
                yield step and _event(question, *step)


def _event(question: Question, name: str, said: forecasting.Said) -> Event:
    if isinstance(said, Ballot):
        return Event("vote", CAST.dump_json(Cast(name, vote(question, said))))
    return Event("abstention", ABSTAINED.dump_json(Abstained(name, said.reason)))


def _told(answer: Answer) -> Iterator[Event]:
    for name, cast in answer.votes.items():
        yield Event("vote", CAST.dump_json(Cast(name, cast)))
    for name, reason in answer.abstained.items():
        yield Event("abstention", ABSTAINED.dump_json(Abstained(name, reason)))


def _progress(inquiry: _Inquiry) -> Iterator[Step]:
    """What each voter says as it comes, None as a sign of life, and the answer at the end.

    Where language models are paid for it, one run answers everybody who asks the same meanwhile or soon after.
    """
    known = services()
    if all(voter.engine == EMBEDDED for voter in known.voters):
        yield from _run(known, inquiry)
        return
    sharing: Sharing[Answer] = current_app.extensions["ninefold-sharing"]
    # With the next bars it is another question: in a replay that is a second later.
    seen = max(context.as_of for context in inquiry.knowledge.contexts.values())
    key = (" ".join(inquiry.question.text.casefold().split()), seen)
    patience = time.monotonic() + known.settings.oracle_deadline_s + PATIENCE_S
    while time.monotonic() < patience:
        outcome, mine = sharing.join(key)
        if mine:
            yield from _shared(sharing, key, outcome, _run(known, inquiry))
            return
        try:
            yield from _waiting(outcome, patience)
            answer = outcome.result(timeout=0)
        except (Abandoned, TimeoutError):
            continue
        give_back()
        yield replace(answer, cached=True)
        return
    # Whoever made the run reads its stream too slowly to be waited for.
    yield from _run(known, inquiry)


def _shared(sharing: Sharing[Answer], key: Hashable, outcome: Future[Answer], steps: Iterator[Step]) -> Iterator[Step]:
    with sharing.making(key, outcome), closing(steps):
        for step in steps:
            if isinstance(step, Answer):
                outcome.set_result(step)
            yield step


def _waiting(outcome: Future[Answer], patience: float) -> Iterator[None]:
    """A sign of life every few seconds until there is an outcome or no patience left."""
    while (left := patience - time.monotonic()) > 0:
        if wait([outcome], min(left, streaming.BEAT_S)).done:
            return
        yield None


def _run(known: Services, inquiry: _Inquiry) -> Iterator[Step]:
    """Put it to the voters; no connection is held while they think."""
    question, now, knowledge = inquiry.question, inquiry.now, inquiry.knowledge
    polled = forecasting.poll(
        question,
        now,
        knowledge.contexts,
        knowledge.fits,
        known.voters,
        timer=time.perf_counter,
        polling=known.polling,
    )
    said = {}
    with closing(polled):
        for one in polled:
            said |= [one] if one else []
            yield one
    quorum = known.settings.oracle_quorum
    verdict = forecasting.conclude(
        question, now, knowledge.contexts, knowledge.record, known.voters, said, quorum=quorum
    )
    _measure(verdict)
    answer = publish(verdict, id=secrets.token_hex(8), world=known.clock.world)
    _keep(known, inquiry.caller, verdict, answer)
    yield answer


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
    cast = zip(verdict.ballots, verdict.pooled.weights, strict=True)
    votes = tuple(frozen(ballot, weight) for ballot, weight in cast)
    with known.database.writing() as db:
        answers.add(db, given, votes)
