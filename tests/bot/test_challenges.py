"""A challenge from its question to its votes, and the message of a group that shows them as they come in."""

from __future__ import annotations

import re

import pytest

from bot import challenges
from tests.bot.conftest import Person, Stage

DATE = "2026-12-31"


def written(person, question: str = f"Will Bitcoin be above $60k on {DATE}?"):
    """The message above [Create] and [Cancel]."""
    return person.says(f"/challenge {question}")


def created(person, level: int = 60):
    """The page of a new challenge about a level in thousands of USD."""
    written(person, f"Will Bitcoin be above ${level}k on {DATE}?")
    return person.presses("Create")


def test_a_challenge_is_created_and_voted_on(ann, ben):
    """One's own vote is shown to nobody else; a reload shows that there is one."""
    reply = written(ann)
    assert set(reply.buttons) == {"Create", "Cancel"}
    number = ann.presses("Create").plain.split()[1]
    assert f"is open until {DATE}." in reply.plain
    assert "your vote:" not in reply.plain
    page = ben.says(f"/start challenge_{number}")
    assert f"Challenge {number}" in page.plain
    assert "no user votes" in page.plain
    for vote, counts in (("yes", "1 yes, 0 no"), ("no", "0 yes, 1 no")):
        ann.presses(vote.title())
        assert ann.stage.telegram.popups[-1].startswith(f"You voted {vote}. Votes so far: {counts}")
        assert f"your vote: {vote}" in reply.plain
    assert "yours" in reply.plain
    ben.presses("Reload", on=page)
    assert "(n = 1)" in page.plain
    assert "your vote:" not in page.plain


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Will Bitcoin be above $60k on 2026-02-30?", "no such date in the calendar"),
        ("Will Bitcoin be above $60k on 2026-11-20?", "in the past"),
        ("Will Bitcoin be above $60k on 2027-11-22?", "must be between 2026-11-21 and 2027-11-21"),
        ("Will Bitcoin be above $60k on 2099-12-31?", "more than two years away"),
        ("Will my cat like me?", "🙂 I only know about prices"),
        ("Will Bitcoin hit 9?", "implausible"),
        ("Will Bitcoin rise " * 100, "the limit is 500"),
    ],
)
def test_a_challenge_that_cannot_be_is_explained(ann, question, reason):
    reply = written(ann, question)
    assert reason in reply.plain
    assert reply.buttons == {}


def test_a_question_without_a_date_gets_a_choice(ann):
    """The days from tomorrow on; one press leads to [Create]."""
    reply = written(ann, "Will Bitcoin be above $60k?")
    assert list(reply.buttons) == ["2026-11-22", "2026-11-28", "2026-12-21", "2027-02-19"]
    ann.presses("2026-12-21")
    assert "Deadline: 2026-12-21" in reply.plain
    assert "is open until 2026-12-21." in ann.presses("Create").plain


@pytest.mark.parametrize(
    ("question", "date"),
    [
        ("Will Bitcoin be above $60k by next Friday?", "2026-11-27"),
        ("Will the Fed cut rates by 31 December?", "2026-12-31"),
        ("Will the Fed cut rates in 3 weeks?", "2026-12-12"),
    ],
)
def test_the_date_is_read_from_the_question(ann, question, date):
    assert f"Deadline: {date}" in written(ann, question).plain
    assert f"is open until {date}." in ann.presses("Create").plain


@pytest.mark.parametrize(("label", "words", "count"), [("Cancel", "Nothing was created", 0), ("Create", "is open", 1)])
def test_a_draft_is_decided_once(ann, service, label, words, count):
    """[Create] after [Cancel] creates nothing; pressed twice it creates one challenge."""

    def count_of_challenges() -> int:
        return service.client.get("/api/challenges/active").json["count"]

    before, reply = count_of_challenges(), written(ann)
    create = reply.buttons["Create"]
    ann.presses(label)
    ann.sends_data(create, reply)
    assert words in reply.plain
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]
    assert count_of_challenges() == before + count


def test_the_create_button_survives_a_restart(start):
    first = start()
    ann = first.person()
    reply = written(ann)
    second = start()
    second.telegram.chats[reply.chat, reply.id] = reply
    ann.stage = second
    assert "is open until" in ann.presses("Create", on=reply).plain


def test_the_fourth_challenge_of_a_day_is_refused(ann):
    for level in (60, 61, 62, 63):
        created(ann, level)
    assert "Three challenges were created today" in ann.newest.plain


def test_challenges_are_listed_and_opened(ann, ben):
    number = created(ann).plain.split()[1]
    ben.says("/challenges")
    reply = ben.presses(number)
    assert f"Challenge {number}" in reply.plain
    assert "yours" not in reply.plain
    ben.presses("All challenges")
    assert number in reply.buttons


@pytest.fixture
def number(ann: Person, monkeypatch) -> str:
    """An open challenge of Ann's; its messages may change fifty times a second, and every pass looks what is over."""
    monkeypatch.setattr(challenges, "UNLISTED_MIN", 1)
    monkeypatch.setattr(challenges, "EVERY_S", 0.02)
    return re.search(r"Challenge (\d+)", created(ann, 70).plain)[1]


def edits(stage: Stage, chat: int) -> int:
    return sum(name == "editMessageText" and values["chat_id"] == chat for name, values in stage.telegram.calls)


def votes(text: str) -> list[str]:
    """The counts of yes and no."""
    return re.findall(r"^(?:Yes|No)\s+█*\s*(\d+)$", text, re.MULTILINE)


def test_votes_of_a_group_are_counted_in_its_message(ann, stage, group, number):
    """Also those that are cast elsewhere, and in all groups that show it."""
    member, guest = stage.person(group), stage.person(group)
    reply = member.says(f"/challenge {number}")
    other = stage.person(group - 50_000).says(f"/challenge {number}")
    assert votes(reply.plain) == ["0", "0"]
    member.presses("Yes")
    guest.presses("No", on=reply)
    assert votes(reply.plain) == votes(other.plain) == ["1", "1"]
    assert "You voted no." in stage.telegram.popups[-1]
    assert "your vote" not in reply.plain
    assert len(member.messages) == 1
    ann.presses("Yes")
    assert votes(reply.plain) == votes(other.plain) == ["2", "1"]
    assert "Nothing has that name" in member.says("/challenge 999999").plain


@pytest.mark.slow
def test_many_votes_are_few_edits(stage, group, number, monkeypatch):
    """The first is reply at once, the others together after the pause."""
    monkeypatch.setattr(challenges, "EVERY_S", 1.0)
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
    stage.state.service.drop("challenges")
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
    service = stage.state.service
    challenge = stage.runner.run(service.market(f"challenge-{number}"))
    resolution = challenge["resolution"] | {"outcome": "yes", "evidence": "So it is."}

    async def resolved(_service: object, _market_id: str) -> dict:
        return challenge | {"status": "resolved", "resolution": resolution}

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
