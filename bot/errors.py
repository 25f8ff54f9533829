"""Error handling for all handlers: the person reads one sentence, the details go to the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from telegram import Chat, Message, Update
from telegram.error import BadRequest, Forbidden, NetworkError, TelegramError

from bot import messages
from bot.context import BotContext
from bot.keyboards import Page
from bot.messages import notices
from bot.replies import acknowledge, edit
from service.client import ClientError

LOG = logging.getLogger(__name__)


async def handle(update: object, context: BotContext) -> None:
    """The application's error handler."""
    error = context.error
    if isinstance(error, ClientError):
        LOG.info("the service refused: %s", error)
    elif isinstance(error, TelegramError):
        LOG.warning("Telegram refused: %s", error)
    else:
        LOG.error("a handler failed", exc_info=error)
    if isinstance(update, Update) and update.effective_chat:
        await _report(update, update.effective_chat, context)


@asynccontextmanager
async def reported_in(message: Message) -> AsyncIterator[None]:
    """Show an error of the block in place of `message`, which announced an answer."""
    try:
        yield
    except ClientError as error:
        LOG.info("the service refused: %s", error)
        await edit(message, Page(messages.failure(error)))
    except TelegramError:
        raise
    except Exception:
        LOG.exception("an answer failed")
        await edit(message, Page(notices.internal_error()))


async def _report(update: Update, chat: Chat, context: BotContext) -> None:
    error = context.error
    if isinstance(error, Forbidden):
        await asyncio.to_thread(context.store.switch_off, chat.id)
        return
    if isinstance(error, NetworkError) and not isinstance(error, BadRequest):
        return  # Telegram is not reachable, so no message can be sent
    if update.callback_query:
        await acknowledge(update.callback_query)
    text = messages.failure(error) if isinstance(error, ClientError) else notices.internal_error()
    await chat.send_message(text)
