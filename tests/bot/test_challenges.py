"""A challenge from its question to its votes."""

from __future__ import annotations

import pytest

QUESTION = "Will Bitcoin be above $60k?"
DATE = "2026-12-31"


def written(person, question: str = QUESTION, date: str = DATE):
    """The message above [Create] and [Cancel]."""
    person.says("/challenge")
    person.says(question)
    return person.says(date)


def count_of(service) -> int:
    return service.client.get("/api/challenges/active").json["count"]


def test_a_challenge_is_created_and_voted_on(ann):
    assert "What should the AIs answer?" in ann.says("/challenge").plain
    assert "Which deadline?" in ann.says(QUESTION).plain
    reply = ann.says(DATE)
    assert set(reply.buttons) == {"Create", "Cancel"}
    ann.presses("Create")
    assert f"is open until {DATE}." in reply.plain
    ann.presses("Yes")
    assert ann.stage.telegram.popups[-1].startswith("You voted yes. Votes so far: 1 yes, 0 no")
    assert "yours" in reply.plain
    ann.presses("No")
    assert ann.stage.telegram.popups[-1].startswith("You voted no. Votes so far: 0 yes, 1 no")


@pytest.mark.parametrize(
    ("date", "reason"),
    [
        ("2026-02-30", "no such date in the calendar"),
        ("2026-13-01", "no such date in the calendar"),
        ("2026-1-1", "in the past"),
        ("yesterday", "in the past"),
        ("when pigs fly", "not a valid date"),
        ("x" * 100, "not a valid date"),
        ("2026-11-20", "in the past"),
        ("2027-11-22", "must be between 2026-11-21 and 2027-11-21"),
        ("2099-12-31", "more than two years away"),
        ("<b>&", "must be a date"),
    ],
)
def test_a_bad_date_is_explained_and_can_be_corrected(ann, date, reason):
    reply = written(ann, date=date)
    assert reason in reply.plain
    assert "Create" in ann.says(DATE).buttons


def test_the_first_and_the_last_possible_day_are_valid(ann):
    for date in ("2026-11-21", "2027-11-21"):
        written(ann, date=date)
        assert f"is open until {date}." in ann.presses("Create").plain


def test_cancel_ends_the_conversation(ann):
    ann.says("/challenge")
    assert "Nothing was created" in ann.says("/cancel").plain
    assert "of 9 voted" in ann.says("Will Bitcoin be above $60k by the end of the month?").plain


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


def test_other_commands_work_during_the_conversation(ann):
    ann.says("/challenge")
    assert "Paper lanes" in ann.says("/lanes").plain
    assert "Which deadline?" in ann.says(QUESTION).plain
    assert "/quota" in ann.says("/help").plain
    assert "Create" in ann.says(DATE).buttons


def test_the_conversation_survives_a_restart(start):
    first = start()
    ann = first.person()
    ann.says("/challenge")
    ann.says(QUESTION)
    first.runner.run(first.application.update_persistence())
    second = start()
    ann.stage = second
    reply = ann.says(DATE)
    assert QUESTION in reply.plain
    assert "is open until" in ann.presses("Create").plain


def test_the_create_button_survives_a_restart(start):
    first = start()
    ann = first.person()
    reply = written(ann)
    second = start()
    second.telegram.chats[reply.chat, reply.id] = reply
    ann.stage = second
    assert "is open until" in ann.presses("Create", on=reply).plain


def test_a_too_long_question_is_refused_at_once(ann):
    ann.says("/challenge")
    assert "the limit is 500" in ann.says("Will Bitcoin rise " * 100).plain
    assert "Which deadline?" in ann.says(QUESTION).plain


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("tomorrow", "2026-11-22"),
        ("31 December", "2026-12-31"),
        ("31.12.2026", "2026-12-31"),
        ("next Friday", "2026-11-27"),
        ("in 3 weeks", "2026-12-12"),
    ],
)
def test_a_deadline_in_words_is_understood(ann, text, date):
    assert f"Deadline: {date}" in written(ann, date=text).plain
    assert f"is open until {date}." in ann.presses("Create").plain


@pytest.mark.parametrize(
    ("question", "reason"), [("Will my cat like me?", "names no market"), ("Will Bitcoin hit 90?", "implausible")]
)
def test_a_refused_question_is_explained_at_once(ann, question, reason):
    """Before its deadline is asked for; the conversation goes on with another question."""
    ann.says("/challenge")
    reply = ann.says(question)
    assert reason in reply.plain
    assert "Send another question, or /cancel" in reply.plain
    assert "Which deadline?" in ann.says(QUESTION).plain


def test_a_question_that_no_price_decides_is_a_challenge(ann):
    """The oracle would refuse it here, but people can vote on it."""
    written(ann, "Will the Fed cut rates?")
    assert "is open until" in ann.presses("Create").plain


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
        written(ann, f"Will Bitcoin be above ${level}k?")
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


def test_a_date_without_its_question_is_refused(ann):
    ann.says("/challenge")
    ann.says(QUESTION)
    ann.stage.application.bot_data["state"].store.forget(ann.id)
    assert "has expired" in ann.says(DATE).plain
