"""Handlers of the settings of a chat, its person or its group, and the command menus that Telegram shows in it."""

from __future__ import annotations

import asyncio

import telegram
from telegram import Bot, Chat, Update
from telegram.constants import ChatType

from bot import keyboards, updates
from bot.context import BotContext, Expired
from bot.keyboards import CHOICES, ZONES, Page, Popup
from bot.languages import LANGUAGES, SOURCE, closest, english, speak, speaking, translate
from bot.messages import notices
from bot.messages.research import TOPICS
from bot.store import EVENTS, GROUP_EVENTS, Store, timezones


async def recognize(update: Update, context: BotContext) -> None:
    """Before every other handler: reply in the language of the chat, else in that of the sender."""
    user, chat = update.effective_user, update.effective_chat
    if user is None:
        speak(chat and await asyncio.to_thread(context.store.language, chat.id))
        return
    place, preference = chat.id if chat else user.id, closest(user.language_code)
    zone = await asyncio.to_thread(context.store.zone, place)
    if preference:
        await asyncio.to_thread(context.store.set_setting, user.id, "seen", preference)
    speak(await asyncio.to_thread(context.store.language, place, user.id), zone)


async def choose_by_text(update: Update, context: BotContext) -> Page:
    """/language, alone or with a language: its code, such as de, or its own name."""
    codes = {name.casefold(): code for code, name in LANGUAGES.items()}
    chosen = codes.get(context.argument.casefold()) or closest(context.argument)
    if chosen is None:
        return Page(translate(notices.CHOOSE_LANGUAGE), keyboards.choices("language"))
    if not await updates.is_admin(update):
        return Page(translate(notices.ADMINS_ONLY))
    await asyncio.to_thread(context.store.set_setting, updates.chat(update).id, "language", chosen)
    await recognize(update, context)
    return await _language_chosen(update, context, chosen)


async def _language_chosen(update: Update, context: BotContext, chosen: str | None) -> Page:
    """What is said once a language is chosen, which Telegram's menu of the chat has from now on too."""
    await publish_for_chat(context.bot, updates.chat(update), chosen)
    return Page(translate(notices.LANGUAGE_CHOSEN), keyboards.choices("language"))


# A command, its description in Telegram's menu, and whether it works in groups.
MENU = (
    ("ask", english("Ask nine voters a question"), True),
    ("price", english("Prices, such as /price btc"), True),
    ("forecast", english("Where a price will be, such as /forecast btc"), True),
    ("research", english("Paper accounts, strategies, track record, news"), True),
    ("markets", english("Open markets; vote yes or no"), False),
    ("mine", english("Your questions, votes and forecasts"), False),
    ("challenge", english("Give the AIs a question with a deadline"), True),
    ("language", english("Choose the language"), True),
    ("settings", english("Settings of this chat"), True),
    ("help", english("List all commands"), True),
)
IN_GROUPS = frozenset(command for command, _, in_groups in MENU if in_groups) | TOPICS.keys()


async def publish(bot: Bot) -> None:
    """Set Telegram's command menus in every language: all entries in private chats, those of groups in groups."""
    for language in LANGUAGES:
        code = None if language == SOURCE else language  # the menu without a code is that of all other languages
        with speaking(language):
            await bot.set_my_commands(_commands(), telegram.BotCommandScopeAllPrivateChats(), code)
            await bot.set_my_commands(_commands(in_group=True), telegram.BotCommandScopeAllGroupChats(), code)


async def publish_for_chat(bot: Bot, chat: Chat, language: str | None) -> None:
    """Set the menu of one chat in its language; None removes it, so that the menu follows Telegram's language again."""
    scope = telegram.BotCommandScopeChat(chat.id)
    if language is None:
        await bot.delete_my_commands(scope)
        return
    with speaking(language):
        await bot.set_my_commands(_commands(in_group=chat.type != ChatType.PRIVATE), scope)


def _commands(*, in_group: bool = False) -> list[telegram.BotCommand]:
    """The menu in the current language."""
    entries = [entry[:2] for entry in MENU if entry[2] or not in_group]
    return [telegram.BotCommand(command, translate(description)) for command, description in entries]


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
        await recognize(update, context)
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
    await recognize(update, context)
    if name == "language":
        return await _language_chosen(update, context, value or None)
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
