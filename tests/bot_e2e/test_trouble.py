"""When Telegram, a person or the service does not do what it should."""

from __future__ import annotations

import pytest

from tests.bot_e2e.chats import Person, Telegram
from tests.bot_e2e.conftest import StartBot
from tests.processes import free_port

BLOCKED = "Forbidden: bot was blocked by the user"


def test_a_limit_of_telegram_is_waited_out(person: Person, telegram: Telegram):
    """The message comes a second later, and once."""
    telegram.fails("sendMessage", 429, person.id, parameters={"retry_after": 1}, description="Too Many Requests")
    person.says("/privacy")
    person.reads("What is kept")
    assert [call.status for call in person.calls("sendMessage")] == [429, 200]


def test_who_blocks_the_bot_troubles_nobody_else(person: Person, another_person: Person, telegram: Telegram):
    telegram.fails("sendMessage", 403, person.id, times=2, description=BLOCKED)
    person.says("/help")
    telegram.wait_for(lambda: person.calls("sendMessage"))
    another_person.says("/help")
    another_person.reads("/lanes")


@pytest.mark.parametrize("said", ["/lanes", "/accuracy", "Will bitcoin rise this week?"])
def test_a_service_that_is_down_is_one_sentence(lonely_bot: str, telegram: Telegram, said: str):
    """Whatever is asked for, the one message that stays says so; no trace, and never silence."""
    person = telegram.person(lonely_bot)
    person.says(said)
    person.reads("The service cannot be reached right now.")
    assert len(person.messages) == 1
    assert "Traceback" not in person.messages[0].text
    assert "http" not in person.messages[0].text


@pytest.fixture(scope="module")
def lonely_bot(start_bot: StartBot, tmp_path_factory):
    """A bot at whose oracle's address nobody listens."""
    with start_bot(tmp_path_factory.mktemp("lonely"), ORACLE_URL=f"http://127.0.0.1:{free_port()}") as token:
        yield token
