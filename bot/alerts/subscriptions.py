"""Alerts that people subscribe to: the consensus changes sides.

An alert goes to those who subscribed before its event, and an undelivered one is worth sending for some time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from bot import messages
from bot.languages import spoken
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


def is_after_subscription(subscriber: Subscriber, instant: str, world: str, looked_at: float) -> bool:
    """Whether an event at `instant` happened after this person subscribed.

    In a replay, instants and subscriptions are on different clocks. There the event counts as new if the watcher
    checked after the subscription (`looked_at`, unix seconds) and did not see it then.
    """
    if world == "replay":
        return subscriber.since <= looked_at
    return subscriber.since <= seconds(instant)


def subscribers_before(store: Store, event: str, instant: str, world: str, looked_at: float) -> list[Subscriber]:
    """The people who subscribed to an event before it happened."""
    subscribers = store.subscribers(event)
    return [person for person in subscribers if is_after_subscription(person, instant, world, looked_at)]


def alert(subscriber: Subscriber, event: str, key: str, text: str, now: datetime) -> Alert:
    """An alert for one subscriber."""
    until = now.timestamp() + MAX_AGE_S[event]
    return Alert(subscriber.user_id, event, key, subscriber.chat_id, subscriber.silent, text, until)


def alerts(
    store: Store, subscribers: list[Subscriber], event: str, key: str, write: Callable[[], str], now: datetime
) -> list[Alert]:
    """The same alert for each subscriber, in the language of their chat; `write` returns its text."""
    text = cache(lambda language, zone: spoken(language, write, zone))
    places = [(person, store.language(person.chat_id), store.zone(person.chat_id)) for person in subscribers]
    return [alert(person, event, key, text(language, zone), now) for person, language, zone in places]


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
    subscribers = subscribers_before(store, "flip", voted_at, world, looked_at)
    return alerts(
        store, subscribers, "flip", f"{world} {voted_at}", lambda: messages.alerts.flipped(before, after), now
    )
