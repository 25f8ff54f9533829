"""The bot's main commands in one list: Telegram's menus and the commands of groups are both built from it."""

from __future__ import annotations

from typing import NamedTuple

from telegram import Bot, BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats


class MenuEntry(NamedTuple):
    """A command, its description in Telegram's menu, and whether it works in groups."""

    command: str
    description: str
    in_groups: bool


MENU = (
    MenuEntry("ask", "Ask nine voters a question", True),
    MenuEntry("lanes", "The six paper-trading lanes", True),
    MenuEntry("top", "The best strategies", True),
    MenuEntry("markets", "Open markets; vote yes or no", False),
    MenuEntry("challenge", "Give the AIs a question with a deadline", False),
    MenuEntry("hospital", "The health of all strategies", False),
    MenuEntry("accuracy", "The AI against the market", True),
    MenuEntry("help", "List all commands", True),
)
IN_GROUPS = frozenset(entry.command for entry in MENU if entry.in_groups)


async def publish(bot: Bot) -> None:
    """Set Telegram's command menus: all entries in private chats, those of groups in groups."""
    commands = [BotCommand(entry.command, entry.description) for entry in MENU]
    shared = [command for command in commands if command.command in IN_GROUPS]
    await bot.set_my_commands(commands, BotCommandScopeAllPrivateChats())
    await bot.set_my_commands(shared, BotCommandScopeAllGroupChats())
