"""Telegram's command menus."""

from __future__ import annotations

from telegram import BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from bot.menu import MENU


def test_both_menus_are_set_from_one_list(stage):
    sent = [values for method, values in stage.telegram.calls if method == "setMyCommands"]
    by_scope = {menu["scope"]["type"]: [command["command"] for command in menu["commands"]] for menu in sent}
    assert by_scope[BotCommandScopeAllPrivateChats().type] == [entry.command for entry in MENU]
    assert by_scope[BotCommandScopeAllGroupChats().type] == ["ask", "lanes", "top", "accuracy", "help"]
