"""Who is told of something new, and until when it is worth telling."""

from __future__ import annotations

from datetime import datetime

from bot.store import Alert, Store, Subscriber

HOUR = 3600
DAY = 24 * HOUR
# For so long an alert is sent late, while Telegram cannot be reached; after that it would be no news.
WORTH_S = {"my_challenge": 30 * DAY, "flip": 6 * HOUR, "lane": 6 * HOUR, "hospital": 7 * DAY, "digest": 3 * HOUR}


def seconds(written: str) -> float:
    """The unix second of an instant of the API."""
    return datetime.fromisoformat(written).timestamp()


def heard_since(subscriber: Subscriber, instant: str, world: str, looked_at: float) -> bool:
    """Whether what happened at `instant` happened after this person wanted to hear of it.

    In a replay the instants are of another time than a person's: there it counts that the watcher had looked
    (`looked_at`, a unix second) since then without seeing it.
    """
    if world == "replay":
        return subscriber.since <= looked_at
    return subscriber.since <= seconds(instant)


def alert(subscriber: Subscriber, event: str, key: str, text: str, now: datetime) -> Alert:
    """The text for one subscriber."""
    until = now.timestamp() + WORTH_S[event]
    return Alert(subscriber.user_id, event, key, subscriber.chat_id, subscriber.silent, text, until)


def alerts(subscribers: list[Subscriber], event: str, key: str, text: str, now: datetime) -> list[Alert]:
    """The same text for each of them."""
    return [alert(one, event, key, text, now) for one in subscribers]


def subscribed(store: Store, event: str, instant: str, world: str, looked_at: float) -> list[Subscriber]:
    """Those who wanted to hear of such an event before it happened."""
    return [one for one in store.subscribers(event) if heard_since(one, instant, world, looked_at)]
