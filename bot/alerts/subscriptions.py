"""Alerts that people subscribe to: the consensus changes sides.

An alert goes to those who subscribed before its event, and an undelivered one is worth sending for some time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.languages import language, spoken, zone
from bot.store import Alert, Store, Subscriber

if TYPE_CHECKING:
    from bot.service import Service

HOUR = 3600
DAY = 24 * HOUR
# How long an alert is sent late, for example while Telegram cannot be reached; then it expires.
MAX_AGE_S = {"followed": 30 * DAY, "flip": 6 * HOUR, "digest": 3 * HOUR}
MAX_AGE_S["weekly"] = 12 * HOUR
SIDES = ("BULLISH", "BEARISH")


def seconds(instant: str) -> float:
    """An instant of the API as unix seconds."""
    return datetime.fromisoformat(instant).timestamp()


def once_each(write: Callable[[], str]) -> Callable[[], str]:
    """Like `write`, which is called once for each language and time zone."""
    texts: dict[tuple[str, str], str] = {}

    def text() -> str:
        key = language(), zone().key
        if key not in texts:
            texts[key] = write()
        return texts[key]

    return text


def alert(store: Store, person: Subscriber, event: str, key: str, write: Callable[[], str], now: datetime) -> Alert:
    """An alert for a subscriber, in the language and the time zone of their chat; `write` returns its text."""
    text = spoken(store.language(person.chat_id), write, store.zone(person.chat_id))
    return Alert(person.user_id, event, key, person.chat_id, person.silent, text, now.timestamp() + MAX_AGE_S[event])


async def check_consensus(service: Service, store: Store, now: datetime) -> None:
    widget = await service.widget()
    await asyncio.to_thread(_record_consensus, store, widget, now)


def _record_consensus(store: Store, widget: dict[str, Any], now: datetime) -> None:
    """Queue alerts if the widget's side differs from the last one; `taken` is the last widget with a side."""
    name = f"flip {widget['world']}"
    state = store.state(name) or {"taken": None, "looked_at": now.timestamp()}
    before, after = state["taken"], state["taken"]
    if _is_later(before, widget):
        after = widget
    new = _consensus_alerts(store, before, after, state["looked_at"], now) if _has_flipped(before, after) else []
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


def _consensus_alerts(
    store: Store, before: dict[str, Any], after: dict[str, Any], looked_at: float, now: datetime
) -> list[Alert]:
    voted_at, world = after["consensus"]["voted_at"], after["world"]
    # In a replay, instants and subscriptions are on different clocks. There an event counts as new for those who had
    # subscribed when the watcher looked before and did not see it.
    before_s = looked_at if world == "replay" else seconds(voted_at)
    subscribers = [person for person in store.subscribers("flip") if person.since <= before_s]
    write = once_each(lambda: messages.alerts.flipped(before, after))
    return [alert(store, person, "flip", f"{world} {voted_at}", write, now) for person in subscribers]
