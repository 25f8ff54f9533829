"""Delivery of queued alerts: those of a chat in order, those of different chats at the same time."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable

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
    chats = iter(of_chat.values())
    delivery = Delivery(bot, store, is_running)
    await asyncio.gather(*(delivery.send_all(chats) for _ in range(min(CHATS_AT_ONCE, len(of_chat)))))


class Delivery:
    """One pass over the queue."""

    def __init__(self, bot: ExtBot, store: Store, is_running: Callable[[], bool]) -> None:
        self._bot, self._store, self._is_running = bot, store, is_running
        self._limiter = AsyncLimiter(BURST, BURST / ALERTS_PER_SECOND)
        self._is_telegram_down = False

    async def send_all(self, chats: Iterable[list[Alert]]) -> None:
        """Send the alerts of the next chat, until no chat is left; several tasks share the iterator."""
        for alerts in chats:
            if self._is_over:
                return
            await self._send_in_order(alerts)

    @property
    def _is_over(self) -> bool:
        """Whether the rest of the queue waits for a next pass."""
        return self._is_telegram_down or not self._is_running()

    async def _send_in_order(self, alerts: list[Alert]) -> None:
        for alert in alerts:
            await self._limiter.acquire()
            if self._is_over or not await self._send(alert):
                return

    async def _send(self, alert: Alert) -> bool:
        """Whether the chat's next alert can be sent."""
        if not await asyncio.to_thread(self._store.take, alert):
            return True
        try:
            # In a chat that has to wait, an alert waits in the queue.
            place, page = Address(alert.chat_id), Page(alert.text)
            await send(self._bot, place, page, is_silent=alert.silent, attempts=ONE_ATTEMPT)
        except TelegramError as error:
            if is_undelivered(error):
                self._is_telegram_down |= not isinstance(error, RetryAfter)
                await asyncio.to_thread(self._store.put_back, alert)
                telemetry.ALERTS.labels("put back").inc()
                return False
            await asyncio.to_thread(_give_up, self._store, alert, error)
            telemetry.ALERTS.labels("lost").inc()
        else:
            telemetry.ALERTS.labels("sent").inc()
        await asyncio.to_thread(self._store.remove, alert)
        return True


def _give_up(store: Store, alert: Alert, error: TelegramError) -> None:
    """Log the lost alert; if the chat is gone, switch off all alerts to it."""
    if is_unreachable(error):
        store.switch_off(alert.chat_id)
        return
    LOG.error("an alert for %s was lost: %s", alert.event, error)
