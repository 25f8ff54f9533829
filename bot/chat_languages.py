"""The language of a chat: recognized from the person's Telegram, or chosen with /language."""

from __future__ import annotations

import asyncio

from telegram import Update

from bot import menu, settings_keyboards, updates
from bot.context import BotContext
from bot.groups import is_admin
from bot.keyboards import Page
from bot.languages import LANGUAGES, closest, speak
from bot.messages import notices
from bot.replies import acknowledge, replace, reply
from bot.store import Store


async def recognize(update: Update, context: BotContext) -> None:
    """Before every other handler: reply in the language of the chat, else in that of the sender."""
    user, chat = update.effective_user, update.effective_chat
    if user is None:
        speak(chat and await asyncio.to_thread(context.store.language, chat.id))
        return
    seen = closest(user.language_code)
    speak(await asyncio.to_thread(_language, context.store, user.id, chat.id if chat else user.id, seen))


async def choose_by_text(update: Update, context: BotContext) -> None:
    """/language, alone or with a language: its code, such as de, or its own name."""
    named = {name.casefold(): code for code, name in LANGUAGES.items()}
    chosen = named.get(context.argument.casefold()) or closest(context.argument)
    if chosen is None:
        await reply(update, Page(notices.choose_language(), settings_keyboards.languages()))
        return
    if not await is_admin(update):
        await reply(update, Page(notices.admins_only()))
        return
    await _set_language(update, context, chosen)
    await reply(update, Page(notices.language_chosen(), settings_keyboards.languages()))
    await menu.publish_for_chat(context.bot, updates.chat(update), chosen)


async def choose(update: Update, context: BotContext) -> None:
    """A language, or the one of the person's Telegram; in a group only its admins choose."""
    chat = updates.chat(update)
    if not await is_admin(update):
        await acknowledge(updates.press(update), notices.admins_only(), is_alert=True)
        return
    chosen = context.captures[0] or None
    await _set_language(update, context, chosen)
    await acknowledge(updates.press(update))
    await replace(update, Page(notices.language_chosen(), settings_keyboards.languages()))
    await menu.publish_for_chat(context.bot, chat, chosen)


async def _set_language(update: Update, context: BotContext, chosen: str | None) -> None:
    await asyncio.to_thread(context.store.choose_language, updates.chat(update).id, chosen)
    await recognize(update, context)


def _language(store: Store, user: int, chat: int, seen: str | None) -> str | None:
    """The language chosen for the chat, else that of the person, whose Telegram is set to `seen` now."""
    if seen:
        store.note_language(user, seen)
    return store.language(chat, user)
