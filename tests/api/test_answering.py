"""Admission, and one run for callers that ask the same question where language models vote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from threading import Barrier, Event
from types import SimpleNamespace

import pytest
from flask import Flask

from service.api.answering import KEPT_S, Abandoned, Answering, SingleFlight, answering, require_answerable
from service.api.auth import Caller
from service.api.questions import QuestionInput
from service.errors import Busy, InvalidQuestion, NoVoters, ServiceUnavailable
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.panel import VOTERS, Panel, Reply
from service.forecasting.voters.votes import Answer
from service.questions import Circumstances, read_any
from service.questions.question import Question
from service.store.tables import prediction
from tests.api.conftest import Wall
from tests.api.opened import QUESTION, observe
from tests.api.web import STEP
from tests.forecasting.made import panel_of

CALLER = Caller("203.0.113.7")


class ModelSeat:
    """A seat that counts as a language model."""

    name, kind, engine = "trend", "seat", "nowhere:some-model"

    def __init__(self) -> None:
        self.calls = 0

    def forecast(self, question, inputs) -> Forecast:
        self.calls += 1
        return Forecast(0.7, "It trends up.", prompt="seat/1")

    def late(self, question, inputs, reason: str) -> Forecast:
        return Forecast(0.5, reason, fallback=True)


@pytest.fixture
def seat() -> ModelSeat:
    return ModelSeat()


@pytest.fixture
def app(make_app, sqlite, seat: ModelSeat) -> Flask:
    observe(sqlite)
    return make_app(sqlite, panel_of([seat], quorum=1), oracle_concurrency=2)


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
    copy = part.answer(QuestionInput(f"  {QUESTION.upper()} "), Caller("203.0.113.8"))
    assert (copy.id, answer.cached, copy.cached, seat.calls) == (answer.id, False, True, 1)
    wall.time += 10
    observe(sqlite, int(wall.time))
    renewal = part.answer(QuestionInput(QUESTION), CALLER)
    assert (renewal.cached, seat.calls) == (False, 2)
    assert renewal.id != answer.id


def test_the_steps_end_with_the_answer_that_is_stored(part: Answering, sqlite):
    *replies, answer = part.steps(part.open(QuestionInput(QUESTION), CALLER))
    replies_by_voter: dict[str, Reply] = dict(reply for reply in replies if reply)
    assert isinstance(answer, Answer)
    assert set(replies_by_voter) == set(answer.votes) == {"trend"}
    with sqlite.reading() as db:
        assert [(row.id, row.author) for row in db.execute(prediction.select())] == [(answer.id, CALLER.id)]


def test_an_abandoned_stream_leaves_its_question_to_the_next(part: Answering, seat):
    """The caller of the first stream disconnects before the answer."""
    stream = part.steps(part.open(QuestionInput(QUESTION), CALLER))
    next(stream)
    stream.close()
    assert not part.answer(QuestionInput(QUESTION), CALLER).cached


def test_before_the_first_bars_no_question_is_read(sqlite, make_app):
    with make_app(sqlite).test_request_context(), pytest.raises(ServiceUnavailable):
        answering().open(QuestionInput(QUESTION), CALLER)


def question_of(text: str) -> Question:
    return read_any(text, Circumstances(datetime(2026, 11, 21, tzinfo=UTC), {"btc": 60_000.0, "eth": 2_000.0})).question


def panel(*, models: int, is_masked: bool = False) -> Panel:
    """The nine, with language models in so many of the six seats."""
    seat = SimpleNamespace(kind="seat", engine="ollama:llama3.2", is_masked=is_masked)
    seats = [SimpleNamespace(**vars(seat), name=f"seat {n}") for n in range(models)]
    return panel_of([*seats, *[voter for voter in VOTERS if voter.kind == "brain"]])


TOPIC = "Will the Fed cut rates by December 31?"


@pytest.mark.parametrize(
    ("text", "models", "complaint"),
    [
        ("Will Bitcoin rise tomorrow?", 0, None),
        (TOPIC, 0, "at least 3 of the six seats"),
        (TOPIC, 2, "at least 3 of the six seats"),
        (TOPIC, 3, None),
        ("Will the Fed cut rates?", 6, "it needs a date"),
    ],
)
def test_a_topic_needs_three_models_and_a_date(text: str, models: int, complaint: str | None):
    """A question about prices needs no model."""
    with pytest.raises(InvalidQuestion, match=complaint) if complaint else nullcontext():
        require_answerable(question_of(text), panel(models=models), "live")


def test_a_topic_is_refused_in_a_replay():
    """Names and dates are masked there, and a topic is nothing without them."""
    with pytest.raises(InvalidQuestion, match="in a replay they may see neither names nor dates"):
        require_answerable(question_of(TOPIC), panel(models=6, is_masked=True), "replay")


def test_a_refusal_suggests_a_question_about_the_price():
    """The asset and the deadline of the topic, so that the question can be asked at once."""
    with pytest.raises(InvalidQuestion) as refusal:
        require_answerable(question_of("Will the SEC approve an Ethereum ETF by December 31?"), panel(models=0), "live")
    (suggestion,) = refusal.value.suggestions
    assert suggestion == "Will Ethereum rise by 2026-12-31?"
    assert refusal.value.detail.endswith(suggestion)
    assert question_of(suggestion).comparator == "up"


@pytest.fixture
def flight(wall: Wall) -> SingleFlight[str]:
    return SingleFlight(wall)


@pytest.fixture
def run(flight: SingleFlight[str]) -> Callable[[str, str], bool]:
    """Joins, and makes the run where it is its own; says whether it was."""

    def run(key: str, answer: str) -> bool:
        with flight.join(key) as (outcome, mine):
            if mine:
                outcome.set_result(answer)
        return mine

    return run


def test_a_repeated_question_has_one_answer_for_three_minutes(flight, run, wall):
    """Another question is another run."""
    assert run("up?", "yes")
    with flight.join("up?") as (outcome, mine):
        assert (outcome.result(), mine) == ("yes", False)
    assert run("down?", "no")
    wall.time += KEPT_S - 1
    assert not run("up?", "no")
    wall.time += 1
    assert (run("up?", "no"), KEPT_S) == (True, 180)


def test_a_run_longer_than_its_cache_time_is_not_started_twice(flight, run, wall):
    with flight.join("up?") as (outcome, mine):
        assert mine
        wall.time += KEPT_S + 1
        assert not run("up?", "again")
        outcome.set_result("late")
    assert run("up?", "again")


def test_concurrent_callers_share_one_run(flight):
    runs, meet, go = [], Barrier(9), Event()

    def ask(place: int) -> str:
        meet.wait(20)
        with flight.join("up?") as (outcome, mine):
            if mine:
                assert go.wait(20)
                runs.append(place)
                outcome.set_result(f"by {place}")
        return outcome.result(20)

    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(ask, place) for place in range(8)]
        meet.wait(20)
        go.set()
        answers = {future.result(20) for future in futures}
    assert len(runs) == 1
    assert answers == {f"by {runs[0]}"}


def test_a_failure_reaches_every_waiting_caller_and_no_later_one(flight, run):
    leader = ExitStack()
    leader.enter_context(flight.join("up?"))
    with flight.join("up?") as (outcome, mine):
        assert not mine
    with pytest.raises(NoVoters), leader:
        raise NoVoters("Too few.", abstained={})
    assert isinstance(outcome.exception(0), NoVoters)
    assert run("up?", "yes")


@pytest.mark.parametrize("departure", [GeneratorExit, KeyboardInterrupt, None])
def test_a_waiting_caller_takes_over_an_abandoned_run(flight, run, departure):
    with pytest.raises(departure) if departure else nullcontext(), flight.join("up?") as (outcome, _):
        if departure:
            raise departure
    assert isinstance(outcome.exception(0), Abandoned)
    assert run("up?", "yes")


def test_an_answer_is_kept_when_its_first_caller_leaves(flight, run):
    """It went away while the answer was being sent to it."""
    leader = ExitStack()
    outcome, _ = leader.enter_context(flight.join("up?"))
    outcome.set_result("yes")
    with pytest.raises(GeneratorExit), leader:
        raise GeneratorExit
    assert not run("up?", "no")
    assert outcome.result(0) == "yes"


def test_a_late_failure_does_not_end_the_next_run(flight, wall):
    """A run that failed late must not take away the one that came after it."""
    leader = ExitStack()
    first, _ = leader.enter_context(flight.join("up?"))
    first.set_result("yes")
    wall.time += KEPT_S
    with flight.join("up?") as (second, mine):
        assert mine
        with pytest.raises(NoVoters), leader:
            raise NoVoters("Too few.", abstained={})
        with flight.join("up?") as follower:
            assert follower == (second, False)
        assert not second.done()
