"""The parts of an update that handlers rely on.

Telegram's update may lack each of them. Handlers are registered only for updates that have the parts they use, so a
missing part is a programming error: every function here raises LookupError for it.
"""

from __future__ import annotations

from typing import TypeVar

from telegram import CallbackQuery, Chat, Message, Update

T = TypeVar("T")


def user_id(update: Update) -> int:
    """Telegram's id of the person who caused the update."""
    return _required(update.effective_user, "user").id


def first_name(update: Update) -> str:
    return _required(update.effective_user, "user").first_name


def chat(update: Update) -> Chat:
    return _required(update.effective_chat, "chat")


def message(update: Update) -> Message:
    """The message that was sent, or the one whose button was pressed."""
    return _required(update.effective_message, "message")


def text(update: Update) -> str:
    """The text of the message that was sent; empty where it has none."""
    return message(update).text or ""


def press(update: Update) -> CallbackQuery:
    """The press of a button."""
    return _required(update.callback_query, "callback query")


def _required(part: T | None, name: str) -> T:
    if part is None:
        raise LookupError(f"the update has no {name}")
    return part
