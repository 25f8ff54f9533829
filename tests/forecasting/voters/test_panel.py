"""The panel: a voter that fails abstains, and too few ballots give no result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace

import pytest

from service.errors import NoVoters
from service.forecasting.voters.ballots import EMBEDDED, Abstention, Ballot, Forecast
from service.forecasting.voters.forecast_inputs import build_inputs
from service.forecasting.voters.panel import LATE_REASON, VOTERS, Concurrent, is_for_topics, is_model, votes_on
from service.forecasting.voters.votes import publish
from tests.forecasting.made import NOW, Scripted, meaning_of, panel_of
from tests.questions.asking import question


@pytest.fixture
def put(query, knowledge):
    """Puts an up-or-down question to voters with these answers."""

    def ask_them(*answers: float | Exception, quorum: int = 1, timer=time.monotonic):
        members = [Scripted(f"v{place}", answer) for place, answer in enumerate(answers)]
        return panel_of(members, quorum, timer).ask(query("up"), NOW, knowledge)

    return ask_them


def test_nine_voters_give_nine_votes_and_a_consensus(query, contexts, knowledge):
    """As old as the oldest of the bars behind it."""
    for comparator, fields in (("up", {}), ("touch_above", {"at": 1.02}), ("relative", {"other_asset": "gold"})):
        question = query(comparator, **fields)
        result = panel_of(timer=time.monotonic).ask(question, NOW, knowledge)
        assert [ballot.voter for ballot in result.ballots] == [voter.name for voter in VOTERS]
        assert not any(is_model(voter) for voter in VOTERS)
        assert (result.abstained, result.asked_at) == ({}, NOW)
        answer = publish(result, meaning_of(result.question), knowledge.record.of(question), id="a", world="simulated")
        assert len(answer.votes) == answer.consensus.oracles_count == 9
    assert result.as_of == min(contexts["btc"].as_of, contexts["gold"].as_of)


def test_an_abstention_gives_its_reason_and_a_fault_its_kind(put):
    """Only a probability is a vote."""
    result = put(0.7, Abstention("too tired"), ValueError("secret"), KeyError("x"), float("nan"), -0.1, 1.1)
    no_probability = "failed: no probability in its answer"
    faults = {"v2": "failed: ValueError", "v3": "failed: KeyError"} | dict.fromkeys(("v4", "v5", "v6"), no_probability)
    assert result.abstained == {"v1": "too tired"} | faults
    assert [ballot.voter for ballot in result.ballots] == ["v0"]


def test_below_the_quorum_there_is_no_result(put):
    with pytest.raises(NoVoters) as refusal:
        put(0.7, 0.6, Abstention("too tired"), quorum=3)
    assert refusal.value.abstained == {"v2": "too tired"}
    assert refusal.value.detail == "2 of 3 voters answered; 3 are needed"
    assert len(put(0.7, 0.6, 0.5, quorum=3).ballots) == 3
    with pytest.raises(NoVoters):
        put(Abstention("no"), quorum=0)


def test_latency_is_measured_by_the_timer(put):
    """A timer that advances half a second a look gives every voter 500 ms."""
    ticks = count(0, 0.5)
    result = put(0.6, 0.7, timer=lambda: next(ticks))
    assert [ballot.latency_ms for ballot in result.ballots] == [500, 500]


def test_votes_arrive_one_by_one(query, knowledge):
    """A stream can show the first vote before the second voter is asked."""
    names = []

    class Watched(Scripted):
        def forecast(self, question, inputs):
            names.append(self.name)
            return super().forecast(question, inputs)

    replies = panel_of([Watched("a", 0.6), Watched("b", 0.7)]).poll(query("up"), NOW, knowledge)
    name, ballot = next(replies)
    assert (name, names) == ("a", ["a"])
    assert isinstance(ballot, Ballot)


@pytest.mark.parametrize(
    ("engine", "is_masked", "expected"),
    [("embedded", False, False), ("ollama:llama3.2", False, True), ("ollama:llama3.2", True, False)],
)
def test_a_topic_needs_a_model_that_sees_names(engine, is_masked, expected):
    voter = SimpleNamespace(name="trend", kind="seat", engine=engine, is_masked=is_masked)
    assert (is_for_topics(voter), votes_on(voter, question(comparator="topic"))) == (expected, expected)
    assert votes_on(voter, question()), "everyone votes where prices decide"


@dataclass
class Model:
    """A voter that waits for `go` before it gives its answer."""

    name: str
    kind: str = "seat"
    engine: str = "test:1"
    fallback: float | None = None
    go: threading.Event = field(default_factory=threading.Event)
    start: threading.Event = field(default_factory=threading.Event)

    def forecast(self, question, inputs) -> Forecast:
        self.start.set()
        assert self.go.wait(20)
        return Forecast(0.6, "as scripted")

    def late(self, question, inputs, reason) -> Forecast:
        if self.fallback is None:
            raise Abstention(reason)
        return Forecast(self.fallback, reason, fallback=True)


def models(count: int) -> list[Model]:
    return [Model(f"m{place}") for place in range(count)]


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(9) as executor:
        yield executor


@pytest.fixture
def poll(query, knowledge, executor) -> Callable:
    """Polls voters on an up-or-down question, with 20 s to answer."""
    question = query("up")
    inputs = build_inputs(question, NOW, knowledge)

    def poll(members, *, seconds: float = 20.0, submit=executor.submit, timer=time.perf_counter, **options):
        return Concurrent(submit, seconds, **options)(members, question, inputs, timer)

    return poll


def test_embedded_voters_come_first_while_the_models_work(poll):
    """Nine votes arrive before the model answers, which has begun meanwhile."""
    (model,) = models(1)
    replies = poll([model, *VOTERS])
    first = [next(replies) for _ in range(9)]
    assert [name for name, _ in first] == [voter.name for voter in VOTERS]
    assert all(isinstance(reply, Ballot) for _, reply in first)
    assert model.start.wait(20)
    model.go.set()
    ((name, ballot),) = replies
    assert (name, ballot.p, ballot.engine) == ("m0", 0.6, "test:1")


def test_votes_arrive_in_the_order_in_which_they_are_cast(poll):
    members = models(3)
    replies = poll(members)
    for place in (2, 0, 1):
        members[place].go.set()
        assert next(replies)[0] == f"m{place}"
    assert list(replies) == []


def test_a_late_model_abstains_at_the_deadline(poll):
    """Its later answer is ignored, and its fallback takes its place; work that is cancelled is late too."""
    slow, quick = models(2)
    quick.go.set()
    replies = list(poll([slow, quick], seconds=0.2))
    assert [name for name, _ in replies] == ["m1", "m0"]
    assert str(replies[1][1]) == LATE_REASON
    slow.fallback = 0.3
    ((name, reply),) = poll([slow], seconds=0.05)
    slow.go.set()
    assert (name, reply.engine, reply.forecast) == ("m0", EMBEDDED, Forecast(0.3, LATE_REASON, fallback=True))
    future: Future = Future()
    future.cancel()
    assert str(dict(poll(models(1), seconds=0.1, submit=lambda *_: future))["m0"]) == LATE_REASON


def test_an_answer_before_the_deadline_counts_whenever_it_is_read(poll, executor):
    """A slow reader of a stream does not make the voters late."""
    (model,) = models(1)
    model.go.set()
    clock, futures = [0.0], []

    def submit(*work) -> Future:
        futures.append(executor.submit(*work))
        return futures[-1]

    replies = poll([*VOTERS, model], submit=submit, timer=lambda: clock[0])
    next(replies)
    futures[0].result()
    clock[0] = 100.0
    assert isinstance(dict(replies)["m0"], Ballot)


def test_without_a_free_thread_a_model_is_late_and_never_begins(poll):
    """Nor does it after the end, as when the client has gone: the model that works ends by itself."""
    members, others = models(3), models(3)
    with ThreadPoolExecutor(1) as pool:
        replies = dict(poll(members, seconds=0.2, submit=pool.submit))
        members[0].go.set()
    assert {name: str(reply) for name, reply in replies.items()} == dict.fromkeys(("m0", "m1", "m2"), LATE_REASON)
    with ThreadPoolExecutor(1) as pool:
        replies = poll([*VOTERS, *others], submit=pool.submit)
        next(replies)
        assert others[0].start.wait(20)
        replies.close()
        others[0].go.set()
    assert [model.start.is_set() for model in (*members, *others)] == [True, False, False] * 2


def test_heartbeats_come_while_no_model_answers(poll):
    """They do not extend the deadline."""
    quick, slow = models(2)
    replies = poll([quick], heartbeat_s=0.01)
    assert [next(replies), next(replies)] == [None, None]
    quick.go.set()
    assert [name for name, _ in filter(None, replies)] == ["m0"]
    late = list(filter(None, poll([slow], seconds=0.1, heartbeat_s=0.03)))
    assert [(name, str(reply)) for name, reply in late] == [("m1", LATE_REASON)]
    slow.go.set()
