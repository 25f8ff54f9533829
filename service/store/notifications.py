"""Events, which are rows of the ledger, and the webhook endpoints that they are sent to, with their deliveries.

The outbox of an endpoint is the ledger: `cursor` is the last row that is done. One process at a time delivers to an
endpoint, under a lease; whatever it writes once another process holds the lease is refused. Instants of endpoints are
wall seconds.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, or_, select, update

from service import canonical
from service.documents import World
from service.notifications.events import ABOUT_PREDICTIONS, KINDS, Attempt, Event, EventFilter, EventType, event_of
from service.notifications.webhooks import EndpointSecrets
from service.store import ledger, predictions
from service.store.database import insert_into
from service.store.tables import api_key, webhook, webhook_delivery
from service.store.tables import ledger as ledger_rows

# Longer than one delivery and the transactions around it.
LEASE_S = 25
DeliveryState = Literal["delivered", "failed"]


@dataclass(frozen=True)
class WebhookRow:
    """An endpoint of the API key `key`; empty `events` and `assets` mean all.

    `attempts` counts the failed attempts at the next event since the wall second `failing_since`; the next one is not
    before `next_at`. `paused_reason` is None where the owner paused it.
    """

    id: str
    key: str
    url: str
    events: tuple[EventType, ...]
    assets: tuple[str, ...]
    created_at: int
    cursor: int
    rotations: int = 0
    rotated_at: int | None = None
    attempts: int = 0
    failing_since: int | None = None
    next_at: float = 0.0
    paused_at: int | None = None
    paused_reason: str | None = None

    @property
    def filter(self) -> EventFilter:
        return EventFilter(self.events, self.assets)

    @property
    def secrets(self) -> EndpointSecrets:
        return EndpointSecrets(self.id, self.rotations, self.rotated_at)


@dataclass(frozen=True)
class DeliveryRow:
    """A message with its last attempt; `number` orders the messages of all endpoints."""

    number: int
    message: str
    seq: int | None
    event: str
    state: DeliveryState
    attempts: int
    status: int | None
    error: str | None
    first_at: int
    last_at: int
    duration_ms: int


_COLUMNS = [webhook.c[field.name] for field in fields(WebhookRow)]
_DELIVERY_COLUMNS = [webhook_delivery.c[field.name] for field in fields(DeliveryRow)]
_IS_ACTIVE = webhook.c.paused_at.is_(None) & exists().where(
    api_key.c.id == webhook.c.key, api_key.c.revoked_at.is_(None), api_key.c.plan == "paid"
)


def add_webhook(
    db: Connection, key: str, url: str, events: Sequence[EventType], assets: Sequence[str], cursor: int, now: int
) -> WebhookRow:
    """Store a new endpoint, which gets the events after row `cursor`."""
    row = WebhookRow(f"wh_{secrets.token_hex(8)}", key, url, tuple(events), tuple(assets), now, cursor)
    values = vars(row) | {"events": canonical.write(row.events), "assets": canonical.write(row.assets)}
    db.execute(insert(webhook).values(values | {"held_until": 0.0}))
    return row


def key_webhooks(db: Connection, key: str, *, lock: bool = False) -> list[WebhookRow]:
    """The endpoints of a key, oldest first; `lock` makes a second transaction on the same key wait."""
    if lock:
        db.execute(select(api_key.c.id).where(api_key.c.id == key).with_for_update())
    return _load(db, webhook.c.key == key)


def find_webhook(db: Connection, key: str, id: str) -> WebhookRow | None:
    return next(iter(_load(db, webhook.c.key == key, webhook.c.id == id)), None)


def change_webhook(db: Connection, row: WebhookRow, **changes: Any) -> WebhookRow:
    """Store other values of an endpoint; returns its new row."""
    plain = {name: canonical.write(value) if name in ("events", "assets") else value for name, value in changes.items()}
    db.execute(update(webhook).where(webhook.c.id == row.id).values(plain))
    return replace(row, **changes)


def remove_webhook(db: Connection, id: str) -> None:
    """Delete an endpoint and its deliveries."""
    db.execute(select(webhook.c.id).where(webhook.c.id == id).with_for_update())
    db.execute(delete(webhook_delivery).where(webhook_delivery.c.webhook == id))
    db.execute(delete(webhook).where(webhook.c.id == id))


def due_webhooks(db: Connection, now: float) -> dict[str, str]:
    """The active endpoints with new rows and no process, each with its key, the one served longest ago first."""
    has_rows = webhook.c.cursor < select(func.max(ledger_rows.c.seq)).scalar_subquery()
    query = select(webhook.c.id, webhook.c.key).where(_is_due(now), has_rows)
    return {row.id: row.key for row in db.execute(query.order_by(webhook.c.held_until, webhook.c.id))}


def count_deliveries(db: Connection) -> dict[DeliveryState, int]:
    query = select(webhook_delivery.c.state, func.count().label("number")).group_by(webhook_delivery.c.state)
    return {row.state: row.number for row in db.execute(query)}


def claim_webhook(db: Connection, id: str, owner: str, now: float) -> bool:
    """Take the lease of an endpoint that is due for a process; returns False if another one holds it."""
    claim = update(webhook).where(webhook.c.id == id, _is_due(now)).values(owner=owner, held_until=now + LEASE_S)
    return db.execute(claim).rowcount == 1


def _is_due(now: float) -> ColumnElement[bool]:
    is_free = or_(webhook.c.owner.is_(None), webhook.c.held_until <= now)
    return _IS_ACTIVE & is_free & (webhook.c.next_at <= now)


def held_webhook(db: Connection, id: str, owner: str) -> WebhookRow | None:
    """The endpoint as it is now, if `owner` still holds its lease and it is still active."""
    return next(iter(_load(db, webhook.c.id == id, webhook.c.owner == owner, _IS_ACTIVE)), None)


def advance_webhook(
    db: Connection, id: str, owner: str, cursor: int, now: float, attempt: Attempt | None = None
) -> bool:
    """Go on to row `cursor`, after an accepted attempt or past unwanted rows, and renew the lease.

    Returns False, and writes nothing, if `owner` no longer holds the lease.
    """
    done = {"cursor": cursor, "attempts": 0, "failing_since": None, "held_until": now + LEASE_S}
    return _write(db, id, owner, done, attempt)


def fail_webhook(
    db: Connection, row: WebhookRow, owner: str, attempt: Attempt, next_at: float, pause_reason: str | None
) -> bool:
    """Record a failed attempt and end the lease; with a reason the endpoint is paused. False if the lease is lost."""
    values: dict[str, Any] = {
        "attempts": row.attempts + 1,
        "failing_since": attempt.at if row.failing_since is None else row.failing_since,
        "next_at": next_at,
        "owner": None,
    }
    if pause_reason:
        values |= {"paused_at": attempt.at, "paused_reason": pause_reason}
    return _write(db, row.id, owner, values, attempt)


def release_webhook(db: Connection, id: str, owner: str) -> None:
    db.execute(update(webhook).where(webhook.c.id == id, webhook.c.owner == owner).values(owner=None))


def record_attempt(db: Connection, id: str, attempt: Attempt) -> DeliveryRow:
    """Store an attempt: a new delivery, or the next attempt of one; returns the delivery."""
    message, state = attempt.message, "failed" if attempt.error else "delivered"
    last = {name: getattr(attempt, name) for name in ("status", "error", "duration_ms")}
    last |= {"state": state, "last_at": attempt.at}
    first = {"webhook": id, "message": message.id, "seq": message.seq, "event": message.event}
    statement = insert_into(db, webhook_delivery).values(first | last | {"first_at": attempt.at, "attempts": 1})
    changes = last | {"attempts": webhook_delivery.c.attempts + 1}
    statement = statement.on_conflict_do_update(index_elements=[webhook_delivery.c.message], set_=changes)
    return DeliveryRow(*db.execute(statement.returning(*_DELIVERY_COLUMNS)).one())


def find_deliveries(db: Connection, id: str, before: int | None, limit: int) -> list[DeliveryRow]:
    """At most `limit` deliveries of an endpoint with a number below `before`, newest first."""
    query = select(*_DELIVERY_COLUMNS).where(webhook_delivery.c.webhook == id)
    if before is not None:
        query = query.where(webhook_delivery.c.number < before)
    return [DeliveryRow(*row) for row in db.execute(query.order_by(webhook_delivery.c.number.desc()).limit(limit))]


def prune_deliveries(db: Connection, before: int) -> None:
    """Delete the deliveries last tried before `before`, and the endpoints of keys that were revoked before it."""
    revoked_keys = select(api_key.c.id).where(api_key.c.revoked_at < before)
    orphans = select(webhook.c.id).where(webhook.c.key.in_(revoked_keys))
    old = (webhook_delivery.c.last_at < before) | webhook_delivery.c.webhook.in_(orphans)
    db.execute(delete(webhook_delivery).where(old))
    db.execute(delete(webhook).where(webhook.c.key.in_(revoked_keys)))


def _write(db: Connection, id: str, owner: str, values: dict[str, Any], attempt: Attempt | None) -> bool:
    mine = (webhook.c.id == id) & (webhook.c.owner == owner)
    if db.execute(update(webhook).where(mine).values(values)).rowcount == 0:
        return False
    if attempt:
        record_attempt(db, id, attempt)
    return True


def _load(db: Connection, *conditions: ColumnElement[bool]) -> list[WebhookRow]:
    query = select(*_COLUMNS).where(*conditions).order_by(webhook.c.created_at, webhook.c.id)
    rows: list[dict[str, Any]] = [row._asdict() for row in db.execute(query)]
    for row in rows:
        row |= {name: tuple(canonical.read(row[name])) for name in ("events", "assets")}
    return [WebhookRow(**row) for row in rows]


EVENTS_AT_ONCE = 200


@dataclass(frozen=True)
class EventPage:
    """Events in their order; `last` is the number of the last row that was looked at, whether it is an event or not.

    All events are public but those in `authors`, resolved answers with the id of who asked, or an empty one.
    """

    events: tuple[Event, ...]
    authors: Mapping[int, str]
    last: int

    def visible_to(self, caller: str | None) -> list[Event]:
        """The events that a caller may see. The key of a delegating caller sees the answers of its end users too."""
        return [event for event in self.events if _may_see(caller, self.authors.get(event.id or 0))]


def events_after(db: Connection, seq: int, world: World) -> EventPage:
    """The events that follow row `seq`, from at most 200 rows."""
    last = ledger.last_seq(db)
    rows = ledger.live_entries(db, seq, KINDS, EVENTS_AT_ONCE)
    ids = [entry.subject for entry in rows if entry.kind in ABOUT_PREDICTIONS]
    by_id = {market.id: market for market in predictions.find_predictions(db, ids)}
    events = [event for entry in rows if (event := event_of(entry, world, by_id))]
    answers = {market.id: market.author or "" for market in by_id.values() if market.category == "answer"}
    if rows and (len(rows) == EVENTS_AT_ONCE or rows[-1].seq > last):
        last = rows[-1].seq
    authors = {entry.seq: answers[entry.subject] for entry in rows if entry.subject in answers}
    return EventPage(tuple(events), authors, max(last, seq))


def _may_see(caller: str | None, author: str | None) -> bool:
    if author is None or caller is None:
        return author is None
    # An end user, whose id may be the beginning of another one's, sees its own answers alone.
    return author == caller or (caller.count(":") == 1 and author.startswith(f"{caller}:"))
