"""What went wrong, in a sentence a person can act on; never a trace, an address or a status."""

from __future__ import annotations

import re

from bot.messages.figures import counted, sentence
from bot.messages.oracle import used_up
from bot.messages.writing import said
from service.client import (
    BadRequest,
    ClientError,
    Conflict,
    ConnectionFailed,
    NotFound,
    RateLimited,
    Refused,
    TimedOut,
    Unauthorized,
    Unavailable,
)

UNREACHABLE = "The service cannot be reached right now. Nothing was counted; try again in a minute."
TOO_SLOW = "The answer took too long. Try again; /quota shows whether a question was counted."
NO_KEY = "The service does not accept this bot's key. Whoever runs the bot has to renew it; your quota is untouched."
NOTHING_THERE = "There is nothing of that name. /top lists strategies, /lanes lanes, /challenges open challenges."
FAULT = "Something went wrong at the service, and it was logged there. Try again in a minute."
ABOUT_THE_WORDS = ("not_a_market_question", "invalid_question")
ADDRESS = re.compile(r"[^.;]*(/api/|https?://)[^.]*(\.|$)")  # what a program is told, and of no use in a chat


def failure(error: ClientError) -> str:
    """Why there is no answer, and what to do next."""
    if isinstance(error, Refused):
        return _refusal(error)
    if isinstance(error, ConnectionFailed):
        return UNREACHABLE
    return TOO_SLOW if isinstance(error, TimedOut) else FAULT


def _refusal(error: Refused) -> str:
    if isinstance(error, RateLimited):
        return _limit(error)
    if isinstance(error, BadRequest):
        return f"{_detail(error)}\nThis was not counted{_better(error)}."
    if isinstance(error, Unavailable):
        return f"{_detail(error)}\nThis was not counted; try again in {_wait(error.retry_after_s)}."
    if isinstance(error, Conflict):
        return _detail(error)
    if isinstance(error, Unauthorized):
        return NO_KEY
    return NOTHING_THERE if isinstance(error, NotFound) else _fault(error)


def _limit(error: Refused) -> str:
    """A limit of the person; of the whole bot, the sentence says so."""
    if error.code != "quota_exhausted":
        detail = _detail(error)
        return detail if "try again" in detail else f"{detail} Try again in {_wait(error.retry_after_s)}."
    if "all end users" in error.detail:
        return "All questions that this bot may ask today are used up. They come back at 00:00 UTC."
    return used_up(error.limit, error.reset_at)


def _fault(error: Refused) -> str:
    return f"{FAULT} Its number there: <code>{said(error.request_id, 60)}</code>" if error.request_id else FAULT


def _better(error: Refused) -> str:
    return "; send it again in other words" if error.code in ABOUT_THE_WORDS else ""


def _detail(error: Refused) -> str:
    return sentence(ADDRESS.sub("", error.detail).strip() or "The service refused this.", 1500)


def _wait(seconds: int | None) -> str:
    if seconds is None or seconds > 5400:
        return "a few hours" if seconds else "a minute"
    return counted(seconds, "second") if seconds < 90 else counted(round(seconds / 60), "minute")
