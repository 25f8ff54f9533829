"""A digest every day, at an hour and in a timezone of one's own."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot import messages
from bot.alerts.telling import WORTH_S, alert
from bot.store import Store, Subscriber

if TYPE_CHECKING:
    from bot.service import Service

EVENT = "digest"
LATEST = timedelta(seconds=WORTH_S[EVENT])


async def look_at_digests(service: Service, store: Store, now: datetime) -> None:
    """Make the digest when somebody's is due; nobody's is due twice."""
    due = await asyncio.to_thread(_due, store, now)
    if not due:
        return
    widget, battle, versus = await asyncio.gather(service.widget(), service.battle(), service.ai_vs_market())
    text = messages.digest(widget, battle, versus, now)
    await asyncio.to_thread(store.queue, [alert(one, EVENT, key, text, now) for one, key in due])


def _due(store: Store, now: datetime) -> list[tuple[Subscriber, str]]:
    """Whose digest is due and was not made yet, and the instant it was due at, which names it."""
    found = []
    for one in store.subscribers(EVENT):
        at = last_due(one.hour, one.timezone, now)
        key = at.isoformat()
        is_late = now - at > LATEST or at.timestamp() < one.since
        if not is_late and not store.is_marked(one.user_id, EVENT, key):
            found.append((one, key))
    return found


def last_due(hour: int, timezone: str, now: datetime) -> datetime:
    """The last instant, in UTC and not after `now`, at which clocks in `timezone` began to show `hour`.

    An hour that the clocks pass twice counts when it comes first; one that they leave out counts when it would have
    come, an hour later on those clocks.
    """
    zone = ZoneInfo(timezone)
    today = now.astimezone(zone).date()
    days = (today, today - timedelta(days=1), today - timedelta(days=2))
    instants = (datetime.combine(day, time(hour), zone).astimezone(UTC) for day in days)
    return next(instant for instant in instants if instant <= now)
