"""Answers and events as they come, cut anywhere, refused, broken off or silent; and signed webhook messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import repeat

import httpx
import pytest
from flask import Flask

from service import client as clients
from service.client import BadRequest, Client, ConnectionFailed, TimedOut, Unavailable, WebhookInvalid, verify_webhook
from service.ledger.chain import chained
from service.notifications.events import event_of, message_of
from service.notifications.webhooks import EndpointSecrets, signed_headers
from tests.client.conftest import Pieces, recorded
from tests.receiver import lane_row, trade

QUESTION_EVENT = b'event: question\ndata: {"question":"up?"}\n\n'
VOTE_EVENT = b'event: vote\ndata: {"voter":"vol"}\n\n'
LAST_EVENT = b'event: consensus\ndata: {"id":"a"}\n\n'


def stream_of(pieces: Iterable[bytes], status: int = 200) -> Callable[[httpx.Request], httpx.Response]:
    """The answers of a service that says `pieces`."""
    return lambda _: httpx.Response(status, stream=Pieces(pieces), headers={"Content-Type": "text/event-stream"})


def ask(client: Client) -> Iterator[dict]:
    return client.ask_stream("up?")


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_stream_yields_typed_events_and_ends_with_the_answer(result_of, size: int):
    """However it is cut into pieces, and with signs of life between."""
    text = QUESTION_EVENT + b": still being answered\n\n" + VOTE_EVENT + LAST_EVENT
    events = result_of(ask, stream_of(text[at : at + size] for at in range(0, len(text), size)))
    assert [event["event"] for event in events] == ["question", "vote", "consensus"]
    assert events[1]["voter"] == "vol"


def test_a_repeated_stream_is_its_last_event():
    """Under a key that was used before, the service answers with the document."""
    client, requests = recorded(httpx.Response(200, json={"p_yes": 0.6}))
    with client:
        assert list(client.ask_stream("up?", idempotency_key="once")) == [{"event": "consensus", "p_yes": 0.6}]
    assert [request.headers.get("Idempotency-Key") for request in requests] == ["once"]


PROBLEM = b'event: error\ndata: {"status":503,"code":"unavailable","detail":"No voters are available."}\n\n'


@pytest.mark.parametrize(
    ("pieces", "kind", "sentence"),
    [
        ([VOTE_EVENT, PROBLEM], Unavailable, "No voters are available"),
        ([VOTE_EVENT], ConnectionFailed, "in the middle"),
        (repeat(b": still being answered\n\n"), TimedOut, r"within 0\.5 s"),
    ],
    ids=["refused", "broken off", "nothing but signs of life"],
)
def test_a_stream_without_its_answer_is_an_error(result_of, pieces: Iterable[bytes], kind: type, sentence: str):
    with pytest.raises(kind, match=sentence):
        result_of(ask, stream_of(pieces))


@pytest.mark.parametrize("call", [ask, lambda client: client.events()])
def test_a_stream_that_is_refused_at_once_says_why(result_of, call):
    problem = b'{"code":"not_a_market_question","detail":"No."}'
    with pytest.raises(BadRequest, match=r"No\.") as refusal:
        result_of(call, stream_of([problem], status=400))
    assert refusal.value.code == "not_a_market_question"


def cut_streams(seqs: list[int], pieces: int) -> tuple[Client, list[str | None]]:
    """A client whose every stream breaks off after a few bytes, and the row after which each begins."""
    asked_since: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        since = request.url.params.get("after_seq")
        asked_since.append(since)
        rest = [seq for seq in seqs if seq > int(since or 0)]
        lines = (f'event: lane.trade\nid: {seq}\ndata: {{"id":{seq}}}\n\n' for seq in rest)
        text = f"retry: 1000\nid: {since or 0}\n\n{''.join(lines)}"

        def cut() -> Iterator[bytes]:
            yield text.encode()[:pieces]
            raise httpx.ReadError("cut")

        return httpx.Response(200, content=cut(), headers={"Content-Type": "text/event-stream"})

    return Client("http://ninefold", transport=httpx.MockTransport(answer)), asked_since


@pytest.mark.parametrize("size", [80, 95, 140])
def test_a_cut_stream_goes_on_where_it_was_cut(size: int, monkeypatch):
    """Every event once, wherever the connection breaks: in the middle of an event too."""
    monkeypatch.setattr(clients.exchange, "RECONNECT_S", 0.0)
    seqs = list(range(3, 23))
    client, asked_since = cut_streams(seqs, size)
    with client, closing(client.events()) as events:
        assert [next(events)["id"] for _ in seqs] == seqs
    assert len(asked_since) >= len(seqs) // 3


def test_the_events_of_the_service_come_one_by_one(app: Flask, client: Client):
    seqs = trade(app.extensions["ninefold"].database, 3)
    with closing(client.events(["lane.trade"], ["btc"], after_seq=0, seconds=1)) as events:
        assert [next(events)["id"] for _ in seqs] == seqs


def test_a_webhook_message_is_verified():
    secret = EndpointSecrets("wh_1", 0, None).current(b"secret")
    (entry,) = chained([lane_row(1)], "2026-11-21T08:02:00Z", None)
    message = message_of("wh_1", event_of(entry, "simulated", {}))
    headers = signed_headers(message, [secret], int(time.time()))
    assert verify_webhook(message.body.encode(), headers, secret)["type"] == "lane.trade"
    other = EndpointSecrets("wh_1", 1, None).current(b"secret")
    old = signed_headers(message, [secret], int(time.time()) - 301)
    text = message.body
    for body, field, key in (
        *((text + " ", headers, secret), (text, headers, other), (text, old, secret)),
        *((text, {}, secret), (text, headers, "whsec_")),
    ):
        with pytest.raises(WebhookInvalid):
            verify_webhook(body, field, key)
