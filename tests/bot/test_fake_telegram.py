"""The Telegram of these tests refuses what the real one refuses, and the bot lives with it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bot import answering, rate_limiter
from bot.store import Alert
from tests.bot.conftest import Person
from tests.bot.fake_telegram import GROUP_MESSAGES, Cut

QUESTION = "Will Bitcoin be above $60k at the end of the month?"
KINDS = ("502", "early", "late")
CALLS = 8  # more than any of these scenes makes


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch):
    """Nobody waits between two attempts, and the waiting message comes at once."""
    monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))
    monkeypatch.setattr(answering, "BUSY_PAUSES_S", (0,))
    monkeypatch.setattr(answering, "GRACE_S", 0)


def answers(person: Person) -> int:
    return sum("of 9 voted" in message.plain for message in person.messages)


def asks(person: Person) -> None:
    person.says(QUESTION)


def has_one_answer(person: Person, kind: str) -> None:
    """A late cut leaves open whether Telegram has the answer: rather twice than never, and counted once."""
    person.stage.work()
    assert 1 <= answers(person) <= (2 if kind == "late" else 1)
    assert "9 of 10" in person.says("/quota").plain


def creates(person: Person) -> None:
    person.says("/challenge Will Bitcoin be above $70k on 2026-12-31?")
    if person.newest and "Create" in person.newest.buttons:
        person.presses("Create")


def has_one_challenge(person: Person, _kind: str) -> None:
    """Pressed again where the page did not come, there is still one."""
    open_pages = [message for message in person.messages if "Create" in message.buttons]
    for page in open_pages:
        person.sends_data(page.buttons["Create"], page)
    titles = re.findall(r"Challenge (\d+)", " ".join(message.plain for message in person.messages))
    assert len(set(titles)) <= 1


def is_alerted(person: Person) -> None:
    store = person.stage.application.bot_data["state"].store
    store.queue([Alert(person.id, "flip", "noon", person.id, silent=False, text="<b>It flipped.</b>", until=4e9)])
    person.stage.work()


def has_one_alert(person: Person, _kind: str) -> None:
    """A late cut was delivered; the others are tried again at the next pass."""
    person.stage.work()
    assert sum("It flipped." in message.plain for message in person.messages) == 1


SCENES = {
    "question": (asks, has_one_answer),
    "challenge": (creates, has_one_challenge),
    "alert": (is_alerted, has_one_alert),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_cut_at_any_call_loses_and_doubles_nothing(stage, scene, kind):
    """Each call of the scene fails once: with a 502, before it was made, or after it was done."""
    act: Callable[[Person], None]
    act, check = SCENES[scene]
    for place in range(CALLS):
        person = stage.person()
        stage.telegram.cut = Cut(place, kind)
        act(person)
        is_over, stage.telegram.cut = stage.telegram.cut.place >= 0, None
        check(person, kind)
        if is_over:
            return
    raise AssertionError("the scene makes more calls")


def test_an_answer_stays_in_its_topic(stage, group):
    """Also where its waiting message was deleted meanwhile."""
    stage.telegram.topics[group] = {17}
    member = stage.person(group)
    topic = {"message_thread_id": 17, "is_topic_message": True}
    answer = member.says(f"/ask {QUESTION}", **topic)
    assert (answer.topic, bool(answer.quoted)) == (17, True)
    assert member.says("/price btc", **topic).topic == 17


def test_an_interrupted_answer_comes_in_its_topic(stage, group, store):
    stage.telegram.topics[group] = {17}
    member = stage.person(group)
    store.open_question(member.id, group, 17, None, QUESTION)
    stage.work()
    assert member.newest.topic == 17
    assert "of 9 voted" in member.newest.plain


def test_a_group_that_moved_gets_everything_there(stage, group):
    """An answer, a page in place of another and an alert follow the group."""
    member = stage.person(group)
    page = member.says("/price")
    stage.telegram.supergroups[group] = group - 100_000
    member.presses("Gold", on=page)
    member.says(f"/ask {QUESTION}")
    member.chat = group - 100_000
    texts = [message.plain for message in member.messages]
    assert any("Gold" in text for text in texts)
    assert any("of 9 voted" in text for text in texts)


def test_a_blocked_bot_sends_no_more_alerts(stage, ann, store):
    store.set_switch(ann.id, ann.id, "flip", "on")
    stage.telegram.blocked.add(ann.id)
    is_alerted(ann)
    assert store.switches(ann.id)["flip"] == "off"


def test_messages_of_a_business_connection_are_ignored(ann):
    """Another account writes there in the name of a person."""
    message = ann.message({"text": "btc", "business_connection_id": "b1"})
    ann.stage.deliver({"business_message": message})
    assert ann.messages == []


def test_the_limit_of_a_group_is_kept(stage, group, monkeypatch):
    """Twenty messages a minute; the bot waits by itself, before Telegram refuses."""
    member = stage.person(group)
    for _ in range(GROUP_MESSAGES):
        member.says("/help")
    assert len(member.messages) == GROUP_MESSAGES
    assert not stage.telegram.faults


# For each method that the bot calls: what a person does before it, at it, and what shows that it was done once.
METHODS = {
    "sendMessage": ((), "/price", "Prices in USD"),
    "sendChatAction": ((), QUESTION, "of 9 voted"),
    "editMessageText": (("/price",), "Gold", "Gold"),
    "answerCallbackQuery": (("/price",), "Gold", "Gold"),
    "sendPhoto": (("/price btc",), "Chart", "of outcomes"),
    "editMessageMedia": (("/price btc", "Chart"), "30 d", "of outcomes"),
    "getChatMember": ((), "/language de", "Ich antworte jetzt auf Deutsch"),
    "setMyCommands": ((), "/language de", "Ich antworte jetzt auf Deutsch"),
    "deleteMyCommands": (("/language de",), "Wie in Telegram", "I reply in English now"),
}
IN_A_GROUP = {"getChatMember"}


@pytest.mark.parametrize("status", [500, 502])
@pytest.mark.parametrize("method", METHODS)
def test_a_failed_method_loses_and_doubles_nothing(stage, group, method, status):
    """Its first call fails, for each method that a text or a press needs."""
    person = stage.person(group if method in IN_A_GROUP else None)
    stage.telegram.admins.add(person.id)
    before, last, words = METHODS[method]
    for text in before:
        acts(person, text)
    stage.telegram.refuse(method, "Bad Gateway", status)
    acts(person, last)
    assert stage.telegram.refusals[method] == []
    assert sum(words in message.plain for message in person.messages) == 1


def acts(person: Person, text: str) -> None:
    """Press the button of this name, or say it."""
    if any(text in message.buttons for message in person.messages):
        person.presses(text)
    else:
        person.says(text)


@pytest.mark.parametrize("status", [500, 502])
def test_failed_offers_are_sent_again(ann, status):
    ann.stage.telegram.refuse("answerInlineQuery", "Bad Gateway", status)
    (offer, *_) = ann.types(QUESTION)
    assert offer["description"] == QUESTION
