"""Webhook endpoints: created, changed, tested and listed by holders of a paid key."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from service.access.keys import key_id
from service.access.quota import WEBHOOKS
from service.api.webhooks import endpoint_of
from service.config import Settings
from service.market.instants import DAY, utc
from service.store import keys, notifications
from service.store.notifications import WebhookRow
from tests.api.web import NOON, Web, refusal_of
from tests.receiver import Receiver, receiving, trade

PATH = "/api/v1/webhooks"
URL = "https://hooks.example.com/ninefold"


@pytest.fixture
def web(sqlite, tmp_path) -> Web:
    """The web over SQLite, of an operator who allows webhooks to this machine."""
    return Web(sqlite, settings=Settings(world="simulated", data_dir=tmp_path, webhook_private=True))


@pytest.fixture
def paid_key(web: Web) -> str:
    return web.granted(plan="paid")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def create(web: Web, key: str, url: str = URL, **body) -> TestResponse:
    return web.send("POST", PATH, key=key, json={"url": url, **body})


@pytest.fixture
def path(web: Web, paid_key: str) -> str:
    """The address of an endpoint."""
    return f"{PATH}/{create(web, paid_key).json['webhook']['id']}"


def test_an_endpoint_is_created_changed_and_deleted(web: Web, paid_key: str):
    trade(web.database, 3)
    answer = create(web, paid_key, events=["Market.Opened"], assets=["BTC"])
    assert answer.status_code == 201
    assert answer.json["secret"].startswith("whsec_")
    webhook = answer.json["webhook"]
    plain = {"url": URL, "events": ["market.opened"], "assets": ["btc"], "created_at": "2026-11-21T12:00:00Z"}
    plain |= {"id": webhook["id"], "status": "active", "last_row": 3, "failed_attempts": 0}
    absent = ("paused_at", "paused_reason", "failing_since", "next_attempt_at", "old_secret_until")
    assert webhook == plain | dict.fromkeys(absent)
    path = f"{PATH}/{webhook['id']}"
    change = web.send("PATCH", path, key=paid_key, json={"assets": ["eth", "xrp"], "events": []}).json
    assert change == webhook | {"assets": ["eth", "xrp"], "events": []}
    assert web.send("GET", path, key=paid_key).json == change
    page = web.send("GET", PATH, key=paid_key).json
    assert page == {"count": 1, "limit": 10, "webhooks": [change]}
    assert web.send("DELETE", path, key=paid_key).status_code == 204
    assert web.send("GET", path, key=paid_key).status_code == 404


def test_the_free_plan_has_no_webhooks(web: Web, key: str):
    assert refusal_of(create(web, key)) == (403, "plan_required")
    assert web.send("POST", PATH, json={"url": URL}).status_code == 401


def test_a_key_that_lost_its_plan_can_still_delete(web: Web, paid_key: str, sqlite, path: str):
    """It sees what it has, and may change nothing else."""
    with sqlite.writing() as db:
        keys.grant_plan(db, key_id(paid_key), "free")
    assert web.send("GET", PATH, key=paid_key).json["count"] == 1
    assert web.send("PATCH", path, key=paid_key, json={"status": "paused"}).status_code == 403
    assert web.send("DELETE", path, key=paid_key).status_code == 204
    assert web.send("GET", path, key=paid_key).status_code == 404


def test_another_key_sees_none_of_them(web: Web, path: str):
    other = web.granted(plan="paid")
    for method, suffix in (("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test"), ("GET", "/deliveries")):
        assert web.send(method, path + suffix, key=other).status_code == 404
    assert web.send("PATCH", path, key=other, json={"status": "paused"}).status_code == 404
    assert web.send("GET", PATH, key=other).json["count"] == 0


def test_a_key_may_have_ten(web: Web, paid_key: str):
    statuses = [create(web, paid_key).status_code for _ in range(WEBHOOKS["paid"] + 1)]
    assert statuses == [201] * 10 + [409]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        *(({"url": url}, "url") for url in ("ftp://example.com", "https://user:word@example.com/")),
        ({"events": ["closed"]}, "events.0"),
    ],
)
def test_bad_input_is_refused(web: Web, paid_key: str, body: dict, field: str):
    assert refusal_of(create(web, paid_key, **body)) == (400, "invalid_request", field)


def test_http_needs_the_operators_option(sqlite):
    web = Web(sqlite)
    refusal = create(web, web.granted(plan="paid"), "http://hooks.example.com/")
    assert refusal_of(refusal) == (400, "invalid_request", "url")


def test_a_rotation_gives_another_secret(web: Web, paid_key: str):
    first = create(web, paid_key).json
    path = f"{PATH}/{first['webhook']['id']}"
    rotation = web.send("POST", f"{path}/rotate", key=paid_key).json
    assert rotation["secret"] != first["secret"]
    assert rotation["webhook"]["old_secret_until"] == "2026-11-22T12:00:00Z"
    web.now += DAY
    assert web.send("GET", path, key=paid_key).json["old_secret_until"] is None


def test_no_secret_is_stored(web: Web, paid_key: str):
    secret = create(web, paid_key).json["secret"]
    web.database.close()
    file = Path(web.database.engine.url.database)
    content = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    assert URL.encode() in content
    assert secret.removeprefix("whsec_").encode() not in content


def test_a_test_message_is_sent_and_listed(web: Web, paid_key: str, receiver: Receiver):
    web.now = time.time()
    webhook = create(web, paid_key, receiver.url).json
    receiver.secret = webhook["secret"]
    path = f"{PATH}/{webhook['webhook']['id']}"
    delivery = web.send("POST", f"{path}/test", key=paid_key).json
    assert (delivery["state"], delivery["status"], delivery["event"]) == ("delivered", 204, "webhook.test")
    assert receiver.ids == [delivery["id"]]
    assert receiver.verified[0][1]["data"] == {"message": "This endpoint can be reached."}
    receiver.answer = lambda _document: 500
    failure = web.send("POST", f"{path}/test", key=paid_key).json
    assert (failure["state"], failure["error"]) == ("failed", "The endpoint answered 500.")
    assert web.send("GET", f"{path}/deliveries", key=paid_key).json["deliveries"] == [failure, delivery]


def test_deliveries_come_in_pages(web: Web, paid_key: str, receiver: Receiver):
    webhook = create(web, paid_key, receiver.url).json
    path = f"{PATH}/{webhook['webhook']['id']}"
    messages = [web.send("POST", f"{path}/test", key=paid_key).json for _ in range(5)]
    first = web.send("GET", f"{path}/deliveries?limit=3", key=paid_key)
    assert f'<{path}/deliveries?limit=3&cursor={first.json["next"]}>; rel="next"' == first.headers["Link"]
    second = web.send("GET", f"{path}/deliveries?limit=3&cursor={first.json['next']}", key=paid_key).json
    assert [*first.json["deliveries"], *second["deliveries"]] == messages[::-1]
    assert second["next"] is None


def test_me_names_the_paused_webhooks(web: Web, paid_key: str, path: str):
    """With the reason, until its owner resumes it."""
    with web.database.writing() as db:
        (row,) = notifications.key_webhooks(db, key_id(paid_key))
        reason = "The endpoint answered 410 Gone."
        notifications.change_webhook(db, row, paused_at=NOON, paused_reason=reason, attempts=7)
    (pause,) = web.send("GET", "/api/v1/me", key=paid_key).json["paused_webhooks"]
    assert pause == {"id": row.id, "url": URL, "paused_at": "2026-11-21T12:00:00Z", "reason": reason}
    resumption = web.send("PATCH", path, key=paid_key, json={"status": "active"}).json
    assert (resumption["status"], resumption["failed_attempts"]) == ("active", 0)
    assert web.send("GET", "/api/v1/me", key=paid_key).json["paused_webhooks"] == []
    pause = web.send("PATCH", path, key=paid_key, json={"status": "paused"}).json
    assert (pause["status"], pause["paused_reason"]) == ("paused", None)


def test_the_plans_say_what_they_hold(web: Web):
    plans = web.send("GET", "/api/v1/plans").json["plans"]
    terms = [(plan["plan"], plan["daily_limit"], plan["webhooks"]) for plan in plans]
    assert terms == [("free", 10, 0), ("paid", 100, 10)]


def test_a_failing_endpoint_is_tried_again_until_it_is_paused():
    row = WebhookRow("wh_1", "1a", URL, (), (), NOON, 7, attempts=2, failing_since=NOON - 20, next_at=NOON + 15.7)
    endpoint = endpoint_of(row, NOON)
    assert (endpoint.failed_attempts, endpoint.failing_since) == (2, utc(NOON - 20))
    assert endpoint.next_attempt_at == utc(NOON + 15)
    endpoint = endpoint_of(replace(row, paused_at=NOON, paused_reason="410"), NOON)
    assert (endpoint.status, endpoint.paused_at, endpoint.paused_reason) == ("paused", utc(NOON), "410")
    assert endpoint.next_attempt_at is None
