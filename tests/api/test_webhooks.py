"""Webhook endpoints: created, changed, tested and listed by holders of a paid key."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from service.access.quota import WEBHOOKS
from service.api.webhooks import delivery_of, endpoint_of
from service.config import Settings
from service.market.assets import ASSETS, AssetCode
from service.market.instants import DAY, utc
from service.notifications.webhooks import OVERLAP_S
from service.store import ledger, notifications
from service.store.notifications import DeliveryRow, WebhookRow
from tests.api.web import NOON, Web
from tests.receiver import Receiver, receiving, trade

PATH = "/api/v1/webhooks"
URL = "https://hooks.example.com/ninefold"


@pytest.fixture
def web(sqlite, tmp_path) -> Web:
    """The web over SQLite, of an operator who allows webhooks to this machine."""
    return Web(sqlite, settings=Settings(world="simulated", data_dir=tmp_path, webhook_private=True))


@pytest.fixture
def paid(web: Web) -> str:
    return web.granted(plan="paid")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def create(web: Web, key: str, url: str = URL, **body):
    return web.send("POST", PATH, key=key, json={"url": url, **body})


def test_an_endpoint_is_created_changed_and_deleted(web: Web, paid: str):
    trade(web.database, 3)
    answer = create(web, paid, events=["market.opened"], assets=["btc"])
    assert answer.status_code == 201
    assert answer.json["secret"].startswith("whsec_")
    created = answer.json["webhook"]
    assert created == {
        "id": created["id"],
        "url": URL,
        "events": ["market.opened"],
        "assets": ["btc"],
        "created_at": "2026-11-21T12:00:00Z",
        "status": "active",
        "paused_at": None,
        "paused_reason": None,
        "last_row": 3,
        "failed_attempts": 0,
        "failing_since": None,
        "next_attempt_at": None,
        "old_secret_until": None,
    }
    path = f"{PATH}/{created['id']}"
    changed = web.send("PATCH", path, key=paid, json={"assets": ["eth", "xrp"], "events": []}).json
    assert changed == created | {"assets": ["eth", "xrp"], "events": []}
    assert web.send("GET", path, key=paid).json == changed
    listed = web.send("GET", PATH, key=paid).json
    assert listed == {"count": 1, "limit": 10, "webhooks": [changed]}
    assert web.send("DELETE", path, key=paid).status_code == 204
    assert web.send("GET", path, key=paid).status_code == 404


def test_the_case_of_types_and_assets_does_not_matter(web: Web, paid: str):
    """As of every value that is one of a few."""
    created = create(web, paid, events=["Market.Opened"], assets=["BTC", "eth"]).json["webhook"]
    assert (created["events"], created["assets"]) == (["market.opened"], ["btc", "eth"])


def test_the_free_plan_has_no_webhooks(web: Web, key: str):
    refused = create(web, key)
    assert (refused.status_code, refused.json["code"]) == (403, "plan_required")
    assert web.send("POST", PATH, json={"url": URL}).status_code == 401


def test_another_key_sees_none_of_them(web: Web, paid: str):
    path = f"{PATH}/{create(web, paid).json['webhook']['id']}"
    other = web.granted(plan="paid")
    for method, more in (("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test"), ("GET", "/deliveries")):
        assert web.send(method, path + more, key=other).status_code == 404
    assert web.send("PATCH", path, key=other, json={"paused": True}).status_code == 404
    assert web.send("GET", PATH, key=other).json["count"] == 0


def test_a_key_may_have_ten(web: Web, paid: str):
    statuses = [create(web, paid).status_code for _ in range(WEBHOOKS["paid"] + 1)]
    assert statuses == [201] * 10 + [409]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": "ftp://example.com"},
        {"url": "https://user:word@example.com/"},
        {"url": URL, "events": ["market.closed"]},
        {"url": URL, "assets": ["doge"]},
        {"url": URL, "secret": "whsec_"},
    ],
)
def test_bad_input_is_refused(web: Web, paid: str, body: dict):
    refused = web.send("POST", PATH, key=paid, json=body)
    assert (refused.status_code, refused.json["code"]) == (400, "invalid_request")


def test_http_needs_the_operators_option(sqlite, tmp_path):
    web = Web(sqlite, settings=Settings(world="simulated", data_dir=tmp_path))
    refused = create(web, web.granted(plan="paid"), "http://hooks.example.com/")
    assert [error["field"] for error in refused.json["errors"]] == ["url"]


def test_a_rotation_gives_another_secret(web: Web, paid: str):
    first = create(web, paid).json
    path = f"{PATH}/{first['webhook']['id']}"
    rotated = web.send("POST", f"{path}/rotate", key=paid).json
    assert rotated["secret"] != first["secret"]
    assert rotated["webhook"]["old_secret_until"] == "2026-11-22T12:00:00Z"
    web.now += DAY
    assert web.send("GET", path, key=paid).json["old_secret_until"] is None


def test_no_secret_is_stored(web: Web, paid: str):
    secret = create(web, paid).json["secret"]
    web.database.close()
    file = Path(web.database.engine.url.database)
    stored = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    assert URL.encode() in stored
    assert secret.removeprefix("whsec_").encode() not in stored


def test_a_test_message_is_sent_and_listed(web: Web, paid: str, receiver: Receiver):
    web.now = time.time()
    created = create(web, paid, receiver.url).json
    receiver.secret = created["secret"]
    path = f"{PATH}/{created['webhook']['id']}"
    delivery = web.send("POST", f"{path}/test", key=paid).json
    assert (delivery["state"], delivery["status"], delivery["event"]) == ("delivered", 204, "webhook.test")
    assert receiver.ids == [delivery["id"]]
    assert receiver.verified[0][1]["data"] == {"message": "This endpoint can be reached."}
    receiver.answer = lambda _document: 500
    failed = web.send("POST", f"{path}/test", key=paid).json
    assert (failed["state"], failed["error"]) == ("failed", "The endpoint answered 500.")
    assert web.send("GET", f"{path}/deliveries", key=paid).json["deliveries"] == [failed, delivery]


def test_deliveries_come_in_pages(web: Web, paid: str, receiver: Receiver):
    created = create(web, paid, receiver.url).json
    path = f"{PATH}/{created['webhook']['id']}"
    sent = [web.send("POST", f"{path}/test", key=paid).json for _ in range(5)]
    first = web.send("GET", f"{path}/deliveries?limit=3", key=paid)
    assert f'<{path}/deliveries?limit=3&cursor={first.json["next"]}>; rel="next"' == first.headers["Link"]
    second = web.send("GET", f"{path}/deliveries?limit=3&cursor={first.json['next']}", key=paid).json
    assert [*first.json["deliveries"], *second["deliveries"]] == sent[::-1]
    assert second["next"] is None


def test_me_names_the_paused_webhooks(web: Web, paid: str):
    """With the reason, until its owner resumes it."""
    id = create(web, paid).json["webhook"]["id"]
    with web.database.writing() as db:
        (row,) = [row for row in notifications.key_webhooks(db, paid.split("_")[2]) if row.id == id]
        notifications.change_webhook(
            db, row, paused_at=int(NOON), paused_reason="The endpoint answered 410 Gone.", attempts=7
        )
    (paused,) = web.send("GET", "/api/v1/me", key=paid).json["paused_webhooks"]
    assert paused == {
        "id": id,
        "url": URL,
        "paused_at": "2026-11-21T12:00:00Z",
        "reason": "The endpoint answered 410 Gone.",
    }
    resumed = web.send("PATCH", f"{PATH}/{id}", key=paid, json={"paused": False}).json
    assert (resumed["status"], resumed["failed_attempts"]) == ("active", 0)
    assert web.send("GET", "/api/v1/me", key=paid).json["paused_webhooks"] == []
    paused = web.send("PATCH", f"{PATH}/{id}", key=paid, json={"paused": True}).json
    assert (paused["status"], paused["paused_reason"]) == ("paused", None)


def test_a_new_endpoint_begins_at_the_head_of_the_ledger(web: Web, paid: str):
    trade(web.database, 2)
    created = create(web, paid).json["webhook"]
    with web.database.reading() as db:
        assert created["last_row"] == ledger.last_seq(db)
        assert list(notifications.due_webhooks(db, NOON)) == []
    trade(web.database, 1)
    with web.database.reading() as db:
        assert list(notifications.due_webhooks(db, NOON)) == [created["id"]]


def test_the_plans_say_what_they_hold(web: Web):
    plans = web.send("GET", "/api/v1/plans").json
    assert [(plan["plan"], plan["daily_limit"], plan["webhooks"]) for plan in plans["plans"]] == [
        ("free", 10, 0),
        ("paid", 100, 10),
    ]


def test_the_asset_filter_has_every_asset():
    assert set(get_args(AssetCode)) == set(ASSETS)


NOW = 1_795_262_400


def row(**fields) -> WebhookRow:
    active = WebhookRow(
        id="wh_1",
        key="1a",
        url="https://example.com/",
        events=(),
        assets=(),
        created_at=NOW,
        rotations=0,
        rotated_at=None,
        cursor=7,
        attempts=0,
        failing_since=None,
        next_at=0.0,
        paused_at=None,
        paused_reason=None,
    )
    return replace(active, **fields)


def test_an_endpoint_that_works_waits_for_nothing():
    shown = endpoint_of(row(), NOW)
    assert (shown.status, shown.last_row, shown.next_attempt_at, shown.old_secret_until) == ("active", 7, None, None)
    assert shown.created_at == utc(NOW)


def test_an_endpoint_that_fails_says_when_it_is_tried_again():
    shown = endpoint_of(row(attempts=2, failing_since=NOW - 20, next_at=NOW + 15.7), NOW)
    assert (shown.failed_attempts, shown.failing_since, shown.next_attempt_at) == (2, utc(NOW - 20), utc(NOW + 15))


def test_a_paused_endpoint_is_not_tried_again():
    shown = endpoint_of(row(attempts=2, next_at=NOW + 15.0, paused_at=NOW, paused_reason="410"), NOW)
    assert (shown.status, shown.paused_at, shown.paused_reason) == ("paused", utc(NOW), "410")
    assert shown.next_attempt_at is None


def test_after_a_rotation_the_old_secret_has_an_end():
    rotated = row(rotations=1, rotated_at=NOW)
    assert endpoint_of(rotated, NOW).old_secret_until == utc(NOW + OVERLAP_S)
    assert endpoint_of(rotated, NOW + OVERLAP_S).old_secret_until is None


def test_a_delivery_is_named_by_its_message():
    shown = delivery_of(DeliveryRow(3, "msg_1", 9, "lane.trade", "failed", 2, 500, "No.", NOW, NOW + 5, 12))
    assert (shown.id, shown.event_id, shown.state, shown.attempts, shown.status) == ("msg_1", 9, "failed", 2, 500)
    assert (shown.first_attempt_at, shown.last_attempt_at, shown.duration_ms) == (utc(NOW), utc(NOW + 5), 12)
