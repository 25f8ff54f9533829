"""Alert: the consensus on Bitcoin changes from BULLISH to BEARISH or back; NEUTRAL is not a side."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.subscriptions import alerts, subscribers_before
from bot.store import Alert, Store

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "flip"
SIDES = ("BULLISH", "BEARISH")


async def check_consensus(service: Service, store: Store, now: datetime) -> None:
    widget = await service.widget()
    await asyncio.to_thread(_record, store, widget, now)


def _record(store: Store, widget: dict[str, Any], now: datetime) -> None:
    """Queue alerts if the widget's side differs from the last one; `taken` is the last widget with a side."""
    name = f"{EVENT} {widget['world']}"
    state = store.state(name) or {"taken": None, "looked_at": now.timestamp()}
    before, after = state["taken"], state["taken"]
    if _is_later(before, widget):
        after = widget
    new = _alerts(store, before, after, state["looked_at"], now) if _has_flipped(before, after) else []
    store.record(name, {"taken": after, "looked_at": now.timestamp()}, new)


def _is_later(before: dict[str, Any] | None, widget: dict[str, Any]) -> bool:
    """Whether the widget has a side and its vote is later than the stored one."""
    consensus = widget["consensus"]
    if consensus is None or consensus["direction"] not in SIDES:
        return False
    return before is None or consensus["voted_at"] > before["consensus"]["voted_at"]


def _has_flipped(before: dict[str, Any] | None, after: dict[str, Any] | None) -> bool:
    if before is None or after is None:
        return False
    return before["consensus"]["direction"] != after["consensus"]["direction"]


def _alerts(
    store: Store, before: dict[str, Any], after: dict[str, Any], looked_at: float, now: datetime
) -> list[Alert]:
    voted_at, world = after["consensus"]["voted_at"], after["world"]
    subscribers = subscribers_before(store, EVENT, voted_at, world, looked_at)
    return alerts(store, subscribers, EVENT, f"{world} {voted_at}", lambda: messages.flipped(before, after), now)
