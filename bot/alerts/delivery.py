"""Delivery of queued alerts: each is removed from the queue, then sent."""

from __future__ import annotations

import asyncio
import logging

import httpx
from telegram import Bot
from telegram.constants import ParseMode
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError, TimedOut

from bot.store import Alert, Store

LOG = logging.getLogger(__name__)

NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
CHAT_GONE = ("chat not found", "peer_id_invalid")


async def send_queue(bot: Bot, store: Store) -> None:
    """Send the queue; an alert that certainly did not reach Telegram, and all after it, waits for the next pass."""
    for alert in await asyncio.to_thread(store.waiting):
        if not await asyncio.to_thread(store.take, alert):
            continue
        try:
            await _send(bot, alert)
        except TelegramError as error:
            if _is_undelivered(error):
                await asyncio.to_thread(store.put_back, alert)
                return
            await asyncio.to_thread(_give_up, store, alert, error)


async def _send(bot: Bot, alert: Alert) -> None:
    await bot.send_message(alert.chat_id, alert.text, parse_mode=ParseMode.HTML, disable_notification=alert.silent)


def _give_up(store: Store, alert: Alert, error: TelegramError) -> None:
    """Log the lost alert; if the chat is gone, switch off all alerts to it."""
    if _is_unreachable(error):
        store.switch_off(alert.chat_id)
        return
    LOG.error("an alert for %s was lost: %s", alert.event, error)


def _is_unreachable(error: TelegramError) -> bool:
    """Whether the bot is blocked, or the chat or its person is deleted."""
    if isinstance(error, BadRequest):
        return any(reason in str(error).lower() for reason in CHAT_GONE)
    return isinstance(error, Forbidden)


def _is_undelivered(error: TelegramError) -> bool:
    """Whether Telegram refused temporarily or was not reached; after a later failure the alert may have arrived."""
    if isinstance(error, RetryAfter):
        return True
    if not isinstance(error, NetworkError) or isinstance(error, BadRequest):
        return False
    if isinstance(error.__cause__, NOT_CONNECTED):
        return True
    return error.__cause__ is None and not isinstance(error, TimedOut)
