"""The commands, in one list: Telegram's menus are set from it, and groups answer those that it marks."""

from __future__ import annotations

from typing import NamedTuple

from telegram import Bot, BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats


class Entry(NamedTuple):
    """A command as the menu shows it."""

    command: str
    description: str
    in_groups: bool


MENU = (
    Entry("ask", "Ask nine voters a question", True),
    Entry("lanes", "The six lanes of paper trading", True),
    Entry("top", "The best strategies", True),
    Entry("markets", "Open markets, with your yes or no", False),
    Entry("challenge", "Put a question with a date to the AIs", False),
    Entry("hospital", "The health of all strategies", False),
    Entry("accuracy", "The AI against the market", True),
    Entry("help", "Every command", True),
)
IN_GROUPS = frozenset(entry.command for entry in MENU if entry.in_groups)


async def publish(bot: Bot) -> None:
    """Tell Telegram what to show in private chats and in groups."""
    everything = [BotCommand(entry.command, entry.description) for entry in MENU]
    shared = [command for command in everything if command.command in IN_GROUPS]
    await bot.set_my_commands(everything, BotCommandScopeAllPrivateChats())
    await bot.set_my_commands(shared, BotCommandScopeAllGroupChats())
