"""Both clients in use: each endpoint has one method, each refusal one error, and each call a deadline."""

from __future__ import annotations

import asyncio
import inspect
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import Mock

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
def test_a_request_is_never_sent_twice(result_of, failure: httpx.TransportError):
    answer = Mock(side_effect=failure)
    with pytest.raises(ClientError):
        result_of(lambda client: client.ask("Up?"), answer)
    assert answer.call_count == 1


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
    refusals = [httpx.Response(429, json={"code": "rate_limited", "retry_after_s": wait_s}) for wait_s in seconds]
    answers = iter([*refusals, httpx.Response(200, json={})])
    transport = httpx.MockTransport(lambda _: next(answers))
    client = Client("http://ninefold", longest_wait_s=longest_wait_s, transport=transport)
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


def test_the_deadline_holds_for_an_asynchronous_call():
    async def call() -> None:
        transport = httpx.MockTransport(lambda _: asyncio.Event().wait())
        async with AsyncClient("http://ninefold", transport=transport, timeout_s=0.5) as client:
            await client.prices()

    with pytest.raises(TimedOut, match=r"within 0\.5 s"):
        asyncio.run(call())


def test_every_page_is_read(result_of):
    """Each from the cursor of the one before."""
    cursors = {None: "a", "a": "b", "b": None}

    def page(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        return httpx.Response(200, json={"markets": [{"id": cursor}], "next": cursors[cursor]})

    rows = result_of(lambda client: client.pages("predictions", "resolved", asset="btc"), page)
    assert [row["id"] for row in rows] == list(cursors)


def test_a_table_is_the_operation_as_a_file(result_of):
    answer = Mock(return_value=httpx.Response(200, content=b"PAR1"))
    assert result_of(lambda client: client.table("candles", "btc", form="parquet", limit=3), answer) == b"PAR1"
    (request,) = answer.call_args.args
    assert (request.url.path, dict(request.url.params)) == ("/api/v1/candles", {"asset": "btc", "limit": "3"})
    assert request.headers["Accept"] == "application/vnd.apache.parquet"


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
