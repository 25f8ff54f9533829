"""Error handling for all handlers: the person reads one sentence, the details go to the log."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

from telegram import Update
from telegram.error import BadRequest, Conflict, NetworkError, RetryAfter, TelegramError

from bot import messages, telemetry
from bot.context import BotContext
from bot.delivery import Address, acknowledge, address, is_unreachable, send
from bot.keyboards import Page
from bot.languages import translate
from bot.messages import notices
from service.client import ClientError

LOG = logging.getLogger(__name__)
CONFLICT_END = timedelta(minutes=10)  # without a conflict; the next one is logged again


async def handle(update: object, context: BotContext) -> None:
    """The application's error handler."""
    error = context.error or RuntimeError("an unknown error")
    if isinstance(error, Conflict):
        # Another program receives this bot's updates: one line in the log until it has ended. The library tries again
        # after 1 to 30 seconds. Telegram keeps the updates for a day.
        now, last = context.state.now(), context.bot_data.get("conflict_at")
        context.bot_data["conflict_at"] = now
        if last is None or now - last > CONFLICT_END:
            LOG.error("another program receives this bot's updates; this one goes on when it ends. Telegram: %s", error)
        return
    page = failure_page(error)
    if not isinstance(update, Update) or update.effective_chat is None:
        return
    if isinstance(error, TelegramError) and is_unreachable(error):
        await asyncio.to_thread(context.store.switch_off, update.effective_chat.id)
        return
    if isinstance(error, RetryAfter) or (isinstance(error, NetworkError) and not isinstance(error, BadRequest)):
        return  # Telegram takes no message for this chat now
    if update.callback_query:
        await acknowledge(update.callback_query)
    place = address(update) if update.effective_message else Address(update.effective_chat.id)
    try:
        await send(context.bot, place, page)
    except TelegramError as failure:
        LOG.warning("the report of an error was not delivered: %s", failure)


def failure_page(error: Exception) -> Page:
    """What the person reads instead of an answer; the error is counted and logged."""
    telemetry.FAILURES.labels(type(error).__name__).inc()
    if isinstance(error, ClientError):
        LOG.info("the service refused: %s", error)
        return Page(messages.failures.failure(error))
    if isinstance(error, TelegramError):
        LOG.warning("Telegram refused: %s", error)
    else:
        LOG.error("a handler failed", exc_info=error)
    return Page(translate(notices.INTERNAL_ERROR))
