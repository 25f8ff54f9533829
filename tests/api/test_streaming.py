"""Answers as server-sent events."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice

import httpx
import pytest
from flask import Blueprint, Flask, Response
from werkzeug.test import EnvironBuilder

from service import logs
from service.api import streaming
from service.api.auth import Caller
from service.api.inputs import Body
from service.api.operations import operation
from service.api.streaming import StreamEvent
from service.errors import NoVoters
from tests.api.served import FIRST, LAST, tell
from tests.processes import wait_until

pytestmark = pytest.mark.slow

STREAM = {"Accept": "text/event-stream"}
RETRY_KEY = {"Idempotency-Key": "once"}
VOTE, REST = 'event: vote\ndata: {"a":1}\n\n', ': still being answered\n\nevent: consensus\ndata: {"all":1}\n\n'


class Wish(Body):
    wish: str = "all"


@dataclass
class Ends:
    """How often a stream has said that it is over, and whether its events were closed."""

    count: int = 0
    is_closed: bool = False

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def ends() -> Ends:
    return Ends()


@pytest.fixture
def app(make_app: Callable[..., Flask], sqlite, ends: Ends) -> Flask:
    """The application with a view that streams what is wanted and costs a call of the day."""
    room = Blueprint("room", __name__)

    def events(wish: str) -> Iterator[StreamEvent | None]:
        try:
            yield FIRST
            yield None
            if wish == "no voters":
                raise NoVoters("Too few.", abstained={"news": "is asleep"})
            if wish == "a fault":
                raise RuntimeError("a secret")
            yield LAST
        finally:
            ends.is_closed = True

    @room.post("/stream")
    @operation(tag="Room", limit="daily", key="required", returns=dict[str, bool])
    def stream(body: Wish, caller: Caller) -> Response | dict[str, bool]:
        """What is wanted, as it comes."""
        return streaming.respond(events(body.wish), ends) if streaming.wanted() else {"stream": False}

    app = make_app(sqlite)
    app.register_blueprint(room)
    return app


@pytest.fixture
def post(client, api_key: str) -> Callable:
    def post(wish: str = "all", **headers: str):
        return client.post("/stream", json={"wish": wish}, headers={"X-API-Key": api_key} | STREAM | headers)

    return post


def test_a_stream_is_events_comments_and_an_end(post, ends, usage):
    """No proxy and no cache may keep it."""
    answer = post()
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert answer.text == f"{VOTE}{REST}"
    assert (ends.is_closed, ends.count >= 1, usage()) == (True, True, 1)
    assert (answer.headers["X-Accel-Buffering"], answer.headers["Cache-Control"]) == ("no", "no-store")
    assert answer.headers["X-RateLimit-Remaining"] == "9"


def test_a_refusal_is_the_last_event_and_is_refunded(post, ends, usage):
    events = post("no voters", **{"X-Request-ID": "mine"}).text.split("\n\n")
    name, data = events[-2].split("\n")
    assert name == "event: error"
    problem = json.loads(data.removeprefix("data: "))
    assert (problem["status"], problem["code"], problem["request_id"]) == (503, "unavailable", "mine")
    assert problem["abstained"] == {"news": "is asleep"}
    assert (usage(), ends.count >= 1) == (0, True)


def test_an_internal_error_reveals_nothing_and_is_refunded(post, usage):
    text = post("a fault").text
    assert "secret" not in text
    assert '"code":"internal_error"' in text
    assert usage() == 0


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_caller_that_goes_away_ends_the_stream(post, ends, usage, count: int):
    """Even before its first piece. What was thought meanwhile is paid for."""
    answer = post()
    list(islice(answer.response, count))
    answer.close()
    assert ends.count >= 1
    assert usage() == 1


def test_every_thread_streams_in_the_context_of_the_request(app, api_key):
    """One piece in each thread, as a server may: the refusal still finds its request and gives its call back."""
    headers = {"X-API-Key": api_key, "X-Request-ID": "mine"} | STREAM
    environ = EnvironBuilder(method="POST", path="/stream", json={"wish": "no voters"}, headers=headers).get_environ()
    pieces = iter(app.wsgi_app(environ, lambda *_: None))
    chunks: list[bytes] = []
    logs.request_id.set("another")
    for _ in range(3):
        thread = threading.Thread(target=lambda: chunks.append(next(pieces)))
        thread.start()
        thread.join()
    assert b'"request_id":"mine"' in chunks[-1]
    me = app.test_client().get("/api/v1/me", headers={"X-API-Key": api_key}).json
    assert me["used"] == 0


@pytest.mark.parametrize(
    ("media", "preferences"),
    [
        ("text/event-stream", ("text/event-stream", "text/event-stream, application/json;q=0.5")),
        ("application/json", ("application/json, text/event-stream", "application/json", "*/*", "", "text/html")),
    ],
)
def test_only_a_caller_that_prefers_a_stream_gets_one(post, media: str, preferences: tuple[str, ...]):
    assert [post(Accept=accept).mimetype for accept in preferences] == [media] * len(preferences)


def test_a_stream_is_kept_under_its_idempotency_key(post, usage):
    """A retry gets the last event as a document."""
    with post(**RETRY_KEY) as first:
        assert (first.mimetype, "event: consensus" in first.text) == ("text/event-stream", True)
    retry = post(**RETRY_KEY)
    assert (retry.mimetype, retry.json) == ("application/json", {"all": 1})
    assert retry.headers["Idempotent-Replayed"] == "true"
    assert usage() == 1


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_stream_under_a_key_is_finished_for_a_retry(post, ends, usage, count: int):
    """Its caller disconnects; a retry before the end is refused, and a later one gets the answer, counted once."""
    answer = post(**RETRY_KEY)
    list(islice(answer.response, count))
    assert post(**RETRY_KEY).json["code"] == "in_progress"
    answer.close()
    assert ends.is_closed
    assert post(**RETRY_KEY).json == {"all": 1}
    assert usage() == 1


def test_a_failed_stream_frees_its_key(post, usage):
    for _ in range(2):
        with post("no voters", **RETRY_KEY) as answer:
            assert "event: error" in answer.text
    assert usage() == 0


def test_an_event_is_sent_before_the_next_is_computed(server):
    with httpx.stream("GET", f"{server.url}/stepwise", timeout=20) as answer:
        pieces = answer.iter_text()
        assert next(pieces) == VOTE
        tell(server.folder / "go-on", "go on")
        rest = "".join(pieces)
    assert rest.startswith(f"{REST}event: error\ndata: {{")
    assert f'"request_id":"{answer.headers["X-Request-ID"]}"' in rest


def test_a_closed_connection_is_noticed_at_the_next_keepalive(server):
    with httpx.stream("GET", f"{server.url}/endless", timeout=20) as answer:
        assert next(answer.iter_text()).startswith(": still being answered")
    wait_until(lambda: (server.folder / "closed").exists() and (server.folder / "ended").exists(), 20)


def test_streams_take_no_place_of_a_request(server):
    """Four of each of ten addresses, beside eight threads for requests."""
    with ExitStack() as stack:
        for number in range(40):
            headers = {"X-Forwarded-For": f"203.0.113.{number // 4}"}
            stream = httpx.stream("GET", f"{server.url}/api/v1/events", headers=headers, timeout=20)
            answer = stack.enter_context(stream)
            assert next(answer.iter_text()).startswith("retry: ")
        assert httpx.get(f"{server.url}/healthz", timeout=20).status_code == 200
