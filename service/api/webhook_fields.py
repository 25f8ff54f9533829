"""Webhooks as requests ask for them and as answers describe them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from service.api.inputs import Body, Query
from service.events.destinations import LONGEST_URL
from service.events.event import EVENT_TYPES, EventType
from service.market.assets import ASSETS, AssetCode
from service.market.instants import utc
from service.store.webhooks import DeliveryRow, DeliveryState, WebhookRow

Url = Annotated[str, Field(max_length=LONGEST_URL, examples=["https://example.com/ninefold"])]
Events = Annotated[
    list[EventType], Field(max_length=len(EVENT_TYPES), description="the wanted events; empty or left out: all")
]
Assets = Annotated[
    list[AssetCode],
    Field(max_length=len(ASSETS), description="events about these assets alone; empty or left out: every event"),
]


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
    paused: bool | None = Field(None, description="false resumes with the first event that was not delivered")


class DeliveryPageQuery(Query):
    """Which deliveries are wanted."""

    limit: int = Field(50, ge=1, le=200, description="deliveries on a page")
    cursor: int | None = Field(None, ge=1, lt=2**31, description="the `next` of the page before")


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
    status: Literal["active", "paused"]
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
    next: int | None
    deliveries: tuple[WebhookDelivery, ...]


def endpoint_of(row: WebhookRow, now: float) -> WebhookEndpoint:
    """How an endpoint is described at the wall second `now`."""
    return WebhookEndpoint(
        id=row.id,
        url=row.url,
        events=tuple(row.events),
        assets=tuple(row.assets),
        created_at=utc(row.created_at),
        status="active" if row.paused_at is None else "paused",
        paused_at=_instant(row.paused_at),
        paused_reason=row.paused_reason,
        last_row=row.cursor,
        failed_attempts=row.attempts,
        failing_since=_instant(row.failing_since),
        next_attempt_at=_instant(int(row.next_at) if row.attempts and row.paused_at is None else None),
        old_secret_until=_instant(row.secrets.old_valid_until(now)),
    )


def delivery_of(row: DeliveryRow) -> WebhookDelivery:
    """How a delivery is described."""
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
