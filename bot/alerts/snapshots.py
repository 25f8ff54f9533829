"""The hospital makes the snapshot of another month."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.telling import alerts
from bot.store import Alert, Store

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "hospital"


async def look_at_hospital(service: Service, store: Store, now: datetime) -> None:
    hospital = await service.hospital()
    await asyncio.to_thread(_note, store, hospital, now)


def _note(store: Store, hospital: dict[str, Any], now: datetime) -> None:
    """Tell of a later month than the last one; the first that is seen is only noted."""
    name, month = f"{EVENT} {hospital['world']}", hospital["snapshot_month"]
    before = store.state(name)
    is_new = before is not None and month > before["month"]
    told = _alerts(store, hospital, before["looked_at"], now) if is_new else []
    latest = max(month, before["month"]) if before else month
    store.note(name, {"month": latest, "looked_at": now.timestamp()}, told)


def _alerts(store: Store, hospital: dict[str, Any], looked_at: float, now: datetime) -> list[Alert]:
    # A snapshot is made some time after the instant it is of, so what counts is that it was not there before.
    told = [one for one in store.subscribers(EVENT) if one.since <= looked_at]
    return alerts(told, EVENT, f"{hospital['world']} {hospital['snapshot_month']}", messages.snapshot(hospital), now)
