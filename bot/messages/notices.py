"""Short replies: to button presses, to input that is not valid, and to an error of the bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.messages.markup import escaped


def question_missing() -> str:
    """/ask without a question."""
    return "Add a question, for example:\n<code>/ask Will bitcoin be above 120,000 USD on December 31?</code>"


def unknown_asset(assets: Sequence[str]) -> str:
    """/top with an unknown asset."""
    choices = "\n".join(f"<code>/top {escaped(asset, 60)}</code>" for asset in assets[:20])
    return f"There is no such asset. Send one of these:\n{choices}"


def text_only() -> str:
    """A photo, a voice message or a sticker."""
    return "I can read only text. Send a question about a market, or /help."


def private_only() -> str:
    """A command of the private chat, sent in a group."""
    return "In groups I answer /ask, /lanes, /top, /accuracy and /help. Open our private chat for the other commands."


def cancelled() -> str:
    """A challenge that was not created."""
    return "Cancelled. Nothing was created. Send /challenge to start again."


def draft_gone() -> str:
    """The deadline of a challenge whose question has expired."""
    return "The question of this challenge has expired. Send /challenge to start again."


def nothing_deleted() -> str:
    """[Keep]"""
    return "Nothing was deleted."


def voted(receipt: Mapping[str, Any]) -> str:
    """The pop-up after a vote, in plain text."""
    votes = receipt["user_votes"]
    return f"You voted {receipt['vote']}. Votes so far: {votes['yes']:,} yes, {votes['no']:,} no. You can change yours."


def choose_hour() -> str:
    """Above the hours of the day."""
    return "At which hour should the digest arrive?"


def choose_zone() -> str:
    """Above the time zones."""
    return "In which time zone? If yours is not listed, send its name:\n<code>/alerts Europe/Vienna</code>"


def unknown_zone(name: str) -> str:
    """/alerts with an unknown time zone."""
    return (
        f"There is no time zone “{escaped(name, 100)}”. Send one such as\n"
        "<code>/alerts Europe/Vienna</code>, or /alerts to choose from a list."
    )


def impossible_date() -> str:
    """Not a date; a reason for bad_deadline."""
    return "This is not a valid date. Use the form YYYY-MM-DD, such as 2026-12-31."


def date_out_of_range(first: str, last: str) -> str:
    """A date that is too early or too late; a reason for bad_deadline."""
    return f"The deadline must be between {first} and {last}."


def question_too_long(length: int, limit: int) -> str:
    """A question longer than the service accepts."""
    return f"The question has {length:,} characters; the limit is {limit:,}. Send a shorter one, or /cancel."


def internal_error() -> str:
    """An error of the bot itself."""
    return "Something went wrong in the bot. The error was logged. Try again in a minute."
