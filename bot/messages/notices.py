"""What is said once and shortly: to a press, to input that will not do, to a fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.messages.writing import said


def ask_what() -> str:
    """To /ask without a question."""
    return "Send a question with it, for example:\n<code>/ask Will bitcoin be above 120,000 USD on December 31?</code>"


def unknown_asset(assets: Sequence[str]) -> str:
    """To /top with an asset that is none."""
    known = "\n".join(f"<code>/top {said(asset, 60)}</code>" for asset in assets[:20])
    return f"There is no such asset. Send one of these:\n{known}"


def text_only() -> str:
    """To a photo, a voice message, a sticker."""
    return "I read text only. Send a question about a market, or /help."


def private_only() -> str:
    """To a command of the private chat in a group."""
    return (
        "Here I answer /ask, /lanes, /top, /accuracy and /help. The button below opens our private chat for the rest."
    )


def cancelled() -> str:
    """A challenge that was not created."""
    return "Cancelled. Nothing was created; /challenge starts another."


def draft_gone() -> str:
    """To the date of a challenge whose question is no longer kept."""
    return "The question of this challenge is no longer kept. Send /challenge to start again."


def kept() -> str:
    """To [Keep]."""
    return "Nothing was deleted."


def voted(told: Mapping[str, Any]) -> str:
    """Up for a moment after a vote: plain text."""
    votes = told["user_votes"]
    return f"Your vote is {told['vote']}. So far {votes['yes']} yes, {votes['no']} no; you may change yours."


def choose_hour() -> str:
    """Above the hours of a day."""
    return "At which hour of the day should the digest come?"


def choose_zone() -> str:
    """Above the commonest time zones."""
    return "In which time zone? If yours is not here, send its name:\n<code>/alerts Europe/Vienna</code>"


def unknown_zone(name: str) -> str:
    """To a time zone that is none."""
    return (
        f"There is no time zone “{said(name, 100)}”. Send one such as\n<code>/alerts Europe/Vienna</code>, or /alerts."
    )


def impossible_date() -> str:
    """To what is no date; a reason for bad_deadline."""
    return "That is not a date of the calendar in the form YYYY-MM-DD, such as 2026-12-31."


def date_out_of_range(first: str, last: str) -> str:
    """To a date too near or too far; a reason for bad_deadline."""
    return f"The deadline must be from {first} to {last}."


def too_long(length: int, most: int) -> str:
    """To a question that the service would refuse for its length."""
    return f"That question has {length:,} characters, and {most} is the most. Send a shorter one, or /cancel."


def fault() -> str:
    """When the bot itself is at fault."""
    return "Something went wrong here, and it was logged. Try again in a minute."
