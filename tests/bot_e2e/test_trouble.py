"""Errors of Telegram and of the service, and a person who blocks the bot."""

from __future__ import annotations

import pytest

from tests.bot_e2e.chats import RESET, Person, Telegram
from tests.bot_e2e.conftest import StartBot
from tests.processes import free_port

pytestmark = pytest.mark.slow

BLOCK = "Forbidden: bot was blocked by the user"


def test_the_bot_waits_when_telegram_limits_it(person: Person, telegram: Telegram):
    """The message is sent a second later, and once."""
    telegram.fails("sendMessage", 429, person.id, parameters={"retry_after": 1}, description="Too Many Requests")
    person.says("/privacy")
    person.reads("Stored data")
    assert [call.status for call in person.calls("sendMessage")] == [429, 200]


def test_a_flood_wait_of_one_chat_delays_no_other(person: Person, another_person: Person, telegram: Telegram):
    """Telegram asks for four seconds in one chat; the other person is answered first."""
    telegram.fails("sendMessage", 429, person.id, parameters={"retry_after": 4}, description="Too Many Requests")
    person.says("/privacy")
    telegram.wait_for(lambda: person.calls("sendMessage"))
    another_person.says("/privacy")
    another_person.reads("Stored data")
    assert [call.status for call in person.calls("sendMessage")] == [429]
    person.reads("Stored data")


@pytest.mark.parametrize(
    ("method", "status", "level"),
    [
        ("sendMessage", 502, 90),
        ("sendMessage", 500, 91),
        ("sendMessage", RESET, 94),
        ("sendChatAction", 502, 92),
        ("sendChatAction", 429, 93),
        ("sendChatAction", RESET, 95),
        ("sendMessage", 429, 96),
        ("sendChatAction", 500, 97),
    ],
)
def test_a_failed_call_loses_no_answer(person: Person, telegram: Telegram, method: str, status: int, level: int):
    """The answer is shown once and counted once; each case asks a question of its own, as shared ones do not count."""
    telegram.fails(method, status, person.id)
    person.says(f"Will Bitcoin be above ${level}k at the end of the month?")
    assert "9 of 10 questions left today" in person.reads("of 9 voted").text
    assert len(person.messages) == 1


@pytest.mark.parametrize("status", [429, 502, RESET])
def test_a_press_works_without_its_acknowledgement(person: Person, telegram: Telegram, status: int):
    person.says("/price")
    person.reads("Prices in USD")
    telegram.fails("answerCallbackQuery", status)
    person.presses("Gold")
    person.reads("Gold")
    assert status in [call.status for call in person.calls("answerCallbackQuery")]


@pytest.mark.parametrize("status", [502, RESET])
def test_a_chart_that_failed_can_be_had_again(person: Person, telegram: Telegram, status: int):
    person.says("/price gold")
    person.waits_for(lambda message: message.photo)
    telegram.fails("sendPhoto", status, person.id)
    person.presses("Chart")
    telegram.wait_for(lambda: status in [call.status for call in person.calls("sendPhoto")])
    person.presses("Chart")
    person.waits_for(lambda message: message.photo)


def test_a_person_who_blocks_the_bot_affects_only_themselves(
    person: Person, another_person: Person, telegram: Telegram
):
    telegram.fails("sendMessage", 403, person.id, times=2, description=BLOCK)
    person.says("/help")
    telegram.wait_for(lambda: person.calls("sendMessage"))
    another_person.says("/help")
    another_person.reads("/research")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("/lanes", "The service cannot be reached right now."),
        ("/accuracy", "The service cannot be reached right now."),
        ("Will bitcoin rise this week?", "I keep it and send the answer as soon as it is there."),
    ],
)
def test_an_unreachable_service_is_one_sentence(bot_without_service: str, telegram: Telegram, text: str, sentence: str):
    """Every request gets exactly one message, without a traceback or an address; a question is kept."""
    person = telegram.person(bot_without_service)
    person.says(text)
    person.reads(sentence)
    assert len(person.messages) == 1
    assert "Traceback" not in person.messages[0].text
    assert "http" not in person.messages[0].text


@pytest.fixture(scope="module")
def bot_without_service(start_bot: StartBot, tmp_path_factory):
    """A bot whose ORACLE_URL is a closed port."""
    with start_bot(tmp_path_factory.mktemp("no_service"), ORACLE_URL=f"http://127.0.0.1:{free_port()}") as token:
        yield token
