"""A challenge from its question to its votes."""

from __future__ import annotations

import pytest

DATE = "2026-12-31"
QUESTION = f"Will Bitcoin be above $60k on {DATE}?"


def written(person, question: str = QUESTION):
    """The message above [Create] and [Cancel]."""
    return person.says(f"/challenge {question}")


def count_of(service) -> int:
    return service.client.get("/api/challenges/active").json["count"]


def test_a_challenge_is_created_and_voted_on(ann):
    reply = written(ann)
    assert set(reply.buttons) == {"Create", "Cancel"}
    ann.presses("Create")
    assert f"is open until {DATE}." in reply.plain
    ann.presses("Yes")
    assert ann.stage.telegram.popups[-1].startswith("You voted yes. Votes so far: 1 yes, 0 no")
    assert "yours" in reply.plain
    ann.presses("No")
    assert ann.stage.telegram.popups[-1].startswith("You voted no. Votes so far: 0 yes, 1 no")


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


def test_nothing_swallows_a_text(ann):
    """/challenge alone shows how to write one; what comes next is read as always."""
    assert "/challenge Will" in ann.says("/challenge").plain
    assert "Paper accounts" in ann.says("/lanes").plain
    assert "Bitcoin" in ann.says("btc").plain
    assert "of 9 voted" in ann.says("Will Bitcoin be above $60k at the end of the month?").plain


@pytest.mark.parametrize(
    ("question", "date"),
    [
        ("Will Bitcoin rise tomorrow?", "2026-11-22"),
        ("Will Bitcoin be above $60k by next Friday?", "2026-11-27"),
        ("Will the Fed cut rates by 31 December?", "2026-12-31"),
        ("Will the Fed cut rates in 3 weeks?", "2026-12-12"),
    ],
)
def test_the_date_is_read_from_the_question(ann, question, date):
    assert f"Deadline: {date}" in written(ann, question).plain
    assert f"is open until {date}." in ann.presses("Create").plain


def test_the_cancel_button_creates_nothing(ann, service):
    before = count_of(service)
    reply = written(ann)
    create = reply.buttons["Create"]
    ann.presses("Cancel")
    assert "Nothing was created" in reply.plain
    ann.sends_data(create, reply)
    assert ann.stage.telegram.popups == ["This answer has expired. Ask again."]
    assert count_of(service) == before


def test_create_pressed_twice_creates_once(ann, service):
    before = count_of(service)
    reply = written(ann)
    create = reply.buttons["Create"]
    ann.presses("Create")
    ann.sends_data(create, reply)
    assert "is open until" in reply.plain
    assert count_of(service) == before + 1


def test_the_create_button_survives_a_restart(start):
    first = start()
    ann = first.person()
    reply = written(ann)
    second = start()
    second.telegram.chats[reply.chat, reply.id] = reply
    ann.stage = second
    assert "is open until" in ann.presses("Create", on=reply).plain


def test_ones_own_vote_is_shown(ann, ben):
    reply = written(ann)
    number = ann.presses("Create").plain.split()[1]
    assert "your vote:" not in reply.plain
    ann.presses("Yes")
    assert "your vote: yes" in reply.plain
    ann.presses("No")
    assert "your vote: no" in reply.plain
    assert "your vote:" not in ben.says(f"/start challenge_{number}").plain


def test_the_fourth_challenge_of_a_day_is_refused(ann):
    for level in (60, 61, 62):
        written(ann, f"Will Bitcoin be above ${level}k on {DATE}?")
        ann.presses("Create")
    written(ann)
    ann.presses("Create")
    assert "Three challenges were created today" in ann.newest.plain


def test_challenges_are_listed_and_opened(ann, ben):
    written(ann)
    number = ann.presses("Create").plain.split()[1]
    ben.says("/challenges")
    reply = ben.presses(number)
    assert f"Challenge {number}" in reply.plain
    assert "yours" not in reply.plain
    ben.presses("All challenges")
    assert number in reply.buttons
    assert f"Challenge {number}" in ben.says(f"/start challenge_{number}").plain
