"""The parts of an update."""

from __future__ import annotations

import pytest
from telegram import Update

from bot import updates


@pytest.mark.parametrize("part", [updates.user_id, updates.chat, updates.message, updates.text, updates.press])
def test_a_missing_part_is_a_lookup_error(part):
    with pytest.raises(LookupError):
        part(Update(1))


def test_the_text_of_a_message_without_text_is_empty(ann):
    message = ann.message({"photo": []})
    update = Update.de_json({"update_id": 1, "message": message}, ann.stage.application.bot)
    assert updates.text(update) == ""


HELP = {"update_id": 8, "message": {"message_id": 1, "date": 1, "chat": {"id": 7, "type": "private"}, "text": "/help"}}


@pytest.mark.parametrize("message", [{"message_id": 1}, {"chat": 7}, [1]])
def test_an_undecodable_update_is_skipped_and_logged(stage, monkeypatch, caplog, message):
    poison = {"update_id": 7, "message": message}
    answer = lambda _self, _values, _files: [poison, HELP]  # noqa: E731
    monkeypatch.setattr(type(stage.telegram), "_getUpdates", answer, raising=False)
    updates = stage.runner.run(stage.application.bot.get_updates())
    assert [update.update_id for update in updates] == [7, 8]
    assert updates[0].message is None
    assert updates[1].message.text == "/help"
    assert caplog.text.count("cannot be decoded and is skipped") == 1
