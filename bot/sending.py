"""Saying a page, changing one in place, and showing that something is being worked on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress

from telegram import CallbackQuery, Chat, Message, ReplyParameters, Update
from telegram.constants import ChatAction, ChatType
from telegram.error import BadRequest, TelegramError

from bot.keyboards import Page

TYPING_S = 4.0  # Telegram shows it for five
UNCHANGED = "message is not modified"
GONE = ("message to edit not found", "message can't be edited")
LATE = ("query is too old", "query id is invalid")


async def reply(update: Update, page: Page) -> Message:
    """Say a page in the chat, in a group as a reply to the message that asked."""
    chat, asked = update.effective_chat, update.effective_message.message_id
    in_group = chat.type != ChatType.PRIVATE
    quoted = ReplyParameters(asked, allow_sending_without_reply=True) if in_group else None
    return await chat.send_message(page.text, reply_markup=page.keyboard, reply_parameters=quoted)


async def replace(update: Update, page: Page) -> None:
    """Put a page in the place of the message whose button was pressed; where that is gone, below it."""
    try:
        await edit(update.effective_message, page)
    except BadRequest as error:
        if not any(word in str(error).lower() for word in GONE):
            raise
        await reply(update, page)


async def edit(message: Message, page: Page) -> None:
    """Change a message in place; that it says so already is as good."""
    try:
        await message.edit_text(page.text, reply_markup=page.keyboard)
    except BadRequest as error:
        if UNCHANGED not in str(error).lower():
            raise


async def acknowledge(query: CallbackQuery, text: str | None = None, *, is_alert: bool = False) -> None:
    """Let go of a button that was pressed, with a plain text that comes up; one of long ago needs none."""
    try:
        await query.answer(text, show_alert=is_alert)
    except BadRequest as error:
        if not any(word in str(error).lower() for word in LATE):
            raise


@asynccontextmanager
async def beside(courtesy: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Do something without end meanwhile; what Telegram refuses of it is no matter, for it is a courtesy."""
    task = asyncio.create_task(courtesy)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, TelegramError):
            await task


async def type_in(chat: Chat) -> None:
    """Show in the chat that an answer is being written."""
    while True:
        await chat.send_action(ChatAction.TYPING)
        await asyncio.sleep(TYPING_S)
