"""The bot's main commands in one list: Telegram's menus and the commands of groups are both built from it.

Telegram shows each person the menu of their Telegram's language, or that of the language chosen for the chat.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from telegram import (
    Bot,
    BotCommand,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
    Chat,
)
from telegram.constants import ChatType

from bot.languages import LANGUAGES, SOURCE, english, speaking, translate


class MenuEntry(NamedTuple):
    """A command, its description in Telegram's menu, and whether it works in groups."""

    command: str
    description: str
    in_groups: bool


MENU = (
    MenuEntry("ask", english("Ask nine voters a question"), True),
    MenuEntry("price", english("Prices, such as /price btc"), True),
    MenuEntry("forecast", english("Where a price will be, such as /forecast btc"), True),
    MenuEntry("lanes", english("The six paper-trading lanes"), True),
    MenuEntry("top", english("The best strategies"), True),
    MenuEntry("markets", english("Open markets; vote yes or no"), False),
    MenuEntry("me", english("Your votes, forecasts and questions"), False),
    MenuEntry("challenge", english("Give the AIs a question with a deadline"), True),
    MenuEntry("hospital", english("The health of all strategies"), False),
    MenuEntry("accuracy", english("The AI against the market"), True),
    MenuEntry("language", english("Choose the language"), True),
    MenuEntry("settings", english("Settings of this chat"), True),
    MenuEntry("help", english("List all commands"), True),
)
IN_GROUPS = frozenset(entry.command for entry in MENU if entry.in_groups)


async def publish(bot: Bot) -> None:
    """Set Telegram's command menus in every language: all entries in private chats, those of groups in groups."""
    await asyncio.gather(*(_publish(bot, language) for language in LANGUAGES))


async def publish_for_chat(bot: Bot, chat: Chat, language: str | None) -> None:
    """Set the menu of one chat in its language; None removes it, so that the menu follows Telegram's language again."""
    scope = BotCommandScopeChat(chat.id)
    if language is None:
        await bot.delete_my_commands(scope)
        return
    with speaking(language):
        await bot.set_my_commands(_commands(in_group=chat.type != ChatType.PRIVATE), scope)


async def _publish(bot: Bot, language: str) -> None:
    code = None if language == SOURCE else language  # the menu without a code is that of all other languages
    with speaking(language):
        await bot.set_my_commands(_commands(), BotCommandScopeAllPrivateChats(), code)
        await bot.set_my_commands(_commands(in_group=True), BotCommandScopeAllGroupChats(), code)


def _commands(*, in_group: bool = False) -> list[BotCommand]:
    """The menu in the current language."""
    shown = [entry for entry in MENU if entry.in_groups or not in_group]
    return [BotCommand(entry.command, translate(entry.description)) for entry in shown]
