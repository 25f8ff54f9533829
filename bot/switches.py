"""Handlers of the settings of a person or a group: /settings, /alerts, /stop, and the buttons of every choice."""

from __future__ import annotations

import asyncio

from telegram import Update

from bot import chat_languages, updates
from bot.context import BotContext, Expired
from bot.keyboards import CHOICES, ZONES, Page, Popup
from bot.languages import translate
from bot.messages import notices
from bot.store import EVENTS, GROUP_EVENTS, Store, timezones


async def group_settings(update: Update, context: BotContext) -> Page:
    """/settings in a group."""
    is_allowed = await updates.is_admin(update)
    return await context.view(update, "settings") if is_allowed else Page(translate(notices.ADMINS_ONLY))


async def alerts(update: Update, context: BotContext) -> Page:
    """/alerts, alone or with the name of a time zone."""
    text = "_".join(context.argument.split())
    zone = next((name for name in ZONES if name.lower() == text.lower()), text)
    if zone and zone not in timezones():
        return Page(notices.unknown_zone(text))
    if zone:
        await asyncio.to_thread(context.store.set_setting, updates.user_id(update), "zone", zone)
        await chat_languages.recognize(update, context)
    return await context.view(update, "alerts")


async def stop(update: Update, context: BotContext) -> Page:
    """/stop: no alerts any more, nor those of the queue."""
    chat, user = updates.sender(update)
    await asyncio.to_thread(context.store.stop_alerts, user, chat)
    return Page(translate(notices.END_OF_ALERTS))


async def choose(update: Update, context: BotContext) -> Page | Popup:
    """One of the values of a setting; in a group only its admins choose."""
    name, value = context.captures
    choice = CHOICES.get(name)
    if choice is None or value not in choice.values:
        raise Expired(name)
    if not await updates.is_admin(update):
        return Popup(translate(notices.ADMINS_ONLY))
    await asyncio.to_thread(_keep, context.store, *updates.sender(update), name, value)
    await chat_languages.recognize(update, context)
    if name == "language":
        return await chat_languages.page(update, context, value or None)
    return await context.view(update, choice.view)


def _keep(store: Store, chat: int, user: int, name: str, value: str) -> None:
    if name in GROUP_EVENTS:
        store.set_switch(chat, chat, name, value)
    elif name in EVENTS:
        store.set_switch(user, chat, name, value)
    elif name == "hour":
        store.set_digest_hour(user, chat, value)
    else:
        store.set_setting(chat if name == "language" else user, name, value or None)


async def group_moved(update: Update, context: BotContext) -> None:
    """The group became a supergroup, which has another number."""
    new_id = updates.message(update).migrate_to_chat_id
    if new_id is not None:
        await asyncio.to_thread(context.store.move_group, updates.chat(update).id, new_id)
