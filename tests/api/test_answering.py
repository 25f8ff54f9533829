"""Admission, and one run for callers that ask the same question where language models vote."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from flask import Flask

from service.api.answering import Answering, answering
from service.api.auth import Caller
from service.api.question_input import QuestionInput
from service.errors import Busy, ServiceUnavailable
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.panel import Reply
from service.forecasting.voters.votes import Answer
from service.store.tables import prediction
from tests.api.conftest import STEP, Wall
from tests.api.oracle_app import QUESTION, observe, oracle_app
from tests.forecasting.made import panel_of

CALLER = Caller("203.0.113.7")


class ModelSeat:
    """A seat that counts as a language model; it answers once `released`."""

    name, kind, engine = "trend", "seat", "nowhere:some-model"

    def __init__(self) -> None:
        self.calls, self.began, self.released = 0, Event(), Event()
        self.released.set()

    def forecast(self, question, inputs) -> Forecast:
        self.calls += 1
        self.began.set()
        assert self.released.wait(20)
        return Forecast(0.7, "It trends up.", prompt="seat/1")

    def late(self, question, inputs, reason: str) -> Forecast:
        return Forecast(0.5, reason, fallback=True)


@pytest.fixture
def seat() -> ModelSeat:
    return ModelSeat()


@pytest.fixture
def app(sqlite, tmp_path, wall: Wall, seat: ModelSeat) -> Flask:
    observe(sqlite)
    return oracle_app(sqlite, tmp_path, wall, panel_of([seat], quorum=1), oracle_concurrency=2)


@pytest.fixture
def part(app: Flask) -> Iterator[Answering]:
    """The part of the application that answers, within a request."""
    with app.test_request_context():
        yield answering()


def test_a_full_server_is_busy_until_a_place_is_free(part: Answering):
    """A place may be closed twice and counts once."""
    first = part.open(QuestionInput(QUESTION), CALLER).place
    part.open(QuestionInput(QUESTION), CALLER)
    with pytest.raises(Busy):
        part.open(QuestionInput(QUESTION), CALLER)
    first.close()
    first.close()
    part.open(QuestionInput(QUESTION), CALLER)
    with pytest.raises(Busy):
        part.open(QuestionInput(QUESTION), CALLER)


def test_identical_questions_share_a_run_until_the_next_bar(part: Answering, seat, sqlite, wall):
    """Case and spaces make no difference."""
    wall.time += STEP - 10
    answer = part.answer(QuestionInput(QUESTION), CALLER)
    shared = part.answer(QuestionInput(f"  {QUESTION.upper()} "), Caller("203.0.113.8"))
    assert (shared.id, answer.cached, shared.cached, seat.calls) == (answer.id, False, True, 1)
    wall.time += 10
    observe(sqlite, int(wall.time))
    renewed = part.answer(QuestionInput(QUESTION), CALLER)
    assert (renewed.cached, seat.calls) == (False, 2)
    assert renewed.id != answer.id


def test_a_concurrent_caller_waits_for_the_run_of_another(app: Flask, seat):
    seat.released.clear()

    def ask() -> Answer:
        with app.test_request_context():
            return answering().answer(QuestionInput(QUESTION), CALLER)

    with ThreadPoolExecutor(2) as threads:
        leader = threads.submit(ask)
        assert seat.began.wait(20)
        follower = threads.submit(ask)
        seat.released.set()
        answers = leader.result(20), follower.result(20)
    assert (seat.calls, answers[0].id == answers[1].id) == (1, True)
    assert [answer.cached for answer in answers] == [False, True]


def test_the_steps_end_with_the_answer_that_is_stored(part: Answering, sqlite):
    *replies, answer = part.steps(part.open(QuestionInput(QUESTION), CALLER))
    voted: dict[str, Reply] = dict(reply for reply in replies if reply)
    assert isinstance(answer, Answer)
    assert set(voted) == set(answer.votes) == {"trend"}
    with sqlite.reading() as db:
        assert [(row.id, row.author) for row in db.execute(prediction.select())] == [(answer.id, CALLER.id)]


def test_an_abandoned_stream_leaves_its_question_to_the_next(part: Answering, seat):
    """The caller of the first stream disconnects before the answer."""
    stream = part.steps(part.open(QuestionInput(QUESTION), CALLER))
    next(stream)
    stream.close()
    assert not part.answer(QuestionInput(QUESTION), CALLER).cached


def test_before_the_first_bars_no_question_is_read(sqlite, tmp_path, wall):
    with oracle_app(sqlite, tmp_path, wall).test_request_context(), pytest.raises(ServiceUnavailable):
        answering().open(QuestionInput(QUESTION), CALLER)
