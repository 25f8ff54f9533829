"""Errors of the service, of Telegram and of the bot: one clear sentence, and nothing lost or doubled."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable, Iterator

import pytest

import bot.service
import service.client.exchange
from bot import answering, rate_limiter
from bot.languages import translate
from bot.messages import notices
from bot.messages.research import TOPICS
from tests.bot.conftest import QUESTION, TURNOUT, Person, refusing
from tests.bot.fake_telegram import MIGRATION, Cut
from tests.bot.store.conftest import alert
from tests.processes import free_port

REQUESTS = (*(f"/{name}" for name in (*TOPICS, "markets", "challenges", "research", "quota")), QUESTION)
KINDS = ("502", "early", "late")
CALLS = 8  # more than any of these scenes makes


@pytest.fixture
def silent_port(monkeypatch) -> Iterator[int]:
    """A port that accepts connections and never answers, for which the bot waits a tenth of a second."""
    monkeypatch.setattr(bot.service, "CALL_S", 0.1)
    monkeypatch.setattr(service.client.exchange, "SILENCE_S", 0.1)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def is_one_sentence(reply) -> bool:
    """Whether a message is short, without addresses and internal details."""
    internal = ("Traceback", "http", "127.0.0.1", "Error", ".py", "Asking")
    return 0 < len(reply.plain) < 200 and not any(word in reply.plain for word in internal)


@pytest.mark.parametrize(
    ("is_silent", "text"), [*((False, text) for text in REQUESTS), (True, "/lanes"), (True, "/top"), (True, QUESTION)]
)
def test_a_service_without_an_answer_is_one_sentence(start, request, is_silent, text):
    """It cannot be reached, or says nothing."""
    port = request.getfixturevalue("silent_port") if is_silent else free_port()
    ann = start(oracle_url=f"http://127.0.0.1:{port}").person()
    reply = ann.says(text)
    assert is_one_sentence(reply)
    words = "too long" if is_silent else "cannot be reached"
    assert ("I keep it" if text == QUESTION else words) in reply.plain
    assert len(ann.messages) == 1


@pytest.mark.parametrize("text", ["/lanes", "/quota", QUESTION])
def test_a_failing_service_is_one_sentence(start, text):
    """A failed question is no longer open, and can be asked again."""
    person = start(refusing(None, "", 500, "internal", request_id="abc-1")).person()
    for _ in range(2):
        reply = person.says(text)
        assert is_one_sentence(reply)
        assert "went wrong at the service" in reply.plain


def test_an_unknown_key_is_one_sentence(start, caplog):
    """It is in the log before the first person asks."""
    stage = start(oracle_key="nf_live_unknown")
    stage.wait_for(lambda: "the service rejects BOT_ORACLE_KEY" in caplog.text)
    reply = stage.person().says(QUESTION)
    assert is_one_sentence(reply)
    assert "key" in reply.plain


def test_a_failed_button_says_why_and_changes_nothing(start, silent_port):
    stage = start(oracle_url=f"http://127.0.0.1:{silent_port}")
    ann = stage.person()
    reply = ann.says("/help")
    for data in ("show:lanes:.0", "chart:price:btc", "yes:challenge:1"):
        ann.sends_data(data, reply)
        assert is_one_sentence(ann.newest)
    assert len(ann.messages) == 4
    assert "/quota" in reply.plain
    answers = {values["callback_query_id"] for method, values in stage.telegram.calls if "Callback" in method}
    assert answers == stage.telegram.pressed


@pytest.mark.parametrize(("part", "text"), [("quota", "/quota"), ("answer", QUESTION)])
def test_an_error_of_the_bot_is_reported_and_logged(ann, monkeypatch, caplog, part, text):
    """In an answer it takes the place of the waiting text."""
    monkeypatch.setattr(f"bot.messages.oracle.{part}", lambda *_parts: 1 / 0)
    reply = ann.says(text)
    assert is_one_sentence(reply)
    assert "went wrong in the bot" in reply.plain
    assert len(ann.messages) == 1
    assert "ZeroDivisionError" in caplog.text


def test_a_refusal_of_telegram_is_logged_without_token(ann, caplog):
    """Nor has the log a traceback where the report of the error fails too."""
    ann.stage.telegram.refuse("sendMessage", "Bad Request: a new limit")
    with caplog.at_level(logging.DEBUG):
        ann.says("/help")
    assert "A new limit" in caplog.text
    assert ann.stage.application.bot.token not in caplog.text
    assert ann.newest.text == translate(notices.INTERNAL_ERROR)
    caplog.clear()
    for _ in range(2):
        ann.stage.telegram.refuse("sendMessage", "Bad Request: a new limit")
    ann.says("/help")
    assert "the report of an error was not delivered" in caplog.text
    assert "Traceback" not in caplog.text


@pytest.fixture
def short_pauses(monkeypatch):
    """Nobody waits between two attempts, and the waiting message comes at once."""
    monkeypatch.setattr(rate_limiter, "PAUSES_S", (0, 0))
    monkeypatch.setattr(answering, "BUSY_PAUSES_S", (0,))
    monkeypatch.setattr(answering, "GRACE_S", 0)


def has_one_answer(person: Person, kind: str) -> None:
    """A late cut leaves open whether Telegram has the answer: rather twice than never, and counted once."""
    person.stage.work()
    assert 1 <= sum(TURNOUT in message.plain for message in person.messages) <= (2 if kind == "late" else 1)
    assert person.questions_left() == 9


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
    person.stage.state.store.queue([alert(person.id, text="<b>It flipped.</b>")])
    person.stage.work()


def has_one_alert(person: Person, _kind: str) -> None:
    """A late cut was delivered; the others are tried again at the next pass."""
    person.stage.work()
    assert sum("It flipped." in message.plain for message in person.messages) == 1


SCENES: dict[str, tuple[Callable[[Person], object], Callable[[Person, str], None]]] = {
    "question": (lambda person: person.says(QUESTION), has_one_answer),
    "challenge": (creates, has_one_challenge),
    "alert": (is_alerted, has_one_alert),
}


@pytest.mark.slow
@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scene", SCENES)
def test_a_cut_at_any_call_loses_and_doubles_nothing(stage, scene, kind):
    """Each call of the scene fails once: with a 502, before it was made, or after it was done."""
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


@pytest.mark.usefixtures("short_pauses")
def test_an_answer_stays_in_its_topic(stage, group, store):
    """Also one that was interrupted."""
    stage.telegram.topics[group] = {17}
    member, other = stage.person(group), stage.person(group)
    topic = {"message_thread_id": 17, "is_topic_message": True}
    answer = member.says(f"/ask {QUESTION}", **topic)
    assert (answer.topic, bool(answer.quoted)) == (17, True)
    assert member.says("/price btc", **topic).topic == 17
    store.open_question(other.id, group, 17, None, QUESTION, 0)
    stage.work()
    assert member.newest.topic == 17
    assert TURNOUT in member.newest.plain


@pytest.mark.parametrize("moves_first", [True, False])
@pytest.mark.usefixtures("short_pauses")
def test_a_group_that_moved_gets_everything_there(stage, group, caplog, moves_first):
    """A reply, a page in place of another and an answer follow the group; also if it moves below a waiting message."""
    member, supergroup = stage.person(group), group - 100_000
    page = member.says("/price")
    if moves_first:
        stage.telegram.supergroups[group] = supergroup
        member.presses("Gold", on=page)
        member.says("/help")
    else:
        stage.telegram.refuse("sendMessage", MIGRATION, migrate_to_chat_id=supergroup)
    member.says(f"/ask {QUESTION}")
    member.chat = supergroup
    texts = [message.plain for message in member.messages]
    assert TURNOUT in texts[-1]
    assert not moves_first or ("Gold" in texts[0] and "/quota" in texts[1])
    assert "raised" not in caplog.text


@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize("act", [is_alerted, lambda person: person.says("/help")], ids=["alert", "reply"])
def test_a_blocked_bot_sends_no_more_alerts(stage, ann, store, act):
    store.set_switch(ann.id, ann.id, "flip", "on")
    stage.telegram.blocked.add(ann.id)
    act(ann)
    assert store.switches(ann.id)["flip"] == "off"
