"""Both clients in use: a key, a challenge, pages, tables, failed connections and the deadline of a call."""

from __future__ import annotations

import asyncio
import inspect
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask

from service.client import (
    AsyncClient,
    BadRequest,
    Client,
    ClientError,
    ConnectionFailed,
    NotFound,
    RateLimited,
    TimedOut,
    Unauthorized,
    Unavailable,
)
from tests.api.opened import tell_prices
from tests.api.web import NOON
from tests.client.test_streams import LAST_EVENT, QUESTION_EVENT, VOTE_EVENT

ROOT = Path(__file__).parents[2]


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
