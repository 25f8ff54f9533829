"""Alert: the digest of a group, on Mondays."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from bot import messages
from bot.alerts.digests import last_due
from bot.alerts.subscriptions import MAX_AGE_S, alerts
from bot.store import Store, Subscriber

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "weekly"
HOUR = 8  # UTC
MAX_DELAY = timedelta(seconds=MAX_AGE_S[EVENT])


async def check_weekly(service: Service, store: Store, now: datetime) -> None:
    """Write the digest if it is due and queue it for every group that switched it on before."""
    due_at = last_monday(now)
    due = await asyncio.to_thread(_due, store, due_at, now)
    if not due:
        return
    resolved, versus, battle, challenges = await asyncio.gather(
        service.resolved_markets(), service.ai_vs_market(), service.battle(), service.challenges()
    )
    as_of = datetime.fromisoformat(resolved["as_of"])  # in a replay the service's clock is another

    def queue() -> None:
        write = partial(messages.weekly, resolved, versus, battle, challenges, as_of)
        store.queue(alerts(store, due, EVENT, due_at.isoformat(), write, now))

    await asyncio.to_thread(queue)


def last_monday(now: datetime) -> datetime:
    """The last Monday at HOUR that is not after `now`, in UTC."""
    morning = last_due(HOUR, "UTC", now)
    return morning - timedelta(days=morning.weekday())


def _due(store: Store, due_at: datetime, now: datetime) -> list[Subscriber]:
    """The groups whose digest of this Monday is not queued yet."""
    if now - due_at > MAX_DELAY:
        return []
    groups = [group for group in store.subscribers(EVENT) if group.since <= due_at.timestamp()]
    return [group for group in groups if not store.is_marked(group.user_id, EVENT, due_at.isoformat())]
