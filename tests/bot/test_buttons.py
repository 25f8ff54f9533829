"""The buttons of views, charts, votes and deletion, also old and forged ones."""

from __future__ import annotations

import re

import pytest


@pytest.mark.parametrize(
    "command", ["/lanes", "/top", "/accuracy", "/hospital", "/news", "/streaks", "/fund", "/brain"]
)
def test_a_reload_without_news_changes_nothing(ann, command, caplog):
    reply = ann.says(command)
    ann.presses("Reload")
    assert len(ann.messages) == 1
    assert reply.buttons
    assert "editMessageText" in ann.stage.telegram.methods()
    assert "refused" not in caplog.text


def test_a_reload_shows_new_votes(ann, ben):
    """The new vote is another person's."""
    ann.says("/challenge Will Bitcoin be above $70k on 2026-12-31?")
    number = ann.presses("Create").plain.split()[1]
    reply = ben.says(f"/start challenge_{number}")
    ann.presses("Yes")
    assert "no user votes" in reply.plain
    ben.presses("Reload", on=reply)
    assert "users 100% (n = 1)" in reply.plain


def test_a_reload_updates_the_quota(ann):
    reply = ann.says("/quota")
    ann.says("Will Bitcoin be above $60k at the end of the month?")
    ann.presses("Reload", on=reply)
    assert "9 of 10" in reply.plain


def test_a_choice_changes_the_message_in_place(ann):
    reply = ann.says("/price")
    ann.presses("Gold")
    assert "Gold" in reply.plain
    assert "· Gold ·" in reply.buttons
    ann.presses("· Gold ·")
    assert "Gold" in reply.plain


def test_a_vote_counts_for_the_market_of_its_number(ann, service):
    ann.says("/markets")
    ann.presses("▶")
    ann.presses("6. No")
    assert re.fullmatch(
        r"You voted no\. Votes so far: 0 yes, [1-9] no\. You can change yours\.", ann.stage.telegram.popups[-1]
    )
    ann.presses("6. Yes")
    assert ann.stage.telegram.popups[-1].startswith("You voted yes. Votes so far: 1 yes, 0 no")


def test_a_vote_on_a_market_is_shown_at_once(ann, ben):
    """In the list of the person who voted, with the vote, and in the lists of other people."""
    reply, other = ann.says("/markets"), ben.says("/markets")
    first = reply.plain.split("2. ")[0]
    assert "no user votes" in first
    ann.presses("1. Yes")
    assert "users 100% (n = 1), your vote: yes" in reply.plain
    ben.presses("Reload", on=other)
    assert "users 100% (n = 1)" in other.plain
    assert "your vote" not in other.plain


def test_delete_deletes_and_keep_keeps(ann, store):
    ann.says("Will Bitcoin be above $60k at the end of the month?")
    token = ann.newest.buttons["Show votes"].split(":")[2]
    reply = ann.says("/deleteme")
    ann.presses("Keep")
    assert reply.plain == "Nothing was deleted."
    assert store.find(ann.chat, token)
    reply = ann.says("/deleteme")
    ann.presses("Delete")
    assert "Deleted." in reply.plain
    assert store.find(ann.chat, token) is None
    assert "nothing to delete" in ann.presses("Delete", on=ann.says("/deleteme")).plain


OLD_DATA = ("votes:0:gone", "again:question:gone", "answer:question:gone", "yes:market:gone.1", "chart:answer:gone.7d")
FORGED_DATA = ("nonsense", "show:secrets:.0", "chart:news:", "set:hour:24", "set:zone:Mars", "set:secret:1")


@pytest.mark.parametrize("data", OLD_DATA + FORGED_DATA)
def test_an_expired_or_unknown_button_says_so(ann, data):
    ann.sends_data(data, ann.says("/help"))
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]
