"""Webhooks of the paid plan: endpoints that get events, signed as Standard Webhooks defines it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from threading import BoundedSemaphore
from typing import Annotated, Literal

from flask import Blueprint
from pydantic import Field
from sqlalchemy import Connection

from service.access.quota import WEBHOOKS
from service.api.auth import KeyHolder
from service.api.inputs import Body, Query
from service.api.operations import operation
from service.api.pages import link
from service.api.services import services
from service.errors import Busy, PlanRequired, ResourceNotFound, TooManyWebhooks
from service.market.assets import ASSETS, AssetCode
from service.market.instants import utc
from service.notifications.events import EVENT_TYPES, EventType, test_message
from service.notifications.webhooks import LONGEST_URL, check_url
from service.store import ledger
from service.store import notifications as stored
from service.store.notifications import DeliveryRow, DeliveryState, WebhookRow

webhooks = Blueprint("webhooks", __name__, url_prefix="/api/v1/webhooks")

# A test waits for the endpoint in a thread of the web server.
TESTS_AT_ONCE = 4
_TESTS = BoundedSemaphore(TESTS_AT_ONCE)

Url = Annotated[str, Field(max_length=LONGEST_URL, examples=["https://example.com/ninefold"])]
Events = Annotated[
    list[EventType], Field(max_length=len(EVENT_TYPES), description="the wanted events; empty or left out: all")
]
Assets = Annotated[
    list[AssetCode],
    Field(max_length=len(ASSETS), description="events about these assets alone; empty or left out: every event"),
]

WebhookStatus = Literal["active", "paused"]
RESUMED = {"paused_at": None, "paused_reason": None, "attempts": 0, "failing_since": None, "next_at": 0.0}


class Subscription(Body):
    """An endpoint and the events that it wants."""

    url: Url = Field(description="where events are posted; https, and no private address")
    events: Events = []
    assets: Assets = []


class SubscriptionChange(Body):
    """New values of an endpoint; what is left out stays."""

    url: Url | None = Field(None, description="where events are posted from now on")
    events: Events | None = None
    assets: Assets | None = None
    status: WebhookStatus | None = Field(
        None, description="`active` resumes with the first event that was not delivered"
    )


class DeliveryPageQuery(Query):
    """Which deliveries are wanted."""

    limit: int = Field(50, ge=1, le=200, description="deliveries on a page")
    cursor: str | None = Field(None, pattern="^[1-9][0-9]{0,8}$", description="the `next` of the page before")


@dataclass(frozen=True)
class WebhookEndpoint:
    """An endpoint. `failed_attempts` at the next event since `failing_since`; `next_attempt_at` is the earliest one.

    `paused_reason` is null while it is active, and where its owner paused it. `last_row` is the last row of the ledger
    that it is done with. `old_secret_until`: until then the secret before the last rotation signs too.
    """

    id: str
    url: str
    events: tuple[EventType, ...]
    assets: tuple[str, ...]
    created_at: datetime
    status: WebhookStatus
    paused_at: datetime | None
    paused_reason: str | None
    last_row: int
    failed_attempts: int
    failing_since: datetime | None
    next_attempt_at: datetime | None
    old_secret_until: datetime | None


@dataclass(frozen=True)
class WebhookWithSecret:
    """An endpoint and its secret, which is shown this once and verifies every message."""

    secret: str
    webhook: WebhookEndpoint


@dataclass(frozen=True)
class WebhookList:
    """The endpoints of a key, oldest first, and how many it may have."""

    count: int
    limit: int
    webhooks: tuple[WebhookEndpoint, ...]


@dataclass(frozen=True)
class WebhookDelivery:
    """A message and its last attempt. `id` is the header `webhook-id`; `event_id` the row of the ledger.

    `status` is the HTTP status of the endpoint, null without an answer; `error` says why it was not accepted.
    """

    id: str
    event_id: int | None
    event: str
    state: DeliveryState
    attempts: int
    status: int | None
    error: str | None
    first_attempt_at: datetime
    last_attempt_at: datetime
    duration_ms: int


@dataclass(frozen=True)
class WebhookDeliveries:
    """Messages to an endpoint, newest first; `next` is the `cursor` of the following page, null after the last."""

    count: int
    next: str | None
    deliveries: tuple[WebhookDelivery, ...]


@webhooks.post("")
@operation(tag="Webhooks", limit="webhooks", key="required", status=201, raises=(PlanRequired, TooManyWebhooks))
def create(body: Subscription, caller: KeyHolder) -> WebhookWithSecret:
    """Have events posted to an endpoint of yours, from now on.

    Messages are signed as Standard Webhooks says (headers `webhook-id`, `webhook-timestamp` and `webhook-signature`);
    the body is an Event. They come at least once, in the order of the ledger, with the same `webhook-id` at every
    attempt. Any 2xx within 10 seconds accepts a message; redirects are not followed. A message that is not accepted is
    tried again for 24 hours with growing pauses, and those after it wait. Then the endpoint is paused, as it is at once
    by 410. Nothing is lost meanwhile: once resumed, it gets what it has missed.
    """
    _check_plan(caller)
    check_url(body.url, private=services().settings.webhook_private)
    now = int(services().now())
    with services().database.writing() as db:
        if len(stored.key_webhooks(db, caller.key_id, lock=True)) >= WEBHOOKS[caller.plan]:
            raise TooManyWebhooks(f"A key may have {WEBHOOKS[caller.plan]} webhooks; delete one first.")
        row = stored.add_webhook(db, caller.key_id, body.url, body.events, body.assets, ledger.last_seq(db), now)
    return _with_secret(row)


@webhooks.get("")
@operation(tag="Webhooks", limit="own data", key="required")
def all_of_key(caller: KeyHolder) -> WebhookList:
    """Your webhook endpoints, oldest first."""
    with services().database.reading() as db:
        rows = stored.key_webhooks(db, caller.key_id)
    return WebhookList(len(rows), WEBHOOKS[caller.plan], tuple(endpoint_of(row, services().now()) for row in rows))


@webhooks.get("/<webhook_id>")
@operation(tag="Webhooks", limit="own data", key="required", raises=(ResourceNotFound,))
def of_id(webhook_id: str, caller: KeyHolder) -> WebhookEndpoint:
    """One webhook endpoint."""
    with services().database.reading() as db:
        return endpoint_of(_row(db, caller, webhook_id), services().now())


@webhooks.patch("/<webhook_id>")
@operation(tag="Webhooks", limit="webhooks", key="required", raises=(PlanRequired, ResourceNotFound))
def change(webhook_id: str, body: SubscriptionChange, caller: KeyHolder) -> WebhookEndpoint:
    """Change the address, the events or the assets of an endpoint, pause it or resume it.

    A resumed endpoint goes on with the first event that was not delivered.
    """
    _check_plan(caller)
    if body.url is not None:
        check_url(body.url, private=services().settings.webhook_private)
    changes = {name: value for name, value in body.model_dump(exclude={"status"}).items() if value is not None}
    with services().database.writing() as db:
        row = _row(db, caller, webhook_id)
        if body.status not in (None, _status(row)):
            paused = {"paused_at": int(services().now()), "paused_reason": None}
            changes |= paused if body.status == "paused" else RESUMED
        return endpoint_of(stored.change_webhook(db, row, **changes) if changes else row, services().now())


@webhooks.delete("/<webhook_id>")
@operation(tag="Webhooks", limit="webhooks", key="required", status=204, raises=(ResourceNotFound,))
def remove(webhook_id: str, caller: KeyHolder) -> None:
    """Delete an endpoint, with the record of its deliveries."""
    with services().database.writing() as db:
        stored.remove_webhook(db, _row(db, caller, webhook_id).id)


@webhooks.post("/<webhook_id>/rotate")
@operation(tag="Webhooks", limit="webhooks", key="required", raises=(PlanRequired, ResourceNotFound))
def rotate(webhook_id: str, caller: KeyHolder) -> WebhookWithSecret:
    """Replace the secret of an endpoint; for 24 hours messages are signed with the old one too."""
    _check_plan(caller)
    with services().database.writing() as db:
        row = _row(db, caller, webhook_id)
        webhook = stored.change_webhook(db, row, rotations=row.rotations + 1, rotated_at=int(services().now()))
    return _with_secret(webhook)


@webhooks.post("/<webhook_id>/test")
@operation(tag="Webhooks", limit="webhooks", key="required", raises=(PlanRequired, ResourceNotFound, Busy))
def test(webhook_id: str, caller: KeyHolder) -> WebhookDelivery:
    """Send a `webhook.test` message now, once, and see what the endpoint answered."""
    from service.sources.webhooks import send  # imported lazily: the HTTP library costs 0.2 s of the start-up

    _check_plan(caller)
    web, at = services(), int(services().now())
    with web.database.reading() as db:
        row = _row(db, caller, webhook_id)
    message = test_message(row.id, web.clock.world, utc(web.clock.at(at)), secrets.token_hex(8))
    if not _TESTS.acquire(blocking=False):
        raise Busy("Other webhooks are being tested. Try again in a few seconds.", retry_after_s=10)
    try:
        signing_keys = row.secrets.valid(web.key_secrets.valid(at), at)
        attempt = send(row.url, message, signing_keys, at, private=web.settings.webhook_private)
    finally:
        _TESTS.release()
    with web.database.writing() as db:
        return delivery_of(stored.record_attempt(db, _row(db, caller, webhook_id).id, attempt))


@webhooks.get("/<webhook_id>/deliveries")
@operation(tag="Webhooks", limit="own data", key="required", raises=(PlanRequired, ResourceNotFound))
def deliveries(webhook_id: str, query: DeliveryPageQuery, caller: KeyHolder) -> WebhookDeliveries:
    """The messages to an endpoint with their last attempts, newest first; they are kept for 30 days."""
    _check_plan(caller)
    with services().database.reading() as db:
        rows = stored.find_deliveries(
            db, _row(db, caller, webhook_id).id, int(query.cursor) if query.cursor else None, query.limit + 1
        )
    page = rows[: query.limit]
    following = str(page[-1].number) if len(rows) > query.limit else None
    link(following)
    return WebhookDeliveries(len(page), following, tuple(delivery_of(row) for row in page))


def _check_plan(caller: KeyHolder) -> None:
    if not WEBHOOKS[caller.plan]:
        raise PlanRequired("Webhooks are part of the paid plan; see GET /api/v1/plans.")


def _row(db: Connection, caller: KeyHolder, webhook_id: str) -> WebhookRow:
    row = stored.find_webhook(db, caller.key_id, webhook_id)
    if row is None:
        raise ResourceNotFound("Your key has no such webhook; GET /api/v1/webhooks lists those that it has.")
    return row


def _status(row: WebhookRow) -> WebhookStatus:
    return "active" if row.paused_at is None else "paused"


def _with_secret(row: WebhookRow) -> WebhookWithSecret:
    return WebhookWithSecret(row.secrets.current(services().key_secrets.current), endpoint_of(row, services().now()))


def endpoint_of(row: WebhookRow, now: float) -> WebhookEndpoint:
    """How an endpoint is described at the wall second `now`."""
    return WebhookEndpoint(
        id=row.id,
        url=row.url,
        events=tuple(row.events),
        assets=tuple(row.assets),
        created_at=utc(row.created_at),
        status=_status(row),
        paused_at=_instant(row.paused_at),
        paused_reason=row.paused_reason,
        last_row=row.cursor,
        failed_attempts=row.attempts,
        failing_since=_instant(row.failing_since),
        next_attempt_at=_instant(int(row.next_at) if row.attempts and row.paused_at is None else None),
        old_secret_until=_instant(row.secrets.old_valid_until(now)),
    )


def delivery_of(row: DeliveryRow) -> WebhookDelivery:
    return WebhookDelivery(
        id=row.message,
        event_id=row.seq,
        event=row.event,
        state=row.state,
        attempts=row.attempts,
        status=row.status,
        error=row.error,
        first_attempt_at=utc(row.first_at),
        last_attempt_at=utc(row.last_at),
        duration_ms=row.duration_ms,
    )


def _instant(at: int | None) -> datetime | None:
    return None if at is None else utc(at)
