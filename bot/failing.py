"""What becomes of an error: one sentence to the person, the rest to the log. No handler has a `try`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from telegram import Message, Update
from telegram.error import BadRequest, Forbidden, NetworkError, TelegramError

from bot import messages
from bot.context import Context
from bot.keyboards import Page
from bot.messages import notices
from bot.sending import acknowledge, edit
from service.client import ClientError

LOG = logging.getLogger(__name__)


async def handle(update: object, context: Context) -> None:
    """The error handler of the application."""
    error = context.error
    if isinstance(error, ClientError):
        LOG.info("the service refused: %s", error)
    elif isinstance(error, TelegramError):
        LOG.warning("Telegram refused: %s", error)
    else:
        LOG.error("a handler failed", exc_info=error)
    if isinstance(update, Update) and update.effective_chat:
        await _tell(update, context, error)


@asynccontextmanager
async def told_in(message: Message) -> AsyncIterator[None]:
    """What the service refuses within is said in place of `message`, which promised an answer."""
    try:
        yield
    except ClientError as error:
        LOG.info("the service refused: %s", error)
        await edit(message, Page(messages.failure(error)))
    except TelegramError:
        raise
    except Exception:
        LOG.exception("an answer failed")
        await edit(message, Page(notices.fault()))


async def _tell(update: Update, context: Context, error: Exception) -> None:
    if isinstance(error, Forbidden):
        await asyncio.to_thread(context.store.switch_off, update.effective_chat.id)
        return
    if isinstance(error, NetworkError) and not isinstance(error, BadRequest):
        return  # Telegram does not hear: nothing can be said now
    if update.callback_query:
        await acknowledge(update.callback_query)
    text = messages.failure(error) if isinstance(error, ClientError) else notices.fault()
    await update.effective_chat.send_message(text)
