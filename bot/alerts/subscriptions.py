"""Who receives an alert, and how long an undelivered one is worth sending."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache

from bot.languages import spoken
from bot.store import Alert, Store, Subscriber

HOUR = 3600
DAY = 24 * HOUR
# How long an alert is sent late, for example while Telegram cannot be reached; then it expires.
MAX_AGE_S = {"followed": 30 * DAY, "flip": 6 * HOUR, "lane": 6 * HOUR, "hospital": 7 * DAY, "digest": 3 * HOUR}
MAX_AGE_S["weekly"] = 12 * HOUR


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
    text = cache(lambda language: spoken(language, write))
    return [alert(person, event, key, text(store.language(person.chat_id)), now) for person in subscribers]
