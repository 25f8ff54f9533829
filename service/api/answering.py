"""Answering a question: what is asked, admission, one run for identical questions, the votes, and the stored answer.

Each process admits and shares its own questions.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from threading import BoundedSemaphore, Lock
from typing import Generic, TypeVar

from flask import Flask, current_app

from service.api import metrics
from service.api.auth import Caller
from service.api.coins import LATE_S, CoinDesk
from service.api.idempotency import settle_and_keep
from service.api.questions import EarlierReading, QuestionInput, UnderstoodBody, invalid_context
from service.api.services import Services, is_there, not_yet
from service.api.streaming import BEAT_S
from service.api.windows import refund
from service.documents import adapter
from service.errors import Busy, FieldError, InvalidQuestion, InvalidRequest
from service.forecasting.predictions import commitments
from service.forecasting.voters.ballots import PanelResult
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.panel import TOPIC_QUORUM, Panel, Reply
from service.forecasting.voters.price_forecasts import of_question
from service.forecasting.voters.votes import Answer, UnderstoodText, closures, publish, understood_text
from service.market.assets import ASSETS
from service.market.instants import World, utc
from service.questions import Circumstances, coins_to_price
from service.questions.intents import no_question, read_text
from service.questions.parse import NOT_NAMED, Parse
from service.questions.question import Question
from service.questions.topics import TopicQuestion
from service.questions.wishes import TextReading
from service.store import answers, coins, knowledge, predictions, snapshots
from service.store.bars import StoredHistory
from service.store.pages import ID
from service.store.snapshots import to_json

PATIENCE_S = 2.0  # how long after the voters' deadline another caller's run is waited for

# A voter's reply as it arrives, None as a heartbeat, and the answer at the end.
Step = tuple[str, Reply] | Answer | None

T = TypeVar("T")
KEPT_S = 180.0
MODELS_MISSING = (
    f"at least {TOPIC_QUORUM} of the six seats need one, and this service has fewer; ask something that a price decides"
)
REPLAY_REASON = "in a replay they may see neither names nor dates, because they may remember what came after"


@dataclass(frozen=True)
class Inquiry:
    """A question as it was understood at the world second `now`, and what the voters forecast from.

    `place` is its place among the open questions, until it is closed, once or more.
    """

    question: Question
    meaning: UnderstoodText
    now: int
    knowledge: Knowledge
    caller: Caller
    place: ExitStack

    @property
    def key(self) -> Hashable:
        """What identical questions share: the words, their meaning, and the last bar."""
        as_of = max(context.as_of for context in self.knowledge.contexts.values())
        return " ".join(self.question.text.casefold().split()), self.question.canonical, as_of


class Abandoned(Exception):
    """The leader of the run is gone without an outcome; another caller may lead a new one."""


class SingleFlight(Generic[T]):
    """The runs of the last minutes, by key: when each began and its outcome; `now` is in unix seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._runs: dict[Hashable, tuple[float, Future[T]]] = {}
        self._lock = Lock()

    @contextmanager
    def join(self, key: Hashable) -> Iterator[tuple[Future[T], bool]]:
        """The outcome of the run of `key`, and whether the caller leads it and must set the outcome in this context.

        The outcome fails for all callers with the leader's exception, or with Abandoned when the leader leaves the
        context without one; such a run is removed.
        """
        with self._lock:
            # Forget runs that are over and old; one in progress stays, however long it takes.
            now = self._now()
            self._runs = {k: run for k, run in self._runs.items() if run[0] > now - KEPT_S or not run[1].done()}
            is_leader = key not in self._runs
            outcome = self._runs.setdefault(key, (now, Future()))[1]
        if not is_leader:
            yield outcome, False
            return
        try:
            yield outcome, True
        except Exception as error:
            self._fail(key, outcome, error)
            raise
        finally:
            self._fail(key, outcome, Abandoned())

    def _fail(self, key: Hashable, outcome: Future[T], error: Exception) -> None:
        if outcome.done():
            return
        with self._lock:
            self._runs.pop(key, None)
        outcome.set_exception(error)


class Answering:
    """Answers the questions of one application.

    Where language models vote, callers with the same question share one run, because a run costs money.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._admission = BoundedSemaphore(services.settings.oracle_concurrency)
        self._coins = CoinDesk(services)
        self._flights: SingleFlight[Answer] = SingleFlight(services.now)

    def answer(self, content: QuestionInput, caller: Caller) -> Answer:
        """The answer to a caller's question, once all votes are there; raises what `open` raises."""
        inquiry = self.open(content, caller)
        with inquiry.place:
            *_, answer = self.steps(inquiry)
        assert isinstance(answer, Answer)
        return answer

    def open(self, content: QuestionInput, caller: Caller) -> Inquiry:
        """The inquiry behind a caller's question, with a place.

        Raises Busy without a place, then what `read_any` and `require_answerable` raise, and InvalidRequest where the
        input is a document that disagrees with its own sentence.
        """
        with self.admit() as place:
            reading, circumstances, latest = self._read(content, caller)
            if reading.meaning is None:
                raise content.refusal(no_question(content.text, reading, circumstances))
            content.require_agreement(reading.meaning.question)
            now = int(circumstances.now.timestamp())
            question, meaning = self._published(reading.meaning, now, latest)
            content.require_certainty(meaning)
            meaning = replace(meaning, follows=meaning.follows or content.follows)
            return Inquiry(question, meaning, now, latest, caller, place.pop_all())

    def read(self, content: QuestionInput, caller: Caller) -> tuple[TextReading, UnderstoodText | None]:
        """What a caller's text wants and, if it asks a question, means; raises what `open` raises of questions."""
        with self.admit():
            reading, circumstances, latest = self._read(content, caller)
            if reading.meaning is None:
                return reading, None
            meaning = self._published(reading.meaning, int(circumstances.now.timestamp()), latest)[1]
            content.require_certainty(meaning)
            return reading, meaning

    def _read(self, content: QuestionInput, caller: Caller) -> tuple[TextReading, Circumstances, Knowledge]:
        """What a text wants, with what it was read and what voters would forecast from."""
        services = self._services
        now = services.world_now
        latest = knowledge.latest_knowledge(services.database, services.step)
        if not latest.contexts or (services.clock.world == "live" and not is_there(services, latest)):
            raise not_yet(services)
        with services.database.reading() as db:
            current = snapshots.latest_rates(db)
        history = StoredHistory(services.database.reading, services.step, now)
        circumstances = Circumstances(
            utc(now), latest.spots, history=history, rates=current, coins=self._coins.listed()
        )
        earlier = self._earlier(content.context, caller)
        texts = (content.text, earlier.canonical, earlier.follows) if earlier else (content.text,)
        if keys := tuple(dict.fromkeys(key for text in texts if text for key in coins_to_price(text, circumstances))):
            latest = self._coins.beside(latest, keys, now)
            circumstances = replace(circumstances, spots=latest.spots)
        context = earlier and earlier.recall(circumstances)
        try:
            reading = read_text(content.text, circumstances, context)
            if reading.meaning is not None:
                require_answerable(reading.meaning.question, services.panel, services.clock.world)
        except InvalidRequest as refusal:
            raise content.refusal(refusal) from refusal
        return reading, circumstances, latest

    def _published(
        self, reading: Parse | TopicQuestion, now: int, latest: Knowledge
    ) -> tuple[Question, UnderstoodText]:
        """The question with the notes about its coins and closures, and its meaning as it is published."""
        question = self._coins.noted(reading.question) if reading.question.coins else reading.question
        as_of = min(
            (latest.contexts[asset].as_of for asset in question.assets if asset in latest.contexts), default=now
        )
        question = replace(question, notes=(*(note for _, note in closures(question, now, as_of)), *question.notes))
        return question, replace(understood_text(reading, now), notes=question.notes)

    def _earlier(self, context: str | UnderstoodBody | None, caller: Caller) -> EarlierReading | None:
        """What the question in `context` was understood to mean; InvalidRequest where it is no such question."""
        if context is None or isinstance(context, UnderstoodBody):
            return context and EarlierReading.of(context)
        with self._services.database.reading() as db:
            answer = answers.find_answer(db, context, caller.id) if ID.fullmatch(context) else None
        if answer is None:
            raise invalid_context("You have no such answer; /api/v1/answers lists yours.")
        return EarlierReading.of(answer.understood)

    def admit(self) -> ExitStack:
        """A place among the questions of this process, until it is closed; raises Busy when none is free."""
        if not self._admission.acquire(blocking=False):
            raise Busy("The server is at capacity. Try again in a few seconds.")
        place = ExitStack()
        place.callback(self._admission.release)
        return place

    def steps(self, inquiry: Inquiry) -> Generator[Step]:
        """The replies as they arrive, heartbeats, and the answer at the end."""
        until = time.monotonic() + self._services.settings.oracle_deadline_s + PATIENCE_S
        while self._services.panel.has_models and until > time.monotonic():
            with self._flights.join(inquiry.key) as (outcome, is_leader):
                if is_leader:
                    with closing(self._run(inquiry)) as steps:
                        for step in steps:
                            if isinstance(step, Answer):
                                outcome.set_result(step)
                            yield step
                    return
            yield from _heartbeats(outcome, until)
            if answer := _shared(outcome):
                yield answer
                return
        # No run is shared, or its leader reads its stream too slowly to be waited for.
        yield from self._run(inquiry)

    def _run(self, inquiry: Inquiry) -> Generator[Step]:
        """Poll the voters, language models with their evidence; no database connection is held meanwhile."""
        panel, question, now = self._services.panel, inquiry.question, inquiry.now
        informed = knowledge.with_evidence(self._services.database, panel, inquiry.knowledge, question, now)
        replies: dict[str, Reply] = {}
        with closing(panel.poll(question, now, informed)) as replies_in_turn:
            for reply in replies_in_turn:
                replies |= [reply] if reply else []
                yield reply
        yield self._store(inquiry, panel.conclude(question, now, inquiry.knowledge, replies))

    def _store(self, inquiry: Inquiry, result: PanelResult) -> Answer:
        for ballot in result.ballots:
            metrics.VOTER_SECONDS.labels(ballot.voter).observe(ballot.latency_ms / 1000)
            metrics.VOTES.labels(ballot.voter, ballot.engine).inc()
        for name in result.abstained:
            metrics.ABSTENTIONS.labels(name).inc()
        prices = of_question(inquiry.question, inquiry.now, inquiry.knowledge)
        record = inquiry.knowledge.record.of(inquiry.question)
        id = secrets.token_hex(8)
        world = self._services.clock.world
        answer = publish(result, inquiry.meaning, record, id=id, world=world, price_forecast=prices)
        prediction = commitments.answer(result, inquiry.knowledge, answer.id, inquiry.caller.id)
        with self._services.database.writing() as db:
            predictions.add_predictions(db, [prediction], adapter(Answer).dump_python(answer, mode="json"))
            for key in inquiry.question.coins:
                coins.need_coin(db, key, inquiry.now, prediction.deadline + LATE_S)
            settle_and_keep(db, to_json(answer))
        return answer


def register(app: Flask) -> None:
    app.extensions["ninefold-answering"] = Answering(app.extensions["ninefold"])


def answering() -> Answering:
    return current_app.extensions["ninefold-answering"]


def _shared(outcome: Future[Answer]) -> Answer | None:
    """The answer of another caller's run, which is free; None when that run was abandoned or is not over."""
    try:
        answer = outcome.result(timeout=0)
    except (Abandoned, TimeoutError):
        return None
    refund()
    return replace(answer, cached=True)


def _heartbeats(outcome: Future[Answer], until: float) -> Iterator[None]:
    """A heartbeat every few seconds until the outcome is there, or until that instant of the monotonic clock."""
    while (left := until - time.monotonic()) > 0:
        if wait([outcome], min(left, BEAT_S)).done:
            return
        yield None


def require_answerable(question: Question, panel: Panel, world: World) -> None:
    """Raise InvalidQuestion for a topic without enough language models, or without a deadline of its own."""
    if question.comparator != "topic" or (panel.answers_topics and NOT_NAMED not in question.notes):
        return
    if panel.answers_topics:
        detail = "No price decides this question, so it needs a date: for example, by December 31."
    else:
        reason = REPLAY_REASON if world == "replay" and panel.has_models else MODELS_MISSING
        detail = f"No price decides this question, so only language models can answer it, and {reason}."
    suggestion = f"Will {ASSETS[question.asset].name} rise by {question.deadline:%Y-%m-%d}?"
    detail += f" The nearest question about a price: {suggestion}"
    raise InvalidQuestion(detail, [FieldError("question", detail, "no_price")], [suggestion])
