"""The digests: each person's every day, at their hour and in their time zone, and the one of groups on Mondays."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot import messages
from bot.alerts.subscriptions import MAX_AGE_S, alert, once_each
from bot.languages import zone
from bot.store import Store, Subscriber

if TYPE_CHECKING:
    from bot.service import Service

DIGEST, WEEKLY = "digest", "weekly"  # the events
WEEKLY_HOUR = 8  # UTC
MAX_DELAY = timedelta(seconds=MAX_AGE_S[DIGEST])


async def check_digests(service: Service, store: Store, now: datetime) -> None:
    """Write the digest if one is due and queue it for everyone whose digest is due."""
    due = await asyncio.to_thread(_due, store, now)
    if not due:
        return
    widget, battle, versus = await asyncio.gather(service.widget(), service.battle(), service.ai_vs_market())
    write = once_each(lambda: messages.alerts.digest(widget, battle, versus, now.astimezone(zone())))

    def queue() -> None:
        store.queue(alert(store, person, DIGEST, key, write, now) for person, key in due)

    await asyncio.to_thread(queue)


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


def last_due(hour: int, timezone: str, now: datetime) -> datetime:
    """The last instant, in UTC and not after `now`, at which the clocks in `timezone` reached `hour`.

    Of an hour that occurs twice in a day, the first counts. For an hour that the clocks skip, the instant counts at
    which it would have begun without the change: the clocks then show an hour more.
    """
    place = ZoneInfo(timezone)
    today = now.astimezone(place).date()
    days = (today, today - timedelta(days=1), today - timedelta(days=2))
    instants = (datetime.combine(day, time(hour), place).astimezone(UTC) for day in days)
    return next(instant for instant in instants if instant <= now)


async def check_weekly(service: Service, store: Store, now: datetime) -> None:
    """Write the digest if it is due and queue it for every group that switched it on before."""
    due_at = last_monday(now)
    due = await asyncio.to_thread(_due_groups, store, due_at, now)
    if not due:
        return
    resolutions, versus, battle, challenges = await asyncio.gather(
        service.resolved_markets(), service.ai_vs_market(), service.battle(), service.challenges()
    )
    as_of = datetime.fromisoformat(resolutions["as_of"])  # in a replay the service's clock is another

    write = once_each(partial(messages.alerts.weekly, resolutions, versus, battle, challenges, as_of))

    def queue() -> None:
        store.queue(alert(store, group, WEEKLY, due_at.isoformat(), write, now) for group in due)

    await asyncio.to_thread(queue)


def last_monday(now: datetime) -> datetime:
    """The last Monday at WEEKLY_HOUR that is not after `now`, in UTC."""
    morning = last_due(WEEKLY_HOUR, "UTC", now)
    return morning - timedelta(days=morning.weekday())


def _due_groups(store: Store, due_at: datetime, now: datetime) -> list[Subscriber]:
    """The groups whose digest of this Monday is not queued yet."""
    if now - due_at > timedelta(seconds=MAX_AGE_S[WEEKLY]):
        return []
    groups = [group for group in store.subscribers(WEEKLY) if group.since <= due_at.timestamp()]
    return [group for group in groups if not store.is_marked(group.user_id, WEEKLY, due_at.isoformat())]
