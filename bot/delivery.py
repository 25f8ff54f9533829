"""The one way to Telegram: pages are sent, edited and shown in place of others, presses are answered.

A page with a picture is a photo with a caption. A message stays in the topic it belongs to, and follows a group that
became a supergroup. `rate_limiter.py` waits and tries again below this.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

from telegram import Bot, CallbackQuery, InputMediaPhoto, Message, ReplyParameters, Update
from telegram.constants import ChatAction, ChatType
from telegram.error import BadRequest, ChatMigrated, Forbidden, NetworkError, TelegramError
from telegram.ext import ExtBot

from bot import updates
from bot.keyboards import Page

LOG = logging.getLogger(__name__)
TYPING_S = 4.0  # Telegram shows the typing status for 5 s
SAME_TEXT = "message is not modified"
MESSAGE_ERRORS = ("message to edit not found", "message can't be edited")
CHAT_ERRORS = ("chat not found", "peer_id_invalid")
QUERY_ERRORS = ("query is too old", "query id is invalid")


class Address(NamedTuple):
    """Where a message goes: a chat, a topic in it, and the message it quotes."""

    chat_id: int
    topic: int | None = None
    quoted_id: int | None = None


def address(update: Update) -> Address:
    """The place of a reply: in a group it quotes the message that asked for it."""
    message, chat = updates.message(update), updates.chat(update)
    topic = message.message_thread_id if message.is_topic_message else None
    return Address(chat.id, topic, None if chat.type == ChatType.PRIVATE else message.message_id)


async def send(
    bot: ExtBot, place: Address, page: Page, *, is_silent: bool = False, attempts: int | None = None
) -> Message:
    """Send a page, again in the supergroup that its group became; `attempts` as `rate_limit_args` of the bot."""
    try:
        return await _send(bot, place, page, is_silent, attempts)
    except ChatMigrated as error:
        return await _send(bot, Address(error.new_chat_id), page, is_silent, attempts)


async def _send(bot: ExtBot, place: Address, page: Page, is_silent: bool, attempts: int | None) -> Message:
    chat_id, topic, quoted_id = place
    options = {
        "reply_markup": page.keyboard,
        "reply_parameters": ReplyParameters(quoted_id, allow_sending_without_reply=True) if quoted_id else None,
        "message_thread_id": topic,
        "disable_notification": is_silent,
        "rate_limit_args": attempts,
    }
    if page.picture:
        return await bot.send_photo(chat_id, page.picture, caption=page.text, **options)
    return await bot.send_message(chat_id, page.text, **options)


async def edit(bot: ExtBot, message: tuple[int, int] | str, page: Page) -> None:
    """Change a message in place, by its chat and its number or by its inline id; an edit may change nothing."""
    place = (None, None, message) if isinstance(message, str) else (*message, None)
    try:
        if page.picture:
            media = InputMediaPhoto(page.picture, caption=page.text)
            await bot.edit_message_media(media, *place, reply_markup=page.keyboard)
        else:
            await bot.edit_message_text(page.text, *place, reply_markup=page.keyboard)
    except BadRequest as error:
        if SAME_TEXT not in str(error).lower():
            raise


async def reply(bot: ExtBot, update: Update, page: Page, *, is_silent: bool = False) -> Message:
    """Send a page where the update came from."""
    return await send(bot, address(update), page, is_silent=is_silent)


async def replace(bot: ExtBot, update: Update, page: Page) -> None:
    """Show a page in the message whose button was pressed; if that message is gone, in a new message."""
    try:
        await edit(bot, (updates.chat(update).id, updates.message(update).message_id), page)
    except ChatMigrated as error:
        await send(bot, Address(error.new_chat_id), page)
    except BadRequest as error:
        if not is_gone(error):
            raise
        await reply(bot, update, page)


@dataclass
class Reply:
    """A message of the bot that is sent once and then edited."""

    bot: ExtBot
    place: Address
    message_id: int | None = None

    async def show(self, page: Page) -> None:
        """Send the page, or show it in the message that was sent."""
        if self.message_id is not None:
            await edit(self.bot, (self.place.chat_id, self.message_id), page)
            return
        message = await send(self.bot, self.place, page)
        self.message_id = message.message_id
        self.place = self.place._replace(chat_id=message.chat_id)

    async def deliver(self, page: Page) -> None:
        """Show the page; after a failure once more, as a new message: rather twice than never."""
        try:
            await self.show(page)
        except ChatMigrated as error:
            self.place = Address(error.new_chat_id)
        except BadRequest as error:
            if not is_gone(error):
                raise
        except NetworkError:
            LOG.info("a page is sent as a new message")
        else:
            return
        self.message_id = None
        await self.show(page)


def is_gone(error: BadRequest) -> bool:
    """Whether an edit was refused because the message no longer exists or cannot be changed any more."""
    return any(reason in str(error).lower() for reason in MESSAGE_ERRORS)


def is_unreachable(error: TelegramError) -> bool:
    """Whether the bot is blocked, or the chat or its person is deleted."""
    if isinstance(error, BadRequest):
        return any(reason in str(error).lower() for reason in CHAT_ERRORS)
    return isinstance(error, Forbidden)


async def acknowledge(press: CallbackQuery, text: str | None = None, *, is_alert: bool = False) -> None:
    """End the loading state of a button, with a pop-up if given; an expired press or a failed connection is ignored."""
    try:
        await press.answer(text, show_alert=is_alert)
    except NetworkError as error:
        if isinstance(error, BadRequest) and not any(reason in str(error).lower() for reason in QUERY_ERRORS):
            raise


@asynccontextmanager
async def typing(bot: Bot, chat_id: int) -> AsyncIterator[None]:
    """Show the typing status during the block; Telegram's errors in it are ignored, since it is only a courtesy."""

    async def show() -> None:
        while True:
            await bot.send_chat_action(chat_id, ChatAction.TYPING)
            await asyncio.sleep(TYPING_S)

    task = asyncio.create_task(show())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, TelegramError):
            await task
