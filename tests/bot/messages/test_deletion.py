"""The deletion of data."""

from __future__ import annotations

from bot import messages
from tests.bot.messages.reading import text_of


def test_deleted_rows_are_counted():
    assert "drafts: 2" in text_of(messages.deleted({"drafts": 2, "sent": 0}))
    assert "no data of yours" in text_of(messages.deleted({"drafts": 0}))
