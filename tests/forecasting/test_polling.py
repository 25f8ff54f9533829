"""Asking every voter at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from service.forecasting.oracle import voters
from service.forecasting.polling import LATE, poll_together
from service.forecasting.situation import situate
from service.forecasting.votes import Abstention, Ballot, Forecast
from tests.forecasting.made import NOW


@dataclass
class Model:
    """A voter that answers when it is let go, and then says how it stands."""

    name: str
    said: float | BaseException = 0.6
    kind: str = "seat"
    engine: str = "test:1"
    instead: float | None = None
    go: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    ended_at: float = 0.0

    def forecast(self, question, situation) -> Forecast:
        self.begun.set()
        assert self.go.wait(20)
        self.ended_at = time.perf_counter()
        if isinstance(self.said, BaseException):
            raise self.said
        return Forecast(self.said, "as told")

    def late(self, question, situation, reason) -> Forecast:
        if self.instead is None:
            raise Abstention(reason)
        return Forecast(self.instead, reason, fallback=True)


def models(count: int, *, ready: bool = False) -> list[Model]:
    those = [Model(f"m{place}") for place in range(count)]
    for model in those if ready else ():
        model.go.set()
    return those


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(9) as executor:
        yield executor


@pytest.fixture
def poll(asking, contexts, fits, executor) -> Callable:
    """Puts an up-or-down question to voters, with 20 s to answer."""
    question = asking("up")
    situation = situate(question, NOW, contexts, fits)

    def poll(those, *, seconds: float = 20.0, submit=executor.submit, timer=time.perf_counter, **options):
        deadline = timer() + seconds
        return poll_together(those, question, situation, submit=submit, deadline=deadline, timer=timer, **options)

    return poll


def test_embedded_voters_come_first_and_in_their_order_while_the_others_work(poll):
    """Nine votes are there before the model has said a word, and it was asked meanwhile."""
    (model,) = models(1)
    coming = poll([model, *voters()])
    first = [next(coming) for _ in range(9)]
    assert [name for name, _ in first] == [voter.name for voter in voters()]
    assert all(isinstance(said, Ballot) for _, said in first)
    assert model.begun.wait(20)
    model.go.set()
    ((name, ballot),) = coming
    assert (name, ballot.p, ballot.engine) == ("m0", 0.6, "test:1")


def test_votes_come_in_the_order_in_which_they_are_cast(poll):
    those = models(3)
    coming = poll(those)
    for place in (2, 0, 1):
        those[place].go.set()
        assert next(coming)[0] == f"m{place}"
    assert list(coming) == []


def test_with_embedded_engines_alone_nothing_is_handed_over(poll):
    def submit(*_):
        pytest.fail("an embedded voter was handed over")

    assert len(list(poll(voters(), submit=submit))) == 9


def test_who_is_late_abstains_at_the_deadline_and_its_late_answer_is_not_heard(poll):
    slow, quick = models(2)
    quick.go.set()
    began = time.perf_counter()
    said = list(poll([slow, quick], seconds=0.2))
    assert 0.19 < time.perf_counter() - began < 0.5
    assert [name for name, _ in said] == ["m1", "m0"]
    assert said[1][1].reason == LATE
    slow.go.set()


def test_for_who_is_late_what_stands_in_votes(poll):
    """An embedded engine is never short of time, also where the machine is."""
    slow = Model("m0", instead=0.3)
    ((name, said),) = poll([slow], seconds=0.05)
    slow.go.set()
    assert (name, said.p, said.engine, said.fallback, said.reasoning) == ("m0", 0.3, "embedded", True, LATE)


def test_whoever_has_answered_by_the_deadline_is_heard_though_nobody_listened(poll, executor):
    """A slow reader of a stream does not make the voters late."""
    (model,) = models(1, ready=True)
    clock, handed = [0.0], []

    def submit(*work) -> Future:
        handed.append(executor.submit(*work))
        return handed[-1]

    coming = poll([*voters(), model], submit=submit, timer=lambda: clock[0])
    next(coming)
    handed[0].result()
    clock[0] = 100.0
    assert isinstance(dict(coming)["m0"], Ballot)


def test_without_a_thread_to_spare_the_rest_is_late_and_never_begins(poll):
    those = models(3)
    with ThreadPoolExecutor(1) as single:
        said = dict(poll(those, seconds=0.2, submit=single.submit))
        those[0].go.set()
    assert {name: one.reason for name, one in said.items()} == dict.fromkeys(("m0", "m1", "m2"), LATE)
    assert [model.begun.is_set() for model in those] == [True, False, False]


def test_closed_early_it_takes_back_what_has_not_begun(poll):
    """The client has gone: the voter that was asked ends by itself, the others are never asked."""
    those = models(3)
    with ThreadPoolExecutor(1) as single:
        coming = poll([*voters(), *those], submit=single.submit)
        next(coming)
        assert those[0].begun.wait(20)
        coming.close()
        those[0].go.set()
    assert [model.begun.is_set() for model in those] == [True, False, False]


def test_a_voter_that_fails_abstains_like_any_other(poll):
    tired, broken = Model("tired", Abstention("too tired")), Model("broken", ValueError("secret"))
    for model in (tired, broken):
        model.go.set()
    said = dict(poll([tired, broken]))
    assert {name: one.reason for name, one in said.items()} == {"tired": "too tired", "broken": "failed: ValueError"}


def test_work_that_the_executor_gave_up_is_late(poll):
    """As when the process ends."""
    future: Future = Future()
    future.cancel()
    assert dict(poll(models(1), seconds=0.1, submit=lambda *_: future))["m0"].reason == LATE


def test_while_nobody_answers_there_is_a_sign_of_life(poll):
    (model,) = models(1)
    coming = poll([model], beat_s=0.01)
    assert next(coming) is None
    assert next(coming) is None
    model.go.set()
    assert [name for name, _ in (said for said in coming if said)] == ["m0"]


def test_a_deadline_is_not_put_off_by_signs_of_life(poll):
    (model,) = models(1)
    said = [one for one in poll([model], seconds=0.1, beat_s=0.03) if one]
    assert [(name, one.reason) for name, one in said] == [("m0", LATE)]
    model.go.set()


def test_it_leaves_no_thread(poll):
    before = threading.active_count()
    with ThreadPoolExecutor(9) as executor:
        list(poll([*voters(), *models(9, ready=True)], submit=executor.submit))
    assert threading.active_count() == before


def test_nine_at_once_cost_hardly_more_than_the_slowest(poll):
    """From the slowest voter's last word to the end, the best of five: measured 0.1 ms, allowed 20."""
    overheads = []
    for _ in range(5):
        those = models(9)
        coming = poll([*voters(), *those])
        for _ in voters():
            next(coming)
        for model in those:
            model.go.set()
        list(coming)
        overheads.append(time.perf_counter() - max(model.ended_at for model in those))
    assert min(overheads) < 0.020
