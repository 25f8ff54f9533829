"""The language of a chat: that of the person's Telegram, or a chosen one."""

from __future__ import annotations

import pytest
from telegram import BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from bot import rate_limiter
from bot.chat_languages import IN_GROUPS, MENU
from bot.languages import LANGUAGES, speaking, translate
from bot.messages.research import TOPICS


def test_replies_follow_the_language_of_telegram(ann):
    ann.language = "de-at"
    assert "Sprache" in ann.says("/language").plain
    assert ann.says("/help").plain.startswith("Fragen")


def test_a_chosen_language_beats_that_of_telegram(ann):
    ann.language = "de"
    ann.presses("Français", on=ann.says("/language"))
    assert "en français" in ann.newest.plain
    assert "langue" in ann.says("/language").plain
    ann.presses("Comme dans Telegram")
    assert "auf Deutsch" in ann.newest.plain


@pytest.mark.parametrize("name", ["de", "de-AT", "Deutsch", "DEUTSCH"])
def test_a_language_can_be_named_with_the_command(ann, name):
    assert "auf Deutsch" in ann.says(f"/language {name}").plain
    assert ann.says("/help").plain.startswith("Fragen")


def test_an_unknown_language_gets_the_choice(ann):
    assert "Deutsch" in ann.says("/language klingon").buttons


def test_the_menu_of_a_chat_follows_the_chosen_language(ann):
    ann.presses("Español", on=ann.says("/language"))
    menu = [values for method, values in ann.stage.telegram.calls if method == "setMyCommands"][-1]
    assert menu["scope"] == {"type": "chat", "chat_id": ann.chat}
    assert "Todos los comandos" in [entry["description"] for entry in menu["commands"]]
    ann.presses("Como en Telegram")
    assert "deleteMyCommands" in ann.stage.telegram.methods()


def test_only_admins_choose_the_language_of_a_group(stage, group):
    member, admin = stage.person(group), stage.person(group)
    stage.telegram.admins.add(admin.id)
    member.language = "it"
    reply = member.says("/language")
    member.presses("Deutsch", on=reply)
    assert "amministratore" in stage.telegram.popups[-1]
    assert "amministratore" in member.says("/language de").plain
    admin.presses("Deutsch", on=reply)
    assert "Sprache" in member.says("/language").plain


@pytest.mark.parametrize("fails", [False, True])
def test_both_menus_are_set_in_every_language(stage, monkeypatch, fails):
    """English is the menu of the languages without one; where Telegram fails, the next run of the job sets them."""
    monkeypatch.setattr(rate_limiter, "PAUSES_S", ())
    if fails:
        stage.telegram.refuse("setMyCommands", "Bad Gateway", 502)
        stage.work("_publish_menus")
        stage.telegram.calls.clear()
    stage.work("_publish_menus")
    assert not stage.application.job_queue.get_jobs_by_name("_publish_menus")
    calls = [values for method, values in stage.telegram.calls if method == "setMyCommands"]
    menus = {(menu["scope"]["type"], menu.get("language_code") or "en"): menu["commands"] for menu in calls}
    assert len(calls) == len(menus) == 2 * len(LANGUAGES)
    for language in LANGUAGES:
        with speaking(language):
            entries = [(command, translate(description)) for command, description, _ in MENU]
        for scope, commands in (
            (BotCommandScopeAllPrivateChats().type, entries),
            (BotCommandScopeAllGroupChats().type, [entry for entry in entries if entry[0] in IN_GROUPS]),
        ):
            menu = menus[scope, language]
            assert [(command["command"], command["description"]) for command in menu] == commands


def test_groups_have_the_commands_that_all_may_see():
    names = "ask price forecast research challenge language settings help"
    assert {*names.split(), *TOPICS} == IN_GROUPS
