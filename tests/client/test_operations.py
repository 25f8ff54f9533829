"""Each endpoint has one method, and each method sends one request."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import httpx
from flask import Flask

from service.client import Client
from tests.client.conftest import recorded

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


def test_every_method_has_a_return_description():
    assert all(inspect.getdoc(method) for method in methods().values())


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
