"""Every command, in a private chat and in a group, also with arguments that make no sense."""

from __future__ import annotations

import re

import pytest

from bot.messages.research import TOPICS
from service.trading.strategies import STRATEGIES

COMMANDS = (  # noqa: SIM905
    "start ask research lanes top markets challenge challenges hospital accuracy news streaks fund brain alerts mine "
    "forecasters quota privacy deleteme help price language stop"
).split()

GROUP_COMMANDS = ("ask", "price", "language", "help", "research", *TOPICS)

ANSWERS = {
    "/start whatever_17": "I say how likely something is",
    "/start challenge_999999999": "Nothing has that name",
    "/start": "Nothing here trades, and nothing is investment advice.",
    "/help": "/quota",
    "/privacy": "Stored data",
    "/ask": "Add a question",
    "/research": "Check of strategies 2026-10",
    "/lanes": "A paper account follows one rule",
    "/top": f"Best of {len(STRATEGIES)} strategies",
    "/price": "Silver",
    "/price btc": "Bitcoin 53,212 USD",
    "/price tulips": "Unknown asset",
    "/markets": "open markets",
    "/challenges": "hallenge",
    "/hospital": "Check of strategies 2026-10",
    "/accuracy": "answers were made later",
    "/news": "news score",
    "/streaks": "Right in a row",
    "/fund": "half in Bitcoin",
    "/brain": "Apex, Bitcoin in 24 hours",
    "/quota": "10 of 10 questions left today",
    "/alerts": "Your alerts",
    "/stop": "no more alerts",
    "/deleteme": "This deletes all that this bot has of you",
    "/challenge": "/challenge Will",
    "/nonsense": "do not know this command",
    "/lanes@ninefold_bot": "Paper accounts",
}


@pytest.mark.parametrize(("text", "answer"), ANSWERS.items())
def test_a_command_is_answered_with_one_message(ann, text, answer):
    """It is free: documents that the service counts are read in the bot's name."""
    reply = ann.says(text)
    assert answer in reply.plain
    assert len(ann.messages) == 1
    assert ann.questions_left() == 10


def test_the_first_screen_has_buttons(ann):
    """Prices, markets, research and challenges are one tap away; a page takes the place of the first screen."""
    reply = ann.says("/start")
    assert list(reply.buttons) == ["Prices", "Markets", "Research", "Challenges", "Language"]
    ann.presses("Research")
    assert "Paper accounts" in reply.plain


def test_help_lists_every_command(ann):
    names = set(re.findall(r"/([a-z]+)", ann.says("/help").plain))
    assert names >= set(COMMANDS) - {"start", "help"}


@pytest.mark.parametrize("argument", ["<b>&\"'", "x" * 4000, "🦊" * 900, "-1", "../../etc", "%00"])
def test_every_argument_gets_an_answer(ann, argument):
    """Every command answers it with a message that Telegram accepts."""
    for number, command in enumerate(COMMANDS, 1):
        ann.says(f"/{command} {argument}")
        assert len(ann.messages) == number


@pytest.mark.parametrize("command", GROUP_COMMANDS)
def test_shared_commands_work_in_groups(stage, group, command):
    reply = stage.person(group).says(f"/{command}")
    assert "private chat" not in reply.plain
    assert reply.quoted


@pytest.mark.parametrize("command", sorted({*COMMANDS, "me"} - {*GROUP_COMMANDS, "challenge"}))
def test_private_commands_in_a_group_link_to_the_chat(stage, group, ann, command):
    """The link of a challenge starts it there."""
    member = stage.person(group)
    assert member.says(f"/{command}").buttons == {"Open our chat": "https://t.me/ninefold_bot"}
    link = {"Open our chat": "https://t.me/ninefold_bot?start=new"}
    assert member.says("/challenge Will gold rise?").buttons == link
    assert "/challenge Will" in ann.says("/start new").plain


def test_texts_in_a_group_are_not_questions(stage, group):
    """Nor is what another bot writes."""
    member = stage.person(group)
    assert member.says("Will Bitcoin rise this week?") is None
    assert member.says("/nonsense") is None
    robot = {"id": 77, "is_bot": True, "first_name": "Another bot"}
    assert member.says("@ninefold_bot Will Bitcoin rise this week?", **{"from": robot}) is None


def test_a_sticker_is_answered_as_no_text(ann):
    sticker = {"file_id": "1", "file_unique_id": "1", "type": "regular", "width": 1, "height": 1}
    reply = ann.sends(sticker=sticker | {"is_animated": False, "is_video": False})
    assert "I can read only text" in reply.plain


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("edited_message", {"text": "/help", "entities": [{"type": "bot_command", "offset": 0, "length": 5}]}),
        ("business_message", {"text": "btc", "business_connection_id": "b1"}),
    ],
)
def test_what_is_no_new_message_is_not_answered(ann, kind, content):
    """A command that was edited, and what another account writes in the name of a person."""
    ann.stage.deliver({kind: ann.message(content)})
    assert ann.messages == []
