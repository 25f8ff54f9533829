"""Alerts about events after the subscription: the consensus changes sides, the daily digest, that of groups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from bot import messages
from bot.languages import language, spoken, zone
from bot.service import Document, Service
from bot.store import Alert, Store, Subscriber
from bot.store.settings import last_due

HOUR = 3600
DAY = 24 * HOUR
# How long an alert is sent late, for example while Telegram cannot be reached; then it expires.
MAX_AGE_S = {"followed": 30 * DAY, "flip": 6 * HOUR, "digest": 3 * HOUR, "weekly": 12 * HOUR}
SIDES = ("BULLISH", "BEARISH")
DIGEST, WEEKLY = "digest", "weekly"  # the events
WEEKLY_HOUR = 8  # UTC
MAX_DELAY = timedelta(seconds=MAX_AGE_S[DIGEST])


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
    """Queue alerts if the consensus is on another side than when it last was on one."""
    await asyncio.to_thread(_record_consensus, store, await service.widget(), now)


def _record_consensus(store: Store, widget: Document, now: datetime) -> None:
    world, consensus, name = widget["world"], widget["consensus"], f"flip {widget['world']}"
    state = store.state(name) or {"taken": None, "looked_at": now.timestamp()}
    before, new = state["taken"], []
    last_vote = before["consensus"]["voted_at"] if before else ""
    if consensus is not None and consensus["direction"] in SIDES and consensus["voted_at"] > last_vote:
        state["taken"] = widget
        if before is not None and before["consensus"]["direction"] != consensus["direction"]:
            # In a replay instants are on another clock than subscriptions: there the look before decides.
            last_s = state["looked_at"] if world == "replay" else seconds(consensus["voted_at"])
            subscribers = [person for person in store.subscribers("flip") if person.since <= last_s]
            write = once_each(lambda: messages.alerts.flipped(widget))
            key = f"{world} {consensus['voted_at']}"
            new = [alert(store, person, "flip", key, write, now) for person in subscribers]
    store.record(name, {"taken": state["taken"], "looked_at": now.timestamp()}, new)


async def check_digests(service: Service, store: Store, now: datetime) -> None:
    """Write the digest if one is due and queue it for everyone whose digest is due."""
    due = await asyncio.to_thread(_due, store, now)
    if not due:
        return
    widget, battle, versus = await asyncio.gather(service.widget(), service.battle(), service.ai_vs_market())
    write = once_each(lambda: messages.alerts.digest(widget, battle, versus, now.astimezone(zone())))
    await asyncio.to_thread(lambda: store.queue(alert(store, person, DIGEST, key, write, now) for person, key in due))


def _due(store: Store, now: datetime) -> list[tuple[Subscriber, str]]:
    """The people whose digest is due and not queued yet, with the due instant, the alert's key."""
    due = []
    for subscriber in store.subscribers(DIGEST):
        timezone = store.zone(subscriber.user_id)
        due_at = last_due(int(store.setting(subscriber.user_id, "hour") or 0), timezone, now)
        key = due_at.isoformat()
        is_too_late = now - due_at > MAX_DELAY or due_at.timestamp() < subscriber.since
        if not is_too_late and not store.is_marked(subscriber.user_id, DIGEST, key):
            due.append((subscriber, key))
    return due


async def check_weekly(service: Service, store: Store, now: datetime) -> None:
    """Write the digest if it is due and queue it for every group that switched it on before."""
    morning = last_due(WEEKLY_HOUR, "UTC", now)
    due_at = morning - timedelta(days=morning.weekday())
    key, is_late = due_at.isoformat(), now - due_at > timedelta(seconds=MAX_AGE_S[WEEKLY])
    groups = [] if is_late else await asyncio.to_thread(store.subscribers, WEEKLY)
    due = [group for group in groups if group.since <= due_at.timestamp()]
    due = await asyncio.to_thread(lambda: [group for group in due if not store.is_marked(group.user_id, WEEKLY, key)])
    if not due:
        return
    resolutions, versus, battle, challenges = await asyncio.gather(
        service.resolved_markets(), service.ai_vs_market(), service.battle(), service.challenges()
    )
    as_of = datetime.fromisoformat(resolutions["as_of"])  # in a replay the service's clock is another
    write = once_each(partial(messages.alerts.weekly, resolutions, versus, battle, challenges, as_of))
    await asyncio.to_thread(lambda: store.queue(alert(store, group, WEEKLY, key, write, now) for group in due))
