"""The oracle: a question in, nine votes and a consensus out, as one document or as a stream of events."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint, Response
from pydantic import Field, TypeAdapter

from service.api import streaming
from service.api.answering import ANSWER, Inquiry, answering
from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.api.services import services
from service.api.streaming import StreamEvent
from service.errors import Busy, InvalidQuestion, NotAMarketQuestion, NoVoters
from service.forecasting.voters.ballots import Ballot
from service.forecasting.voters.polling import Reply
from service.forecasting.voters.votes import Answer, Understood, Vote, understood, vote
from service.questions.clean import LONGEST
from service.questions.question import Question

oracle = Blueprint("oracle", __name__)

Text = Annotated[str, Field(min_length=1, max_length=LONGEST, examples=["Will Bitcoin rise more than 5% this month?"])]
STREAM = (
    "an event `question`, then a `vote` or `abstention` for each voter as it arrives, then `consensus` with the whole "
    "answer, or `error` with a problem; a comment every ten seconds in between"
)


class Ask(Body):
    """A question about crypto or markets in plain words."""

    question: Text


@dataclass(frozen=True)
class QuestionEvent:
    """The first event of a stream: what the question was understood to mean, and the voters that are polled."""

    question: str
    understood: Understood
    voters: tuple[str, ...]


@dataclass(frozen=True)
class VoteEvent:
    """A vote. Its weight is 1 until the consensus is known."""

    voter: str
    vote: Vote


@dataclass(frozen=True)
class AbstentionEvent:
    """A voter that does not vote, and its reason."""

    voter: str
    reason: str


QUESTION, VOTE, ABSTENTION = TypeAdapter(QuestionEvent), TypeAdapter(VoteEvent), TypeAdapter(AbstentionEvent)


@oracle.post("/api/v1/oracle")
@operation(
    tag="Oracle",
    key="required",
    limit="daily",
    retryable=True,
    returns=Answer,
    also={streaming.MEDIA: STREAM},
    raises=(NotAMarketQuestion, InvalidQuestion, Busy, NoVoters),
)
def ask(body: Ask, caller: Caller) -> Response:
    """Ask nine voters one question about crypto or markets.

    Six seats and three statistical models vote on the question as it was `understood`; the answer has the weighted
    consensus and every vote. Bull is the upward side of the question, `p_yes` the probability of yes. A question that
    asks for a price has no yes: its `price_forecast` says where the price will be. With `Accept: text/event-stream` the
    votes arrive one by one. Where language models vote, the same question asked again within three minutes gets the
    same answer, `cached` and free of charge. Refused questions are free of charge too.
    """
    if streaming.wanted():
        inquiry = answering().open(body.question, caller)
        return streaming.respond(_events(inquiry), inquiry.place.close)
    answer = answering().answer(body.question, caller)
    return Response(ANSWER.dump_json(answer), mimetype="application/json")


def _events(inquiry: Inquiry) -> Generator[StreamEvent | None]:
    """The answer as it arrives; a shared answer is sent vote by vote as well."""
    question = inquiry.question
    names = tuple(voter.name for voter in services().panel.voters)
    yield StreamEvent("question", QUESTION.dump_json(QuestionEvent(question.text, understood(question), names)))
    with closing(answering().steps(inquiry)) as steps:
        for step in steps:
            if isinstance(step, Answer):
                yield from _replies(step) if step.cached else ()
                yield StreamEvent("consensus", ANSWER.dump_json(step))
            elif step is None:
                yield None
            else:
                yield _reply(question, *step)


def _reply(question: Question, voter: str, reply: Reply) -> StreamEvent:
    if isinstance(reply, Ballot):
        return _vote(voter, vote(question, reply))
    return _abstention(voter, reply.reason)


def _replies(answer: Answer) -> Iterator[StreamEvent]:
    yield from (_vote(name, published) for name, published in answer.votes.items())
    yield from (_abstention(name, reason) for name, reason in answer.abstained.items())


def _vote(voter: str, published: Vote) -> StreamEvent:
    return StreamEvent("vote", VOTE.dump_json(VoteEvent(voter, published)))


def _abstention(voter: str, reason: str) -> StreamEvent:
    return StreamEvent("abstention", ABSTENTION.dump_json(AbstentionEvent(voter, reason)))
