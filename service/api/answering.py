"""Answering a question: admission, one run for identical questions, the votes as a stream, and the stored answer.

Each process admits and shares its own questions.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Generator, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from threading import BoundedSemaphore

from flask import Flask, current_app
from pydantic import TypeAdapter

from service.api import metrics
from service.api.arrival import is_there, not_yet
from service.api.auth import Caller
from service.api.charging import refund
from service.api.coins import LATE_S, CoinDesk
from service.api.question_input import QuestionInput
from service.api.services import Services
from service.api.single_flight import Abandoned, SingleFlight
from service.api.streaming import BEAT_S
from service.api.topics import require_answerable
from service.errors import Busy, InvalidRequest
from service.forecasting.predictions import commitments
from service.forecasting.voters.ballots import PanelResult
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.panel import Reply
from service.forecasting.voters.price_forecasts import of_question
from service.forecasting.voters.votes import Answer, UnderstoodText, publish, understood_text
from service.market.instants import utc
from service.questions import Circumstances, coins_to_price, read_any
from service.questions.question import Question
from service.store import coins, evidence, knowledge, predictions, rates
from service.store.history import StoredHistory

ANSWER = TypeAdapter(Answer)
PATIENCE_S = 2.0  # how long after the voters' deadline another caller's run is waited for

# A voter's reply as it arrives, None as a heartbeat, and the answer at the end.
Step = tuple[str, Reply] | Answer | None


@dataclass(frozen=True)
class Inquiry:
    """A question as it was understood at the world second `now`, and what the voters forecast from.

    `place` is its place among the open questions, until it is closed, once or more.
    """

    question: Question
    understood: UnderstoodText
    now: int
    knowledge: Knowledge
    caller: Caller
    place: ExitStack

    @property
    def key(self) -> Hashable:
        """What identical questions share: the words, and the last bar. With the next bar it is another question."""
        as_of = max(context.as_of for context in self.knowledge.contexts.values())
        return " ".join(self.question.text.casefold().split()), as_of


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
            return self._answer(inquiry)

    def open(self, content: QuestionInput, caller: Caller) -> Inquiry:
        """The inquiry behind a caller's question, with a place.

        Raises Busy without a place, then what `read_any` and `require_answerable` raise, and InvalidRequest where the
        input is a document that disagrees with its own sentence.
        """
        place = self.admit()
        try:
            return self._understand(content, caller, place)
        except BaseException:
            place.close()
            raise

    def _understand(self, content: QuestionInput, caller: Caller, place: ExitStack) -> Inquiry:
        services = self._services
        now = services.clock.at(services.now())
        latest = knowledge.latest(services.database, services.step)
        if not latest.contexts or (services.clock.world == "live" and not is_there(services, latest)):
            raise not_yet(services)
        with services.database.reading() as db:
            current = rates.latest(db)
        history = StoredHistory(services.database.reading, services.step, now)
        circumstances = Circumstances(
            utc(now), latest.spots, history=history, rates=current, coins=self._coins.listed()
        )
        if keys := coins_to_price(content.text, circumstances):
            latest = self._coins.beside(latest, keys, now)
            circumstances = replace(circumstances, spots=latest.spots)
        try:
            parsed = read_any(content.text, circumstances)
            require_answerable(parsed.question, services.panel, services.clock.world)
        except InvalidRequest as refusal:
            raise content.refusal(refusal) from None
        content.require_agreement(parsed.question)
        question = self._coins.noted(parsed.question) if parsed.question.coins else parsed.question
        understood = replace(understood_text(parsed, now), notes=question.notes)
        return Inquiry(question, understood, now, latest, caller, place)

    def admit(self) -> ExitStack:
        """A place among the questions of this process, until it is closed; raises Busy when none is free."""
        if not self._admission.acquire(blocking=False):
            raise Busy("The server is at capacity. Try again in a few seconds.")
        place = ExitStack()
        place.callback(self._admission.release)
        return place

    def _answer(self, inquiry: Inquiry) -> Answer:
        if not self._services.panel.has_models:
            return self._ask(inquiry)
        until = self._patience()
        while (left := until - time.monotonic()) > 0:
            with self._flights.join(inquiry.key) as (outcome, is_leader):
                if is_leader:
                    outcome.set_result(self._ask(inquiry))
                    return outcome.result()
            wait([outcome], left)
            if answer := _shared(outcome):
                return answer
        return self._ask(inquiry)

    def steps(self, inquiry: Inquiry) -> Generator[Step]:
        """The replies as they arrive, heartbeats, and the answer at the end."""
        if not self._services.panel.has_models:
            yield from self._run(inquiry)
            return
        until = self._patience()
        while until > time.monotonic():
            with self._flights.join(inquiry.key) as (outcome, is_leader):
                if is_leader:
                    yield from self._lead(inquiry, outcome)
                    return
            yield from _heartbeats(outcome, until)
            if answer := _shared(outcome):
                yield answer
                return
        # The leader reads its stream too slowly to be waited for.
        yield from self._run(inquiry)

    def _patience(self) -> float:
        return time.monotonic() + self._services.settings.oracle_deadline_s + PATIENCE_S

    def _lead(self, inquiry: Inquiry, outcome: Future[Answer]) -> Generator[Step]:
        with closing(self._run(inquiry)) as steps:
            for step in steps:
                if isinstance(step, Answer):
                    outcome.set_result(step)
                yield step

    def _ask(self, inquiry: Inquiry) -> Answer:
        result = self._services.panel.ask(inquiry.question, inquiry.now, self._informed(inquiry))
        return self._store(inquiry, result)

    def _run(self, inquiry: Inquiry) -> Generator[Step]:
        """Poll the voters; no database connection is held meanwhile."""
        panel, question, now = self._services.panel, inquiry.question, inquiry.now
        replies: dict[str, Reply] = {}
        with closing(panel.poll(question, now, self._informed(inquiry))) as polled:
            for reply in polled:
                replies |= [reply] if reply else []
                yield reply
        yield self._store(inquiry, panel.conclude(question, now, inquiry.knowledge, replies))

    def _informed(self, inquiry: Inquiry) -> Knowledge:
        """What the voters forecast from, with the evidence for language models; the store is closed again."""
        services = self._services
        return evidence.beside(services.database, services.panel, inquiry.knowledge, inquiry.question, inquiry.now)

    def _store(self, inquiry: Inquiry, result: PanelResult) -> Answer:
        """The answer as it is published, measured and stored with its votes."""
        _measure(result)
        prices = of_question(inquiry.question, inquiry.now, inquiry.knowledge)
        world = self._services.clock.world
        record = inquiry.knowledge.record.of(inquiry.question)
        id = secrets.token_hex(8)
        answer = publish(result, inquiry.understood, record, id=id, world=world, price_forecast=prices)
        prediction = commitments.answer(result, inquiry.knowledge, answer.id, inquiry.caller.id)
        with self._services.database.writing() as db:
            predictions.add(db, [prediction], ANSWER.dump_python(answer, mode="json"))
            for key in inquiry.question.coins:
                coins.need(db, key, inquiry.now, prediction.deadline + LATE_S)
        return answer


def register(app: Flask) -> None:
    """Give `app` the part that answers its questions."""
    app.extensions["ninefold-answering"] = Answering(app.extensions["ninefold"])


def answering() -> Answering:
    """The part of the current application that answers questions."""
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


def _measure(result: PanelResult) -> None:
    for ballot in result.ballots:
        metrics.observe_vote(ballot.voter, ballot.engine, ballot.latency_ms / 1000)
    for name in result.abstained:
        metrics.observe_abstention(name)
