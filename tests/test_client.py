from __future__ import annotations

import inspect
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import repeat
from pathlib import Path

import httpx
import pytest
from flask import Flask

from service import client as clients
from service.api import create_app
from service.client import (
    BadRequest,
    Client,
    ClientError,
    Conflict,
    ConnectionFailed,
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from service.store.database import Database
from tests.api.opened import tell_prices
from tests.api.web import NOON, Web

ROOT = Path(__file__).parents[1]
# Addresses that are for browsers or the same under another name.
WITHOUT_METHOD = {("GET", "/docs"), ("GET", "/api/v1/openapi-lite.json")}
# Methods that are made of others, which check or gather what those answer; and `ask` as it comes.
MADE_OF_OTHERS = {"verify_proof", "export_ledger", "ask_stream"}


@pytest.fixture
def app(sqlite_url: str) -> Iterator[Flask]:
    with closing(Database(sqlite_url)) as database:
        yield create_app(Web(database).services)


@pytest.fixture
def client(app: Flask) -> Iterator[Client]:
    """A client of the real application, without a key."""
    with Client("http://ninefold", transport=httpx.WSGITransport(app)) as client:
        yield client


def methods() -> dict[str, Callable]:
    public = inspect.getmembers(Client, inspect.isfunction)
    return {name: method for name, method in public if not name.startswith("_") and name != "close"}


def sent_by(name: str, method: Callable) -> tuple[str, str]:
    """The method and path of the one request that a client's method sends, given a word for every argument."""
    seen: list[tuple[str, str]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((request.method, request.url.path))
        return httpx.Response(200, json={"api_key": "new"})

    required = [
        name for name, parameter in inspect.signature(method).parameters.items() if parameter.default is parameter.empty
    ]
    with Client("http://ninefold", transport=httpx.MockTransport(answer)) as client:
        getattr(client, name)(*required[1:])
    (route,) = seen
    return route


def test_methods_and_operations_correspond_one_to_one(app: Flask):
    operations = {
        (method, re.sub(r"[<>]", "", rule.rule))
        for rule in app.url_map.iter_rules()
        if hasattr(app.view_functions[rule.endpoint], "operation")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    sent = [sent_by(name, method) for name, method in methods().items() if name not in MADE_OF_OTHERS]
    assert len(sent) == len(set(sent))
    assert set(sent) == operations - WITHOUT_METHOD


def test_every_method_has_a_return_description():
    assert all(inspect.getdoc(method) for method in methods().values())


def test_a_key_is_registered_used_rotated_and_revoked(app: Flask, client: Client):
    issued = client.register("you@example.com", "a test")
    holder = Client("http://ninefold", issued["api_key"], transport=httpx.WSGITransport(app))
    assert holder.usage()["quota"]["limit"] == issued["daily_limit"]
    rotated = holder.rotate()
    assert rotated["api_key"] != issued["api_key"]
    assert holder.usage()["key_id"] == issued["key_id"]
    assert holder.revoke() is None
    with pytest.raises(Unauthorized) as refusal:
        holder.usage()
    assert refusal.value.code == "invalid_api_key"


def test_a_challenge_is_created_once_voted_on_and_read(app: Flask, client: Client):
    tell_prices(app.extensions["ninefold"].database, as_of=NOON)
    question, deadline = "Will Bitcoin be above 60,000 USD?", "2026-12-21"
    created = [client.create_challenge(question, deadline, idempotency_key="once") for _ in range(2)]
    assert created[0] == created[1]
    number = created[0]["number"]
    assert client.vote_challenge(number, "no")["user_votes"]["no"] == 1
    assert client.challenge(number)["user_votes"]["total"] == 1
    assert [challenge["number"] for challenge in client.challenges()["challenges"]] == [number]
    with pytest.raises(NotFound):
        client.vote("challenge/1", "yes")
    with pytest.raises(BadRequest) as refusal:
        client.create_challenge(question, "tomorrow")
    assert [error["field"] for error in refusal.value.errors] == ["deadline"]


def test_bad_input_is_reported_by_field(client: Client):
    with pytest.raises(BadRequest) as refusal:
        client.register("no address")
    assert [error["field"] for error in refusal.value.errors] == ["email"]
    assert refusal.value.request_id


def test_a_used_up_limit_says_when_it_opens_again(client: Client):
    for _ in range(120):
        client.docs()
    with pytest.raises(RateLimited) as refusal:
        client.docs()
    assert (refusal.value.limit, refusal.value.remaining) == (120, 0)
    assert refusal.value.reset_at.endswith("Z")
    assert 0 < refusal.value.retry_after_s <= 60


def test_a_service_that_is_not_ready_says_what_is_missing(client: Client):
    assert client.alive() == {"status": "alive"}
    with pytest.raises(Unavailable, match="no price bars yet") as refusal:
        client.ready()
    assert refusal.value.retry_after_s > 0


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, ServerFault),
        (400, BadRequest),
        (401, Unauthorized),
        (403, ServerFault),
        (404, NotFound),
        (409, Conflict),
        (413, BadRequest),
        (415, BadRequest),
        (422, BadRequest),
        (429, RateLimited),
        (500, ServerFault),
        (502, ServerFault),
        (503, Unavailable),
    ],
)
@pytest.mark.parametrize("body", [b'{"detail": "Because.", "code": "why"}', b"<html>Bad gateway</html>", b"[]", b""])
def test_every_refusal_is_a_client_error_even_from_a_proxy(status: int, kind: type[Refused], body: bytes):
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=body))
    with Client("http://ninefold", transport=transport) as client, pytest.raises(kind) as refusal:
        client.prices()
    assert type(refusal.value) is kind
    assert refusal.value.status == status
    assert str(refusal.value) == ("Because." if b"Because" in body else f"The service answered {status}.")


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b"[]", b"\xff"])
def test_an_answer_that_is_no_json_object_is_a_fault(body: bytes):
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    with Client("http://ninefold", transport=transport) as client, pytest.raises(ServerFault, match="not JSON"):
        client.prices()


def test_key_end_user_and_idempotency_key_are_sent_in_their_headers():
    seen: list[httpx.Headers] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers)
        return httpx.Response(200, json={})

    with Client("http://ninefold", "nf_live_x", end_user="42", transport=httpx.MockTransport(answer)) as client:
        client.ask("Up?", idempotency_key="once")
        client.ask("Up?")
    assert [headers["X-API-Key"] for headers in seen] == ["nf_live_x"] * 2
    assert [headers["X-End-User"] for headers in seen] == ["42"] * 2
    assert [headers.get("Idempotency-Key") for headers in seen] == ["once", None]


def test_a_parameter_is_sent_when_it_is_given():
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path.decode().removeprefix("/api/v1/"))
        return httpx.Response(200, json={})

    with Client("http://ninefold", transport=httpx.MockTransport(answer)) as client:
        client.leaderboard()
        client.leaderboard("btc")
        client.strategy("../me?")
        client.battle_csv("dex")
        client.battle_history(lane="trend", until="2026-11-21T08:00:00+02:00")
        client.hospital("2026-10")
    assert seen == [
        "leaderboard",
        "leaderboard?asset=btc",
        "strategies/..%2Fme%3F",
        "bot-battle/export.csv?venue=dex",
        "bot-battle/history?lane=trend&until=2026-11-21T08%3A00%3A00%2B02%3A00",
        "strategy-hospital?month=2026-10",
    ]


@pytest.mark.parametrize("failure", [httpx.ReadError("reset"), httpx.ReadTimeout("slow")])
def test_a_request_is_never_sent_twice(failure: httpx.TransportError):
    sent: list[httpx.Request] = []

    def fail(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        raise failure

    with Client("http://ninefold", transport=httpx.MockTransport(fail)) as client, pytest.raises(ClientError):
        client.ask("Up?")
    assert len(sent) == 1


def test_a_closed_port_is_a_failed_connection():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(ConnectionFailed, match=str(port)):
        client.prices()


@contextmanager
def dripping(beginning: bytes) -> Iterator[str]:
    """A server that sends the beginning of an answer and then one byte of it every 20 ms."""
    stop = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(beginning)
            while not stop.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        stop.set()
        thread.join()


@pytest.mark.parametrize(
    "beginning", [b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n"]
)
def test_the_deadline_holds_for_the_whole_call(beginning: bytes):
    with dripping(beginning) as url, Client(url, timeout_s=0.3) as client:
        started = time.monotonic()
        with pytest.raises(TimedOut, match=r"within 0\.3 s"):
            client.prices()
        assert time.monotonic() - started < 1


QUESTION_EVENT = b'event: question\ndata: {"question":"up?"}\n\n'
VOTE_EVENT = b'event: vote\ndata: {"voter":"vol"}\n\n'
LAST_EVENT = b'event: consensus\ndata: {"id":"a"}\n\n'


def streaming(pieces: Iterable[bytes], status: int = 200) -> Client:
    """A client whose service says `pieces`."""
    answer = httpx.Response(status, content=iter(pieces), headers={"Content-Type": "text/event-stream"})
    return Client("http://ninefold", transport=httpx.MockTransport(lambda _: answer), timeout_s=0.5)


def test_a_stream_yields_typed_events_and_ends_with_the_answer():
    """However it is cut into pieces, and with signs of life between."""
    text = QUESTION_EVENT + b": still being answered\n\n" + VOTE_EVENT + LAST_EVENT
    for size in (1, 7, len(text)):
        with streaming(text[at : at + size] for at in range(0, len(text), size)) as client:
            events = list(client.ask_stream("up?"))
        assert [event["event"] for event in events] == ["question", "vote", "consensus"]
        assert events[1]["voter"] == "vol"


def test_a_refusal_in_the_middle_of_a_stream_is_raised_as_its_kind():
    problem = b'event: error\ndata: {"status":503,"code":"unavailable","detail":"No voters are available."}\n\n'
    with streaming([VOTE_EVENT, problem]) as client, pytest.raises(Unavailable, match="No voters are available"):
        list(client.ask_stream("up?"))


def test_a_stream_that_is_refused_at_once_says_why():
    problem = b'{"code":"not_a_market_question","detail":"No."}'
    with streaming([problem], status=400) as client, pytest.raises(BadRequest) as refused:
        next(client.ask_stream("pizza?"))
    assert refused.value.code == "not_a_market_question"


def test_a_stream_that_breaks_off_is_a_failed_connection():
    with streaming([VOTE_EVENT]) as client, pytest.raises(ConnectionFailed, match="in the middle"):
        list(client.ask_stream("up?"))


def test_a_stream_of_only_keepalives_times_out():
    with streaming(repeat(b": still being answered\n\n")) as client, pytest.raises(TimedOut):
        list(client.ask_stream("up?"))


def test_the_error_classes_are_drawn_in_the_module_docstring():
    family = [kind for _, kind in inspect.getmembers(clients, inspect.isclass) if issubclass(kind, ClientError)]
    assert len(family) == 12
    for kind in family:
        assert f" {kind.__name__} " in clients.__doc__.replace("\n", " \n")


def test_a_front_end_loads_neither_flask_nor_sqlalchemy():
    check = (
        "import sys, service.client; "
        "print(sorted({'flask', 'sqlalchemy', 'werkzeug', 'pydantic', 'numpy', 'service.config'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
