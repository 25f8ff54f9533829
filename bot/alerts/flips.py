"""The consensus on bitcoin changes sides, from BULLISH to BEARISH or back; NEUTRAL between them is no side."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.alerts.telling import alerts, subscribed
from bot.store import Alert, Store

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "flip"
SIDES = ("BULLISH", "BEARISH")


async def look_at_consensus(service: Service, store: Store, now: datetime) -> None:
    widget = await service.widget()
    await asyncio.to_thread(_note, store, widget, now)


def _note(store: Store, widget: dict[str, Any], now: datetime) -> None:
    """Tell of a side that is not the last one; `taken` is the widget in which that one was seen."""
    name = f"{EVENT} {widget['world']}"
    before = store.state(name) or {"taken": None, "looked_at": now.timestamp()}
    taken = widget if _is_later(before["taken"], widget) else before["taken"]
    told = _alerts(store, before, taken, now) if _flipped(before["taken"], taken) else []
    store.note(name, {"taken": taken, "looked_at": now.timestamp()}, told)


def _is_later(taken: dict[str, Any] | None, widget: dict[str, Any]) -> bool:
    """Whether the widget takes a side, at a later vote than the one that is known."""
    consensus = widget["consensus"]
    if consensus is None or consensus["direction"] not in SIDES:
        return False
    return taken is None or consensus["voted_at"] > taken["consensus"]["voted_at"]


def _flipped(before: dict[str, Any] | None, after: dict[str, Any] | None) -> bool:
    if before is None or after is None:
        return False
    return before["consensus"]["direction"] != after["consensus"]["direction"]


def _alerts(store: Store, before: dict[str, Any], after: dict[str, Any], now: datetime) -> list[Alert]:
    voted_at, world = after["consensus"]["voted_at"], after["world"]
    told = subscribed(store, EVENT, voted_at, world, before["looked_at"])
    return alerts(told, EVENT, f"{world} {voted_at}", messages.flipped(before["taken"], after), now)
