"""A challenge in a group: one message that shows the votes as they come in."""

from __future__ import annotations

import re

import pytest

from bot import live_challenges
from tests.bot.conftest import Person, Stage

FLOOD = "Too Many Requests"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    """A message may be edited fifty times a second, and every pass looks up what is over."""
    monkeypatch.setattr(live_challenges, "UNLISTED_MIN", 1)
    monkeypatch.setattr(live_challenges, "EVERY_S", 0.02)


@pytest.fixture
def number(ann: Person) -> str:
    """An open challenge of Ann's."""
    ann.says("/challenge Will Bitcoin be above $70k on 2026-12-31?")
    page = ann.presses("Create")
    return re.search(r"Challenge (\d+)", page.plain)[1]


def edits(stage: Stage, chat: int) -> int:
    return sum(name == "editMessageText" and values["chat_id"] == chat for name, values in stage.telegram.calls)


def votes(text: str) -> list[str]:
    """The counts of yes and no."""
    return re.findall(r"^(?:Yes|No)\s+█*\s*(\d+)$", text, re.MULTILINE)


def test_votes_of_a_group_are_counted_in_its_message(stage, group, number):
    member, guest = stage.person(group), stage.person(group)
    reply = member.says(f"/challenge {number}")
    assert votes(reply.plain) == ["0", "0"]
    member.presses("Yes")
    guest.presses("No", on=reply)
    assert votes(reply.plain) == ["1", "1"]
    assert "You voted no." in stage.telegram.popups[-1]
    assert "your vote" not in reply.plain
    assert len(member.messages) == 1


def test_a_vote_elsewhere_is_shown_in_all_groups(ann, stage, group, number):
    first = stage.person(group).says(f"/challenge {number}")
    second = stage.person(group - 50_000).says(f"/challenge {number}")
    ann.presses("Yes")
    assert votes(first.plain) == votes(second.plain) == ["1", "0"]


@pytest.mark.slow
def test_many_votes_are_few_edits(stage, group, number, monkeypatch):
    """The first is reply at once, the others together after the pause."""
    monkeypatch.setattr(live_challenges, "EVERY_S", 1.0)
    reply, popups = stage.person(group).says(f"/challenge {number}"), stage.telegram.popups
    for count in range(len(popups) + 1, len(popups) + 13):
        stage.person(group).presses("Yes", on=reply, settle=False)
        stage.wait_for(lambda count=count: len(popups) == count)
    stage.wait_for(lambda: votes(reply.plain) == ["12", "0"])
    assert edits(stage, group) < 12
    stage.settle()


def test_the_watcher_shows_votes_of_other_programs(stage, group, number, service):
    reply = stage.person(group).says(f"/challenge {number}")
    receipt = service.client.post(
        f"/api/v1/predictions/challenge-{number}/vote", json={"vote": "no"}, headers={"X-API-Key": service.register()}
    )
    assert receipt.status_code == 200
    stage.application.bot_data["state"].service.drop("challenges")
    stage.work()
    assert votes(reply.plain) == ["0", "1"]
    before = edits(stage, group)
    stage.work()
    assert edits(stage, group) == before


def test_a_deleted_message_is_forgotten(ann, stage, group, store, number):
    reply = stage.person(group).says(f"/challenge {number}")
    del stage.telegram.chats[group, reply.id]
    ann.presses("Yes")
    assert store.live_messages() == []


def test_a_resolved_challenge_is_shown_and_forgotten(stage, group, store, number, monkeypatch):
    reply = stage.person(group).says(f"/challenge {number}")
    service = stage.application.bot_data["state"].service
    challenge = stage.runner.run(service.market(f"challenge-{number}"))
    challenge |= {
        "status": "resolved",
        "resolution": challenge["resolution"] | {"outcome": "yes", "evidence": "So it is."},
    }

    async def resolved(_service: object, _market_id: str) -> dict:
        return challenge

    async def none_open(_service: object) -> dict:
        return {"challenges": [], "world": "simulated"}

    monkeypatch.setattr(type(service), "market", resolved)
    monkeypatch.setattr(type(service), "challenges", none_open)
    stage.work()
    assert "resolved: YES" in reply.plain
    assert "So it is." in reply.plain
    assert "Yes" not in reply.buttons
    assert store.live_messages() == []


def test_the_page_of_a_challenge_posts_it_in_a_group(ann, stage, group, number):
    """Telegram adds the bot to the group and sends it this command there."""
    address = ann.newest.buttons["Post in a group"]
    assert address == f"https://t.me/ninefold_bot?startgroup=challenge_{number}"
    reply = stage.person(group).says(f"/start@ninefold_bot challenge_{number}")
    assert votes(reply.plain) == ["0", "0"]


def test_an_unknown_challenge_is_one_sentence(stage, group):
    assert "Nothing has that name" in stage.person(group).says("/challenge 999999").plain
