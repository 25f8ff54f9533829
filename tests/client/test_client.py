"""Both clients in use: each endpoint has one method, each refusal one error, and each call a deadline."""

from __future__ import annotations

import asyncio
import inspect
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from flask import Flask

from service.client import (
    AsyncClient,
    BadRequest,
    Client,
    ClientError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    HistoryPending,
    NotFound,
    RateLimited,
    Refused,
    ServerFault,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from service.errors import HistoryArriving
from tests.api.opened import tell_prices
from tests.api.web import NOON
from tests.client.conftest import recorded
from tests.client.test_streams import LAST_EVENT, QUESTION_EVENT, VOTE_EVENT


def test_a_key_is_registered_used_rotated_and_revoked(app: Flask, client: Client):
    registration = client.register("you@example.com", "a test")
    holder = Client("http://ninefold", registration["api_key"], transport=httpx.WSGITransport(app))
    assert holder.usage()["quota"]["limit"] == registration["daily_limit"]
    rotation = holder.rotate()
    assert rotation["api_key"] != registration["api_key"]
    assert holder.usage()["key_id"] == registration["key_id"]
    assert holder.revoke() is None
    with pytest.raises(Unauthorized) as refusal:
        holder.usage()
    assert refusal.value.code == "invalid_api_key"


def test_a_challenge_is_created_once_voted_on_and_read(app: Flask, client: Client):
    tell_prices(app.extensions["ninefold"].database, as_of=NOON)
    question, deadline = "Will Bitcoin be above 60,000 USD?", "2026-12-21"
    challenges = [client.create_challenge(question, deadline, idempotency_key="once") for _ in range(2)]
    assert challenges[0] == challenges[1]
    number = challenges[0]["number"]
    assert client.vote(f"challenge-{number}", "no")["user_votes"]["no"] == 1
    assert client.prediction(f"challenge-{number}")["user_votes"]["total"] == 1
    assert [challenge["number"] for challenge in client.challenges()["challenges"]] == [number]
    with pytest.raises(NotFound):
        client.vote("challenge/1", "yes")
    with pytest.raises(BadRequest) as refusal:
        client.create_challenge(question, "tomorrow")
    assert [error["field"] for error in refusal.value.errors] == ["deadline"]


@pytest.mark.parametrize("failure", [httpx.ReadError("reset"), httpx.ReadTimeout("slow")])
def test_a_request_is_never_sent_twice(failure: httpx.TransportError):
    requests: list[httpx.Request] = []

    def fail(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        raise failure

    with Client("http://ninefold", transport=httpx.MockTransport(fail)) as client, pytest.raises(ClientError):
        client.ask("Up?")
    assert len(requests) == 1


class Refusing(httpx.BaseTransport):
    """Refuses each request for a limit, for as many seconds as the next number, and then answers."""

    def __init__(self, *seconds: int) -> None:
        self.seconds = list(seconds)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not self.seconds:
            return httpx.Response(200, json={})
        return httpx.Response(429, json={"code": "rate_limited", "retry_after_s": self.seconds.pop(0)})


@pytest.mark.parametrize(
    ("longest_wait_s", "seconds", "waits"),
    [(90, (42,), [42]), (90, (40_000,), None), (0, (1,), None), (90, (0, 1), [0, 1])],
)
def test_a_limit_is_waited_for_while_it_passes(
    monkeypatch: pytest.MonkeyPatch, longest_wait_s: float, seconds: tuple[int, ...], waits: list[int] | None
):
    """A limit of a minute is waited for where the caller allows it; the quota of a day is refused at once."""
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    client = Client("http://ninefold", longest_wait_s=longest_wait_s, transport=Refusing(*seconds))
    if waits is None:
        with pytest.raises(RateLimited):
            client.prices()
    else:
        assert client.prices() == {}
    assert pauses == (waits or [])


def test_a_closed_port_is_a_failed_connection():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(ConnectionFailed, match=str(port)):
        client.prices()


@contextmanager
def dripping(head: bytes) -> Iterator[str]:
    """A server that sends the beginning of an answer and then one byte of it every 20 ms."""
    stop = threading.Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(head)
            while not stop.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        stop.set()
        thread.join()


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n"])
def test_the_deadline_holds_for_the_whole_call(head: bytes):
    timed_out = pytest.raises(TimedOut, match=r"within 0\.3 s")
    with dripping(head) as url, Client(url, timeout_s=0.3) as client, timed_out:
        client.prices()


def answered(call: Callable[[AsyncClient], Any], *answers: httpx.Response | Callable[[httpx.Request], Any]) -> Any:
    """What an asynchronous client gives whose requests are answered so: a result, or the list of its items."""

    async def respond(request: httpx.Request) -> httpx.Response:
        answer = answers[0]
        return await answer(request) if callable(answer) else answer

    async def run() -> Any:
        transport = httpx.MockTransport(respond)
        async with AsyncClient("http://ninefold", "key", transport=transport, timeout_s=0.5) as client:
            work = call(client)
            return await work if inspect.isawaitable(work) else [item async for item in work]

    return asyncio.run(run())


async def streamed(texts: Iterable[bytes]) -> AsyncIterator[bytes]:
    for text in texts:
        yield text


async def page(request: httpx.Request) -> httpx.Response:
    """Three pages, each from the cursor of the one before."""
    cursor = request.url.params.get("cursor")
    return httpx.Response(200, json={"markets": [{"id": cursor}], "next": {None: "a", "a": "b", "b": None}[cursor]})


def test_both_clients_read_all_pages():
    read = answered(lambda client: client.pages("predictions", "resolved", asset="btc"), page)
    transport = httpx.MockTransport(lambda request: asyncio.run(page(request)))
    with Client("http://ninefold", transport=transport) as client:
        assert list(client.pages("predictions", "resolved", asset="btc")) == read
    assert read == [{"id": at} for at in (None, "a", "b")]


def test_a_table_is_the_operation_as_a_file():
    requests = []

    async def table(request: httpx.Request) -> httpx.Response:
        requests.append((request.url.path, dict(request.url.params), request.headers["Accept"]))
        return httpx.Response(200, content=b"PAR1")

    assert answered(lambda client: client.table("candles", "btc", form="parquet", limit=3), table) == b"PAR1"
    assert requests == [("/api/v1/candles", {"asset": "btc", "limit": "3"}, "application/vnd.apache.parquet")]


def test_an_answer_comes_step_by_step_asynchronously():
    text = b"".join((QUESTION_EVENT, b": still being answered\n\n", VOTE_EVENT, LAST_EVENT))
    for size in (1, 7, len(text)):
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        steps = answered(lambda client: client.ask_stream("up?"), httpx.Response(200, content=streamed(cut)))
        assert [step["event"] for step in steps] == ["question", "vote", "consensus"]


def test_a_refused_stream_says_why_asynchronously():
    for call in (lambda client: client.ask_stream("up?"), lambda client: client.events()):
        refusal = httpx.Response(503, content=streamed([b'{"code":"unavailable","detail":"No voters."}']))
        with pytest.raises(Unavailable, match="No voters"):
            answered(call, refusal)


def test_a_new_key_is_used_after_a_rotation():
    keys = []

    async def rotate(client: AsyncClient) -> None:
        await client.rotate()
        await client.usage()

    async def issue(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["X-API-Key"])
        return httpx.Response(200, json={"api_key": "new"})

    answered(rotate, issue)
    assert keys == ["key", "new"]


def test_the_deadline_holds_for_an_asynchronous_call():
    with pytest.raises(TimedOut, match=r"within 0\.5 s"):
        answered(lambda client: client.prices(), lambda _: asyncio.Event().wait())


# Addresses that are for browsers or the same under another name.
WITHOUT_METHOD = {("GET", "/docs"), ("GET", "/embed"), ("GET", "/api/v1/openapi-lite.json")}
# Views of a challenge, which `prediction` and `vote` reach by its id.
WITHOUT_METHOD |= {("GET", "/api/challenges/number"), ("POST", "/api/challenges/number/vote")}
# Methods that are made of others, which check or gather what those answer; and the streams.
MADE_OF_OTHERS = {"verify_proof", "export_ledger", "ask_stream", "events", "pages", "table"}
STREAMS = {("GET", "/api/v1/events")}


def methods() -> dict[str, Callable]:
    public = inspect.getmembers(Client, inspect.isfunction)
    return {name: method for name, method in public if not name.startswith("_") and name != "close"}


def sent_by(name: str, method: Callable) -> tuple[str, str]:
    """The method and path of the one request that a client's method sends, given a word for every argument."""
    parameters = inspect.signature(method).parameters.values()
    wanted = [row.name for row in parameters if row.default is row.empty and row.kind != row.VAR_KEYWORD]
    client, requests = recorded(httpx.Response(200, json={"api_key": "new"}))
    with client:
        getattr(client, name)(*wanted[1:])
    (request,) = requests
    return request.method, request.url.path


def test_methods_and_operations_correspond_one_to_one(app: Flask):
    operations = {
        (method, re.sub(r"[<>]", "", rule.rule))
        for rule in app.url_map.iter_rules()
        if hasattr(app.view_functions[rule.endpoint], "operation")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    requests = [sent_by(name, method) for name, method in methods().items() if name not in MADE_OF_OTHERS]
    assert len(requests) == len(set(requests))
    assert set(requests) == operations - WITHOUT_METHOD - STREAMS


def test_every_method_has_its_own_name():
    assert all(method.__name__ == name for name, method in methods().items())
    assert Client.prices.__name__ == "prices"
    assert Client.prices.__qualname__ == "Operations.prices"
    assert inspect.getdoc(Client.prices) == "The price of every asset and its time."


def test_keys_and_the_end_user_are_sent_in_their_headers():
    client, requests = recorded(httpx.Response(200, json={}), "nf_live_x", end_user="42")
    with client:
        client.ask("Up?", idempotency_key="once")
        client.ask("Up?")
    names = ("X-API-Key", "X-End-User", "Idempotency-Key")
    sent_headers = [[request.headers.get(name) for name in names] for request in requests]
    assert sent_headers == [["nf_live_x", "42", "once"], ["nf_live_x", "42", None]]


def test_a_parameter_is_sent_when_it_is_given():
    client, requests = recorded(httpx.Response(200, json={}))
    with client:
        client.leaderboard()
        client.leaderboard("btc")
        client.strategy("../me?")
        client.battle_csv("dex")
        client.battle_history(lane="trend", until="2026-11-21T08:00:00+02:00")
        client.hospital("2026-10")
    assert [request.url.raw_path.decode().removeprefix("/api/v1/") for request in requests] == [
        "leaderboard",
        "leaderboard?asset=btc",
        "strategies/..%2Fme%3F",
        "bot-battle/export.csv?venue=dex",
        "bot-battle/history?lane=trend&until=2026-11-21T08%3A00%3A00%2B02%3A00",
        "strategy-hospital?month=2026-10",
    ]


def test_a_used_up_limit_says_when_it_opens_again(client: Client):
    for _ in range(120):
        client.docs()
    with pytest.raises(RateLimited) as refusal:
        client.docs()
    assert (refusal.value.limit, refusal.value.remaining) == (120, 0)
    assert refusal.value.reset_at.endswith("Z")
    assert 0 < refusal.value.retry_after_s <= 60


def test_an_arriving_history_is_an_error_of_its_own(app: Flask, client: Client):
    """The client knows it by the code that the service sends; the message and the seconds are the service's."""

    def refuse():
        raise HistoryArriving("The price history is arriving: about 40 s left.", retry_after_s=40)

    app.view_functions["prices.current"] = refuse
    with pytest.raises(HistoryPending) as refusal:
        client.prices()
    assert str(refusal.value) == "The price history is arriving: about 40 s left."
    assert (refusal.value.status, refusal.value.retry_after_s) == (503, 40)


STATUSES = {
    BadRequest: (400, 413, 415, 422),
    Unauthorized: (401,),
    Forbidden: (403,),
    NotFound: (404,),
    Conflict: (409,),
    RateLimited: (429,),
    Unavailable: (503,),
    ServerFault: (302, 500, 502),
}


@pytest.mark.parametrize(("kind", "status"), [(kind, status) for kind in STATUSES for status in STATUSES[kind]])
@pytest.mark.parametrize("body", [b'{"detail": "Because.", "code": "why"}', b"<html>Bad gateway</html>", b"[]", b""])
def test_every_refusal_is_a_client_error_even_from_a_proxy(status: int, kind: type[Refused], body: bytes):
    client, _ = recorded(httpx.Response(status, content=body))
    with client, pytest.raises(kind) as refusal:
        client.prices()
    assert (type(refusal.value), refusal.value.status) == (kind, status)
    assert str(refusal.value) == ("Because." if b"Because" in body else f"The service answered {status}.")


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b"[]", b"\xff"])
def test_an_answer_that_is_no_json_object_is_a_fault(body: bytes):
    client, _ = recorded(httpx.Response(200, content=body))
    with client, pytest.raises(ServerFault, match="not JSON"):
        client.prices()
