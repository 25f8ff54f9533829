"""Every command: what it answers in a private chat, in a group, and to words that make no sense."""

from __future__ import annotations

import re

import pytest
from telegram import BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats

from bot.menu import MENU

EVERY = (  # noqa: SIM905
    "start ask lanes lane top markets challenge challenges hospital strategy accuracy news streaks fund brain alerts "
    "quota cancel privacy deleteme help"
).split()
SHARED = ("ask", "lanes", "top", "accuracy", "help")

ANSWERS = {
    "/start": "I relay questions to the oracle and show paper-trading results",
    "/help": "/quota",
    "/privacy": "What is kept",
    "/cancel": "nothing to cancel",
    "/ask": "Send a question with it",
    "/lanes": "6 lanes",
    "/lanes cex": "4 lanes",
    "/lanes DEX": "2 lanes",
    "/lanes nyse": "no lanes of that kind",
    "/lane trend": "Trend follower",
    "/lane": "Send one of these",
    "/lane nobody": "no such lane",
    "/top": "Best of 54 strategies",
    "/top gold": "Gold",
    "/markets": "open markets",
    "/challenges": "hallenge",
    "/hospital": "Hospital 2026-10",
    "/hospital trend": "trend",
    "/hospital dentist": "no such category",
    "/strategy macd_slow": "MACD, slow",
    "/strategy MACD slow": "MACD, slow",
    "/strategy nothing": "nothing of that name",
    "/accuracy": "The AI against the market",
    "/news": "News",
    "/streaks": "Right in a row",
    "/fund": "1,000",
    "/brain": "ayer",
    "/quota": "10 of 10 questions left today",
    "/alerts": "What I tell you by myself",
    "/deleteme": "This deletes your saved answers, drafts and counters",
    "/challenge": "What should the AIs answer?",
    "/nonsense": "do not know that command",
    "/top tulips": "no such asset",
    "/lanes@ninefold_bot": "6 lanes",
}


@pytest.mark.parametrize(("text", "answer"), ANSWERS.items())
def test_a_command_is_answered_with_one_message(ann, text, answer):
    shown = ann.says(text)
    assert answer in shown.plain
    assert len(ann.messages) == 1


def test_every_command_is_listed_in_the_help_and_answered(ann):
    listed = set(re.findall(r"/([a-z]+)", ann.says("/help").plain))
    assert listed >= set(EVERY) - {"start", "help"}
    for command in EVERY:
        assert "do not know" not in ann.says(f"/{command}").plain


@pytest.mark.parametrize("argument", ["<b>&\"'", "x" * 4000, "🦊" * 900, "-1", "../../etc", "%00"])
def test_no_argument_is_too_strange(ann, argument):
    """It is answered with a message that Telegram takes, whichever command it stands behind."""
    for number, command in enumerate(EVERY, 1):
        ann.says(f"/{command} {argument}")
        assert len(ann.messages) == number


@pytest.mark.parametrize("text", ["/lanes", "/top", "/fund", "/strategy macd_slow", "/hospital", "/lane trend"])
def test_paper_and_a_simulated_market_are_said_where_such_numbers_stand(ann, text):
    shown = ann.says(text)
    assert "PAPER" in shown.text
    assert "SIMULATED" in shown.text
    assert "UTC" in shown.text


@pytest.mark.parametrize("command", SHARED)
def test_a_group_is_answered_what_belongs_to_everybody(stage, group, command):
    somebody = stage.person(group)
    shown = somebody.says(f"/{command}")
    assert "private chat" not in shown.plain
    assert shown.quoted


@pytest.mark.parametrize("command", sorted(set(EVERY) - {*SHARED, "challenge"}))
def test_what_is_private_leads_from_a_group_to_the_private_chat(stage, group, command):
    shown = stage.person(group).says(f"/{command}")
    assert shown.buttons == {"Open our chat": "https://t.me/ninefold_bot"}


def test_a_challenge_in_a_group_is_a_link_that_begins_one(stage, group, ann):
    shown = stage.person(group).says("/challenge Will gold rise?")
    assert shown.buttons == {"Open our chat": "https://t.me/ninefold_bot?start=new"}
    assert "What should the AIs answer?" in ann.says("/start new").plain


def test_a_group_talks_without_the_bot(stage, group):
    somebody = stage.person(group)
    assert somebody.says("Will Bitcoin rise this week?") is None
    assert somebody.says("/nonsense") is None


def test_a_link_that_means_nothing_is_a_start(ann):
    assert "I relay questions" in ann.says("/start whatever_17").plain


def test_a_link_to_no_challenge_is_answered(ann):
    assert "nothing of that name" in ann.says("/start challenge_999999999").plain


def test_what_is_no_text_is_answered_too(ann):
    sticker = {"file_id": "1", "file_unique_id": "1", "type": "regular", "width": 1, "height": 1}
    shown = ann.sends(sticker=sticker | {"is_animated": False, "is_video": False})
    assert "I read text only" in shown.plain


def test_a_command_that_is_edited_is_not_a_second_one(ann):
    message = ann._message({"text": "/help", "entities": [{"type": "bot_command", "offset": 0, "length": 5}]})
    ann.stage.bring({"edited_message": message})
    assert ann.messages == []


def test_the_menu_of_eight_is_set_from_one_list(stage):
    sent = [values for method, values in stage.telegram.calls if method == "setMyCommands"]
    by_scope = {one["scope"]["type"]: [command["command"] for command in one["commands"]] for one in sent}
    assert by_scope[BotCommandScopeAllPrivateChats().type] == [entry.command for entry in MENU]
    assert by_scope[BotCommandScopeAllGroupChats().type] == list(SHARED)
    assert len(MENU) == 8


def test_looking_costs_nobody_a_question(ann):
    """Also where the service counts it: the copies that everybody sees are not read in a person's name."""
    for command in ("/top", "/top btc", "/markets", "/lanes", "/hospital"):
        ann.says(command)
    assert "10 of 10 questions left" in ann.says("/quota").plain


def test_a_bot_that_is_blocked_switches_the_alerts_of_that_chat_off(ann):
    ann.says("/alerts")
    ann.presses("My challenge: on")
    assert "silent" in ann.stage.application.bot_data["rooms"].store.switches(ann.id).values()
    chat, bot = {"id": ann.chat, "type": "private"}, {"id": 99, "is_bot": True, "first_name": "Ninefold"}
    member, banned = {"status": "member", "user": bot}, {"status": "kicked", "user": bot, "until_date": 0}
    change = {"chat": chat, "from": ann._who(), "date": 1, "old_chat_member": member, "new_chat_member": banned}
    ann.stage.bring({"my_chat_member": change})
    assert "silent" not in ann.stage.application.bot_data["rooms"].store.switches(ann.id).values()
