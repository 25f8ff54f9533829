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
