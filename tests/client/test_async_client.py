"""The asynchronous client has the methods of the other one and sends the same requests."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import httpx
import pytest

from service.client import (
    AsyncClient,
    Client,
    ConnectionFailed,
    ProofFailed,
    RateLimited,
    ServerFault,
    TimedOut,
    Unavailable,
)
from tests.client.test_operations import MADE_OF_OTHERS, methods
from tests.client.test_streams import LAST_EVENT, QUESTION_EVENT, VOTE_EVENT

ADDRESS = "http://ninefold"


def requested(answer: httpx.Response, call: Callable[[AsyncClient], Any]) -> tuple[Any, list[httpx.Request]]:
    """What an awaited call returns when every request is answered the same, and the requests."""
    seen: list[httpx.Request] = []

    async def respond(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(answer.status_code, content=answer.content)  # one belongs to one client

    async def run() -> Any:
        async with AsyncClient(ADDRESS, "key", transport=httpx.MockTransport(respond)) as client:
            return await call(client)

    return asyncio.run(run()), seen


def pieces(texts: Iterable[bytes], status: int = 200) -> httpx.MockTransport:
    """A service that streams texts."""

    async def content() -> AsyncIterator[bytes]:
        for text in texts:
            yield text

    return httpx.MockTransport(lambda _: httpx.Response(status, content=content()))


def collected(transport: httpx.MockTransport, call: Callable[[AsyncClient], Any], at_most: int = 100) -> list[Any]:
    """The first items of an asynchronous iterator of the client."""

    async def run() -> list[Any]:
        items: list[Any] = []
        async with AsyncClient(ADDRESS, transport=transport, timeout_s=0.5) as client:
            async for item in call(client):
                items.append(item)
                if len(items) == at_most:
                    break
        return items

    return asyncio.run(run())


def test_it_has_the_methods_of_the_other_with_its_parameters():
    for name, method in methods().items():
        twin = getattr(AsyncClient, name)
        assert list(inspect.signature(twin).parameters) == list(inspect.signature(method).parameters), name


@pytest.mark.parametrize("name", sorted(methods().keys() - MADE_OF_OTHERS))
def test_each_method_sends_the_request_of_its_twin(name: str):
    """Given a word for every argument, with the same body and headers."""
    answer = httpx.Response(200, json={"api_key": "new"})
    sent: list[httpx.Request] = []

    def note(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return answer

    parameters = list(inspect.signature(methods()[name]).parameters.values())[1:]
    words = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    with Client(ADDRESS, "key", transport=httpx.MockTransport(note)) as client:
        returned = getattr(client, name)(*words)
    awaited, (request,) = requested(answer, lambda client: getattr(client, name)(*words))
    assert awaited == returned
    assert (request.method, request.url, request.content) == (sent[0].method, sent[0].url, sent[0].content)
    assert request.headers == sent[0].headers


def test_all_pages_are_read():
    """Each page from the cursor of the one before."""

    def page(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        return httpx.Response(200, json={"markets": [{"id": cursor}], "next": {None: "a", "a": "b", "b": None}[cursor]})

    read = collected(httpx.MockTransport(page), lambda client: client.all_predictions("resolved", asset="btc"))
    assert [market["id"] for market in read] == [None, "a", "b"]


def test_an_answer_comes_step_by_step():
    text = QUESTION_EVENT + b": still being answered\n\n" + VOTE_EVENT + LAST_EVENT
    for size in (1, 7, len(text)):
        cut = [text[at : at + size] for at in range(0, len(text), size)]
        steps = collected(pieces(cut), lambda client: client.ask_stream("up?"))
        assert [step["event"] for step in steps] == ["question", "vote", "consensus"]


def test_a_repeated_stream_is_its_last_event():
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json={"p_yes": 0.6}))
    steps = collected(transport, lambda client: client.ask_stream("up?", idempotency_key="once"))
    assert steps == [{"event": "consensus", "p_yes": 0.6}]


def test_a_stream_that_breaks_off_is_a_failed_connection():
    with pytest.raises(ConnectionFailed, match="in the middle"):
        collected(pieces([VOTE_EVENT]), lambda client: client.ask_stream("up?"))


def test_a_stream_that_is_refused_says_why():
    problem = b'{"code":"unavailable","detail":"No voters."}'
    for call in (lambda client: client.ask_stream("up?"), lambda client: client.events()):
        with pytest.raises(Unavailable, match="No voters"):
            collected(pieces([problem], 503), call)


def test_events_are_yielded_with_signs_of_life_between():
    event = {"id": 7, "type": "market.opened"}
    text = b"id: 6\n\n: alive\n\nid: 7\ndata: " + json.dumps(event).encode() + b"\n\n"
    assert collected(pieces([text]), lambda client: client.events(), at_most=1) == [event]


def test_a_new_key_is_used_after_a_rotation():
    async def rotate(client: AsyncClient) -> str:
        await client.rotate()
        await client.usage()
        return client._http.headers["X-API-Key"]

    key, (_, after) = requested(httpx.Response(200, json={"api_key": "new"}), rotate)
    assert key == after.headers["X-API-Key"] == "new"


def test_a_refusal_is_raised_as_its_kind():
    problem = {"code": "quota_exhausted", "detail": "Used up.", "retry_after_s": 60}
    with pytest.raises(RateLimited, match="Used up") as refusal:
        requested(httpx.Response(429, json=problem), lambda client: client.leaderboard())
    assert refusal.value.retry_after_s == 60
    with pytest.raises(ServerFault, match="not JSON"):
        requested(httpx.Response(200, text="<html>"), lambda client: client.prices())


def test_a_proof_is_checked_here():
    with pytest.raises(ProofFailed):
        requested(httpx.Response(200, json={"entry": {}}), lambda client: client.verify_proof(1))


def test_the_deadline_holds_for_the_whole_call():
    async def never(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async def run() -> None:
        async with AsyncClient(ADDRESS, transport=httpx.MockTransport(never), timeout_s=0.05) as client:
            await client.prices()

    with pytest.raises(TimedOut, match=r"within 0\.05 s"):
        asyncio.run(run())
