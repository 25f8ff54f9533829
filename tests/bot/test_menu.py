"""Telegram's command menus."""

from __future__ import annotations

from telegram import BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from bot.languages import LANGUAGES, speaking, translate
from bot.menu import IN_GROUPS, MENU


def test_both_menus_are_set_in_every_language(stage):
    """English is the menu of the languages without one."""
    sent = [values for method, values in stage.telegram.calls if method == "setMyCommands"]
    menus = {(menu["scope"]["type"], menu.get("language_code") or "en"): menu["commands"] for menu in sent}
    assert len(sent) == len(menus) == 2 * len(LANGUAGES)
    for language in LANGUAGES:
        with speaking(language):
            entries = [(entry.command, translate(entry.description)) for entry in MENU]
        for scope, shown in (
            (BotCommandScopeAllPrivateChats().type, entries),
            (BotCommandScopeAllGroupChats().type, [entry for entry in entries if entry[0] in IN_GROUPS]),
        ):
            menu = menus[scope, language]
            assert [(command["command"], command["description"]) for command in menu] == shown


def test_groups_have_the_commands_that_all_may_see():
    shared = "ask price forecast lanes top accuracy challenge language settings help"
    assert set(shared.split()) == IN_GROUPS
