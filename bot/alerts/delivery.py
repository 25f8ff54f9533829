"""Delivery of queued alerts: those of a chat in order, those of different chats at the same time."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable

from aiolimiter import AsyncLimiter
from telegram.error import RetryAfter, TelegramError
from telegram.ext import ExtBot

from bot import telemetry
from bot.delivery import Address, is_unreachable, send
from bot.keyboards import Page
from bot.rate_limiter import ONE_ATTEMPT, is_undelivered
from bot.store import Alert, Store

LOG = logging.getLogger(__name__)

ALERTS_PER_SECOND = 25  # Telegram accepts 30 messages a second; the others are left for replies
BURST = 5  # sent at once before that pace begins
CHATS_AT_ONCE = 8


async def send_queue(bot: ExtBot, store: Store, is_running: Callable[[], bool] = lambda: True) -> None:
    """Send the queue while the bot is running; what Telegram certainly did not get waits for a next pass.

    So does what follows it in the same chat and, if Telegram cannot be reached, the rest of the queue.
    """
    of_chat: dict[int, list[Alert]] = defaultdict(list)
    alerts = await asyncio.to_thread(store.waiting)
    telemetry.QUEUE.set(len(alerts))
    for alert in alerts:
        of_chat[alert.chat_id].append(alert)
    places, limiter = asyncio.Semaphore(CHATS_AT_ONCE), AsyncLimiter(BURST, BURST / ALERTS_PER_SECOND)
    outage = asyncio.Event()

    async def send_in_order(alerts: list[Alert]) -> None:
        async with places:
            for alert in alerts:
                if outage.is_set() or not is_running():
                    return
                await limiter.acquire()
                if outage.is_set() or not is_running() or not await _send(bot, store, alert, outage):
                    return

    await asyncio.gather(*map(send_in_order, of_chat.values()))


async def _send(bot: ExtBot, store: Store, alert: Alert, outage: asyncio.Event) -> bool:
    """Whether the chat's next alert can be sent; an error that is not about this chat is an outage."""
    if not await asyncio.to_thread(store.take, alert):
        return True
    try:
        # In a chat that has to wait, an alert waits in the queue.
        await send(bot, Address(alert.chat_id), Page(alert.text), is_silent=alert.silent, attempts=ONE_ATTEMPT)
    except TelegramError as error:
        if is_undelivered(error):
            if not isinstance(error, RetryAfter):
                outage.set()
            await asyncio.to_thread(store.put_back, alert)
            telemetry.ALERTS.labels("put back").inc()
            return False
        if is_unreachable(error):
            await asyncio.to_thread(store.switch_off, alert.chat_id)
        else:
            LOG.error("an alert for %s was lost: %s", alert.event, error)
        telemetry.ALERTS.labels("lost").inc()
    else:
        telemetry.ALERTS.labels("sent").inc()
    await asyncio.to_thread(store.remove, alert)
    return True
