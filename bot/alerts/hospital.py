"""Alert: the hospital publishes the snapshot of a new month."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.subscriptions import alerts
from bot.store import Alert, Store

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "hospital"


async def check_hospital(service: Service, store: Store, now: datetime) -> None:
    snapshot = await service.hospital()
    await asyncio.to_thread(_record, store, snapshot, now)


def _record(store: Store, snapshot: dict[str, Any], now: datetime) -> None:
    """Store the month and queue alerts if it is later than the last one; the first month ever seen is only stored."""
    name, month = f"{EVENT} {snapshot['world']}", snapshot["snapshot_month"]
    state = store.state(name)
    new = _alerts(store, snapshot, state["looked_at"], now) if state and month > state["month"] else []
    latest = max(month, state["month"]) if state else month
    store.record(name, {"month": latest, "looked_at": now.timestamp()}, new)


def _alerts(store: Store, snapshot: dict[str, Any], looked_at: float, now: datetime) -> list[Alert]:
    # A snapshot is published some time after its `as_of`, so it is new for those who subscribed before the last check.
    subscribers = [subscriber for subscriber in store.subscribers(EVENT) if subscriber.since <= looked_at]
    key = f"{snapshot['world']} {snapshot['snapshot_month']}"
    return alerts(store, subscribers, EVENT, key, lambda: messages.snapshot(snapshot), now)
