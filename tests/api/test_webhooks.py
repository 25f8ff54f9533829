"""Webhook endpoints: created, changed, tested and listed by holders of a paid key."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from service.access.quota import WEBHOOKS
from service.api.webhooks import endpoint_of
from service.config import Settings
from service.market.assets import ASSETS, AssetCode
from service.market.instants import DAY, utc
from service.store import keys, notifications
from service.store.notifications import WebhookRow
from tests.api.web import NOON, Web
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


def create(web: Web, key: str, url: str = URL, **body):
    return web.send("POST", PATH, key=key, json={"url": url, **body})


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
    refusal = create(web, key)
    assert (refusal.status_code, refusal.json["code"]) == (403, "plan_required")
    assert web.send("POST", PATH, json={"url": URL}).status_code == 401


def test_a_key_that_lost_its_plan_can_still_delete(web: Web, paid_key: str, sqlite):
    """It sees what it has, and may change nothing else."""
    path = f"{PATH}/{create(web, paid_key).json['webhook']['id']}"
    with sqlite.writing() as db:
        keys.grant_plan(db, web.send("GET", "/api/v1/me", key=paid_key).json["key_id"], "free")
    assert web.send("GET", PATH, key=paid_key).json["count"] == 1
    assert web.send("PATCH", path, key=paid_key, json={"status": "paused"}).status_code == 403
    assert web.send("DELETE", path, key=paid_key).status_code == 204
    assert web.send("GET", path, key=paid_key).status_code == 404


def test_another_key_sees_none_of_them(web: Web, paid_key: str):
    path = f"{PATH}/{create(web, paid_key).json['webhook']['id']}"
    other = web.granted(plan="paid")
    for method, suffix in (("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test"), ("GET", "/deliveries")):
        assert web.send(method, path + suffix, key=other).status_code == 404
    assert web.send("PATCH", path, key=other, json={"status": "paused"}).status_code == 404
    assert web.send("GET", PATH, key=other).json["count"] == 0


def test_a_key_may_have_ten(web: Web, paid_key: str):
    statuses = [create(web, paid_key).status_code for _ in range(WEBHOOKS["paid"] + 1)]
    assert statuses == [201] * 10 + [409]


@pytest.mark.parametrize(
    "body",
    [{"url": "ftp://example.com"}, {"url": "https://user:word@example.com/"}, {"url": URL, "events": ["closed"]}],
)
def test_bad_input_is_refused(web: Web, paid_key: str, body: dict):
    refusal = web.send("POST", PATH, key=paid_key, json=body)
    assert (refusal.status_code, refusal.json["code"]) == (400, "invalid_request")


def test_http_needs_the_operators_option(sqlite, tmp_path):
    web = Web(sqlite, settings=Settings(world="simulated", data_dir=tmp_path))
    refusal = create(web, web.granted(plan="paid"), "http://hooks.example.com/")
    assert [error["field"] for error in refusal.json["errors"]] == ["url"]


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


def test_me_names_the_paused_webhooks(web: Web, paid_key: str):
    """With the reason, until its owner resumes it."""
    id = create(web, paid_key).json["webhook"]["id"]
    with web.database.writing() as db:
        (row,) = [row for row in notifications.key_webhooks(db, paid_key.split("_")[2]) if row.id == id]
        reason = "The endpoint answered 410 Gone."
        notifications.change_webhook(db, row, paused_at=int(NOON), paused_reason=reason, attempts=7)
    (pause,) = web.send("GET", "/api/v1/me", key=paid_key).json["paused_webhooks"]
    assert pause == {"id": id, "url": URL, "paused_at": "2026-11-21T12:00:00Z", "reason": reason}
    resumption = web.send("PATCH", f"{PATH}/{id}", key=paid_key, json={"status": "active"}).json
    assert (resumption["status"], resumption["failed_attempts"]) == ("active", 0)
    assert web.send("GET", "/api/v1/me", key=paid_key).json["paused_webhooks"] == []
    pause = web.send("PATCH", f"{PATH}/{id}", key=paid_key, json={"status": "paused"}).json
    assert (pause["status"], pause["paused_reason"]) == ("paused", None)


def test_the_plans_say_what_they_hold(web: Web):
    plans = web.send("GET", "/api/v1/plans").json["plans"]
    terms = [(plan["plan"], plan["daily_limit"], plan["webhooks"]) for plan in plans]
    assert terms == [("free", 10, 0), ("paid", 100, 10)]


def test_the_asset_filter_has_every_asset():
    assert set(get_args(AssetCode)) == set(ASSETS)


NOW = 1_795_262_400


def row(**fields) -> WebhookRow:
    plain = {"id": "wh_1", "key": "1a", "url": URL, "events": (), "assets": (), "created_at": NOW, "cursor": 7}
    state = {"rotations": 0, "rotated_at": None, "attempts": 0, "failing_since": None, "next_at": 0.0}
    return WebhookRow(**plain | state | {"paused_at": None, "paused_reason": None} | fields)


def test_a_failing_endpoint_is_tried_again_until_it_is_paused():
    endpoint = endpoint_of(row(attempts=2, failing_since=NOW - 20, next_at=NOW + 15.7), NOW)
    assert (endpoint.failed_attempts, endpoint.failing_since) == (2, utc(NOW - 20))
    assert endpoint.next_attempt_at == utc(NOW + 15)
    endpoint = endpoint_of(row(attempts=2, next_at=NOW + 15.0, paused_at=NOW, paused_reason="410"), NOW)
    assert (endpoint.status, endpoint.paused_at, endpoint.paused_reason) == ("paused", utc(NOW), "410")
    assert endpoint.next_attempt_at is None
