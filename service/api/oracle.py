"""The oracle: a question in, nine votes and a consensus out, at once or as a stream; and the answers of a caller."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from flask import Blueprint, Response
from pydantic import Field

from service.api import streaming
from service.api.answering import Inquiry, answering
from service.api.auth import Caller
from service.api.operations import operation
from service.api.pages import PageQuery, link
from service.api.questions import QuestionBody, TextBody
from service.api.services import services
from service.api.streaming import StreamEvent
from service.errors import AssumedReading, Busy, InvalidQuestion, NotAMarketQuestion, NoVoters, ResourceNotFound
from service.forecasting.predictions.callers import AnswersDocument, KeptAnswer
from service.forecasting.voters.ballots import Ballot
from service.forecasting.voters.votes import Answer, UnderstoodText, Vote, vote
from service.questions.tokens import clean
from service.questions.wishes import Intent, PriceCurrency, Side
from service.store import answers as stored
from service.store.pages import ID
from service.store.snapshots import to_json

oracle = Blueprint("oracle", __name__)

answers = Blueprint("answers", __name__, url_prefix="/api/v1/answers")
STREAM = (
    "an event `question`, then a `vote` or `abstention` for each voter as it arrives, then `consensus` with the whole "
    "answer, or `error` with a problem; a comment every ten seconds in between"
)


@dataclass(frozen=True)
class QuestionEvent:
    """The first event of a stream: what the question was understood to mean, and the voters that are polled."""

    question: str
    understood: UnderstoodText
    voters: tuple[str, ...]


@dataclass(frozen=True)
class Understanding:
    """What a text wants and means, and by whom a question would be answered: the engine of each voter.

    `understood` is null where the text asks nothing that can be forecast. `level`, `level_pct` and `side` are those of
    an `alert`; a level is in USD, `level_pct` a move from the present price. A `price` may be asked of an `amount` and
    in a `currency` other than USD, `value` is its worth there, null without a rate. Where several
    assets are named, `asset` and `value` are null.
    """

    question: str
    intent: Intent
    asset: str | None
    level: float | None
    level_pct: float | None
    side: Side | None
    amount: float | None
    currency: PriceCurrency | None
    value: float | None
    understood: UnderstoodText | None
    answered_by: dict[str, str]


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


class AnswersQuery(PageQuery):
    """Which answers."""

    votes: Literal["full", "none"] = Field("full", description="`none`: `votes` are empty")


@oracle.post("/api/v1/oracle")
@operation(
    tag="Oracle",
    key="required",
    limit="questions",
    returns=Answer,
    alternatives={streaming.MEDIA: STREAM},
    raises=(NotAMarketQuestion, InvalidQuestion, AssumedReading, Busy, NoVoters),
)
def ask(body: QuestionBody, caller: Caller) -> Response:
    """Ask nine voters one question about crypto or markets.

    Six seats and three statistical models vote on the question as it was `understood`; the answer has the weighted
    consensus and every vote. Bull is the upward side of the question, `p_yes` the probability of yes. A question that
    asks for a price has no yes: its `price_forecast` says where the price will be. With `Accept: text/event-stream` the
    votes arrive one by one; under an Idempotency-Key the answer is finished and kept for a retry even if the connection
    breaks. Where language models vote, the same question asked again within three minutes gets the same answer,
    `cached` and free of charge. Refused questions are free of charge too.

    Instead of a text the question may be `understood`, as an earlier answer or POST /api/v1/oracle/understand gave it.
    The prices are those of now. A text such as "and eth?" or "by Friday?" carries on the question in `context`;
    `understood.carryover` says what was taken over from it. `understood.certainty` says whether the reading is sure;
    with `strict` an assumed one is refused.

    A question that no price decides (`comparator: topic`: the Fed, an approval, a listing) must name a date and needs
    language models in at least three seats. Only they vote, the others abstain; the operator sets the outcome.
    """
    if streaming.wanted():
        inquiry = answering().open(body.content, caller)
        return streaming.respond(_events(inquiry), inquiry.place.close)
    return Response(to_json(answering().answer(body.content, caller)), mimetype="application/json")


@oracle.post("/api/v1/oracle/understand")
@operation(
    tag="Oracle",
    key="required",
    limit="understanding",
    raises=(NotAMarketQuestion, InvalidQuestion, AssumedReading, Busy),
)
def understand(body: TextBody, caller: Caller) -> Understanding:
    """Read a text without asking it: what it wants and is understood to mean, free of charge.

    `intent` says what it wants: a `question` with yes or no, a `price_forecast` (where the price will be), the present
    `price`, an `alert`, `my_alerts` or `cancel_alerts` (for front ends that keep alerts), `advice` (whether to buy or
    sell), `why` (a market moves, or the last answer is as it is), the votes of the last answer (`show_votes`),
    `accuracy`, `help`, `about_you`, the `quota`, `thanks` or a `greeting`, in all ten languages.

    Any other text, and a question that POST /api/v1/oracle would refuse, is refused here for the same reason. Where the
    text leaves a choice, `understood.alternatives` has the other readings, so that a front end can ask which one is
    meant. A text may carry on the question in `context`, as there.
    """
    reading, meaning = answering().read(body.content, caller)
    engines = {voter.name: voter.engine for voter in services().panel.voters}
    return Understanding(
        clean(body.question),
        reading.intent,
        reading.asset,
        reading.level,
        reading.level_pct,
        reading.side,
        reading.amount,
        reading.currency,
        None if reading.value is None else float(f"{reading.value:.8g}"),
        meaning,
        engines if meaning else {},
    )


def _events(inquiry: Inquiry) -> Generator[StreamEvent | None]:
    """The answer as it arrives; a shared answer is sent vote by vote as well."""
    question = inquiry.question
    names = tuple(voter.name for voter in services().panel.voters)
    yield StreamEvent("question", to_json(QuestionEvent(question.text, inquiry.meaning, names)))
    with closing(answering().steps(inquiry)) as steps:
        for step in steps:
            if isinstance(step, Answer):
                if step.cached:
                    for name, opinion in (*step.votes.items(), *step.abstained.items()):
                        yield _reply(name, opinion)
                yield StreamEvent("consensus", to_json(step))
            elif step is None:
                yield None
            else:
                voter, reply = step
                yield _reply(voter, vote(question, reply) if isinstance(reply, Ballot) else str(reply))


def _reply(voter: str, opinion: Vote | str) -> StreamEvent:
    if isinstance(opinion, Vote):
        return StreamEvent("vote", to_json(VoteEvent(voter, opinion)))
    return StreamEvent("abstention", to_json(AbstentionEvent(voter, opinion)))


@answers.get("")
@operation(tag="Oracle", key="required", limit="own data")
def mine(query: AnswersQuery, caller: Caller) -> AnswersDocument:
    """Your answers of the oracle, the newest first, with the outcome and the score once the question is resolved.

    Answers belong to a key, or to an end user of a delegating key, and stay after a rotation. Reading them does not
    count against the daily quota. `next` is the `cursor` of the next page, also as a `Link` header.
    """
    with services().database.reading() as db:
        with_votes = query.votes == "full"
        rows, next = stored.answers_page(db, caller.id, query.limit, cursor=query.cursor, with_votes=with_votes)
    link(next)
    return AnswersDocument("answers/1", len(rows), next, tuple(rows))


@answers.get("/<answer_id>", endpoint="one")
@operation(tag="Oracle", key="required", limit="own data", raises=(ResourceNotFound,))
def show(answer_id: str, caller: Caller) -> KeptAnswer:
    """One of your answers as it was given, with the outcome and the score once the question is resolved."""
    with services().database.reading() as db:
        answer = stored.find_answer(db, answer_id, caller.id) if ID.fullmatch(answer_id) else None
    if answer is None:
        raise ResourceNotFound("You have no such answer; /api/v1/answers lists yours.")
    return answer
