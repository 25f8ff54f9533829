"""Error handling for all handlers: the person reads one sentence, the details go to the log."""

from __future__ import annotations

import asyncio
import logging

from telegram import Chat, Update
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError

from bot import messages, telemetry
from bot.context import BotContext
from bot.delivery import Address, acknowledge, address, is_unreachable, send
from bot.keyboards import Page
from bot.messages import notices
from service.client import ClientError

LOG = logging.getLogger(__name__)


async def handle(update: object, context: BotContext) -> None:
    """The application's error handler."""
    error = context.error
    telemetry.FAILURES.labels(type(error).__name__).inc()
    if isinstance(error, ClientError):
        LOG.info("the service refused: %s", error)
    elif isinstance(error, TelegramError):
        LOG.warning("Telegram refused: %s", error)
    else:
        LOG.error("a handler failed", exc_info=error)
    if isinstance(update, Update) and update.effective_chat:
        await _report(update, update.effective_chat, context)


def failure_page(error: Exception) -> Page:
    """What the person reads instead of an answer; the error is counted and logged."""
    telemetry.FAILURES.labels(type(error).__name__).inc()
    if isinstance(error, ClientError):
        LOG.info("the service refused: %s", error)
        return Page(messages.failures.failure(error))
    LOG.error("an answer failed", exc_info=error)
    return Page(notices.internal_error())


async def _report(update: Update, chat: Chat, context: BotContext) -> None:
    error = context.error
    if isinstance(error, TelegramError) and is_unreachable(error):
        await asyncio.to_thread(context.store.switch_off, chat.id)
        return
    if isinstance(error, RetryAfter) or (isinstance(error, NetworkError) and not isinstance(error, BadRequest)):
        return  # Telegram takes no message for this chat now
    if update.callback_query:
        await acknowledge(update.callback_query)
    text = messages.failures.failure(error) if isinstance(error, ClientError) else notices.internal_error()
    try:
        await send(context.bot, address(update) if update.effective_message else Address(chat.id), Page(text))
    except TelegramError as failure:
        LOG.warning("the report of an error was not delivered: %s", failure)
