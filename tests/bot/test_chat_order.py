"""Updates of one chat in order; no chat waits for another, whatever Telegram or the service does to it."""

from __future__ import annotations

from threading import Event

import pytest

from tests.bot.conftest import Person

pytestmark = pytest.mark.slow

TOO_MANY = "Too Many Requests"
PATIENCE_S = 30


def command(person: Person, text: str) -> dict:
    """An update with a command."""
    entity = {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
    return {"message": person.message({"text": text, "entities": [entity]})}


def test_a_flood_wait_of_one_chat_delays_no_other(ann, ben):
    """The handler of Ann's command waits with her chat; Ben is answered before her."""
    ann.stage.telegram.refuse("sendMessage", TOO_MANY, 429, retry_after=3, chat=ann.chat)
    ann.stage.receive(command(ann, "/help"), command(ben, "/help"))
    ann.stage.wait_for(lambda: ben.messages)
    assert ann.messages == []
    ann.stage.settle()
    assert len(ann.messages) == 1


def test_updates_of_one_chat_are_handled_in_order(ann):
    """The first is refused and repeated; the second waits for it."""
    ann.stage.telegram.refuse("sendMessage", TOO_MANY, 429, retry_after=1, chat=ann.chat)
    ann.stage.receive(command(ann, "/privacy"), command(ann, "/nonsense"))
    ann.stage.wait_for(lambda: len(ann.messages) == 2)
    assert "Stored data" in ann.messages[0].plain
    assert "do not know this command" in ann.messages[1].plain


def test_a_slow_challenge_step_delays_nobody(start, web):
    """The service takes its time to create Ann's challenge; Ben reads his help meanwhile."""
    may_create = Event()

    def slow(environ, start_response):
        if environ["PATH_INFO"] == "/api/challenges/create":
            assert may_create.wait(PATIENCE_S)
        return web(environ, start_response)

    stage = start(slow)
    ann, ben = stage.person(), stage.person()
    ann.says("/challenge Will Bitcoin be above $70k?")
    draft = ann.says("2026-12-31")
    try:
        stage.telegram.pressed.add("create")
        press = {"id": "create", "from": ann.user(), "chat_instance": "1", "data": draft.buttons["Create"]}
        stage.receive({"callback_query": press | {"message": ann.message({"text": "…"}) | {"message_id": draft.id}}})
        stage.receive(command(ben, "/help"))
        stage.wait_for(lambda: ben.messages)
        assert "is open until" not in draft.plain
    finally:
        may_create.set()
    stage.settle()
    assert "is open until" in draft.plain
