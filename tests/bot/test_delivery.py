"""Edits of messages and answers to presses that Telegram refuses."""

from __future__ import annotations


def test_a_deleted_message_is_replaced_by_a_new_one(ann):
    reply = ann.says("/price")
    del ann.stage.telegram.chats[reply.chat, reply.id]
    ann.presses("Gold", on=reply)
    assert "Gold" in ann.newest.plain


def test_an_expired_press_still_changes_the_page(ann):
    reply = ann.says("/price")
    ann.stage.telegram.refuse("answerCallbackQuery", "Bad Request: query is too old and response timeout expired")
    ann.presses("Gold")
    assert "Gold" in reply.plain
