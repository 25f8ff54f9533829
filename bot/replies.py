"""Sending a page, editing one in place, answering a button press, and showing that work is in progress."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from telegram import Bot, CallbackQuery, InputMediaPhoto, Message, ReplyParameters, Update
from telegram.constants import ChatAction, ChatType
from telegram.error import BadRequest, ChatMigrated, NetworkError, TelegramError

from bot import updates
from bot.keyboards import Page

LOG = logging.getLogger(__name__)
TYPING_S = 4.0  # Telegram shows the typing status for 5 s
SAME_TEXT = "message is not modified"
MESSAGE_ERRORS = ("message to edit not found", "message can't be edited")
QUERY_ERRORS = ("query is too old", "query id is invalid")


@dataclass
class Reply:
    """A message of the bot that is sent once and then edited."""

    bot: Bot
    chat_id: int
    quoted_id: int | None
    message_id: int | None = None

    async def show(self, page: Page) -> None:
        """Send the page, or show it in the message that was sent; a group that became a supergroup is followed."""
        try:
            await self._show(page)
        except ChatMigrated as error:
            self.chat_id, self.quoted_id, self.message_id = error.new_chat_id, None, None
            await self._show(page)

    async def _show(self, page: Page) -> None:
        if self.message_id is not None:
            await edit_text(self.bot, (self.chat_id, self.message_id), page)
            return
        quote = ReplyParameters(self.quoted_id, allow_sending_without_reply=True) if self.quoted_id else None
        message = await self.bot.send_message(
            self.chat_id, page.text, reply_markup=page.keyboard, reply_parameters=quote
        )
        self.message_id = message.message_id

    async def deliver(self, page: Page) -> None:
        """Show the page; after a failure once more, as a new message: rather twice than never."""
        try:
            await self.show(page)
        except BadRequest as error:
            if not is_gone(error):
                raise
        except NetworkError:
            LOG.info("a page is sent as a new message")
        else:
            return
        self.message_id = None
        await self.show(page)


async def reply(update: Update, page: Page) -> Message:
    """Send a page to the chat; in a group as a reply to the message that asked for it."""
    message, quote = updates.message(update), None
    if updates.chat(update).type != ChatType.PRIVATE:
        quote = ReplyParameters(message.message_id, allow_sending_without_reply=True)
    return await message.reply_text(page.text, reply_markup=page.keyboard, reply_parameters=quote)


async def replace(update: Update, page: Page) -> None:
    """Show a page in the message whose button was pressed; if that message is gone, in a new message."""
    try:
        await edit_text(update.get_bot(), (updates.chat(update).id, updates.message(update).message_id), page)
    except BadRequest as error:
        if not is_gone(error):
            raise
        await reply(update, page)


async def send_photo(update: Update, picture: bytes, page: Page, *, is_silent: bool = False) -> None:
    """Send a picture with a page as its caption, in the topic of the update."""
    await updates.message(update).reply_photo(
        picture, caption=page.text, reply_markup=page.keyboard, disable_notification=is_silent
    )


async def replace_photo(update: Update, picture: bytes, page: Page) -> None:
    """Show a picture in the message whose button was pressed; if that message is gone, in a new message."""
    chat, message = updates.chat(update), updates.message(update)
    media = InputMediaPhoto(picture, caption=page.text)
    try:
        await update.get_bot().edit_message_media(media, chat.id, message.message_id, reply_markup=page.keyboard)
    except BadRequest as error:
        if is_gone(error):
            await send_photo(update, picture, page)
        elif SAME_TEXT not in str(error).lower():
            raise


def is_gone(error: BadRequest) -> bool:
    """Whether an edit was refused because the message no longer exists or cannot be changed any more."""
    return any(reason in str(error).lower() for reason in MESSAGE_ERRORS)


async def edit_text(bot: Bot, message: tuple[int, int] | str, page: Page) -> None:
    """Change a message in place, by its chat and its number or by its inline id.

    Telegram's refusal of an edit that changes nothing is ignored.
    """
    chat_id, number, inline_id = (None, None, message) if isinstance(message, str) else (*message, None)
    try:
        await bot.edit_message_text(page.text, chat_id, number, inline_id, reply_markup=page.keyboard)
    except BadRequest as error:
        if SAME_TEXT not in str(error).lower():
            raise


async def acknowledge(press: CallbackQuery, text: str | None = None, *, is_alert: bool = False) -> None:
    """End the button's loading state, with a plain text as a pop-up if given.

    An expired press is ignored, and so is a failed connection: what the press asked for is more important.
    """
    try:
        await press.answer(text, show_alert=is_alert)
    except NetworkError as error:
        if isinstance(error, BadRequest) and not any(reason in str(error).lower() for reason in QUERY_ERRORS):
            raise


@asynccontextmanager
async def in_background(task: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run an endless coroutine during the block; Telegram's errors in it are ignored, since it is only a courtesy."""
    background = asyncio.create_task(task)
    try:
        yield
    finally:
        background.cancel()
        with suppress(asyncio.CancelledError, TelegramError):
            await background


async def show_typing(bot: Bot, chat_id: int) -> None:
    """Show the typing status in a chat until cancelled."""
    while True:
        await bot.send_chat_action(chat_id, ChatAction.TYPING)
        await asyncio.sleep(TYPING_S)
