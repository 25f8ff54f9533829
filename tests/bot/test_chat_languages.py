"""The language of a chat: that of the person's Telegram, or a chosen one."""

from __future__ import annotations

import pytest


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


@pytest.mark.parametrize("named", ["de", "de-AT", "Deutsch", "DEUTSCH"])
def test_a_language_can_be_named_with_the_command(ann, named):
    assert "auf Deutsch" in ann.says(f"/language {named}").plain
    assert ann.says("/help").plain.startswith("Fragen")


def test_an_unknown_language_gets_the_choice(ann):
    assert "Deutsch" in ann.says("/language klingon").buttons


def test_the_menu_of_a_chat_follows_the_chosen_language(ann):
    ann.presses("Español", on=ann.says("/language"))
    method, menu = ann.stage.telegram.calls[-1]
    assert (method, menu["scope"]) == ("setMyCommands", {"type": "chat", "chat_id": ann.chat})
    assert "Todos los comandos" in [entry["description"] for entry in menu["commands"]]
    ann.presses("Como en Telegram")
    assert ann.stage.telegram.calls[-1][0] == "deleteMyCommands"


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


def test_deleted_data_includes_the_chosen_language(ann, store):
    ann.presses("Deutsch", on=ann.says("/language"))
    store.forget(ann.id)
    assert store.language(ann.chat) is None
