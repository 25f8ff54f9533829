"""An error of the service as one or two sentences that a person can act on; never a traceback, address or status."""

from __future__ import annotations

import re

from bot.messages.formats import plural, sentence
from bot.messages.markup import escaped
from bot.messages.oracle import quota_used_up
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

UNREACHABLE = "The service cannot be reached right now. Nothing was counted. Try again in a minute."
TOO_SLOW = "The answer took too long. Try again. /quota shows whether the question was counted."
NO_KEY = "The service does not accept this bot's key. The bot's operator must renew it. Your quota is unchanged."
NOT_FOUND = "Nothing has that name. See /top for strategies, /lanes for lanes, /challenges for open challenges."
FAULT = "Something went wrong at the service. The error was logged. Try again in a minute."
ABOUT_THE_WORDS = ("not_a_market_question", "invalid_question")
ADDRESS = re.compile(r"[^.;]*(/api/|https?://)[^.]*(\.|$)")  # a clause for programs, of no use in a chat


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
        return f"{_detail(error)}\nThis was not counted{_advice(error)}."
    if isinstance(error, Unavailable):
        return f"{_detail(error)}\nThis was not counted. Try again in {_wait(error.retry_after_s)}."
    if isinstance(error, Conflict):
        return _detail(error)
    if isinstance(error, Unauthorized):
        return NO_KEY
    return NOT_FOUND if isinstance(error, NotFound) else _fault(error)


def _limit(error: Refused) -> str:
    """A used-up limit: the person's own, or that of the whole bot."""
    if error.code != "quota_exhausted":
        detail = _detail(error)
        return detail if "try again" in detail.lower() else f"{detail} Try again in {_wait(error.retry_after_s)}."
    if "all end users" in error.detail:
        return "This bot has used all its questions for today. You can ask again after 00:00 UTC."
    return quota_used_up(error.limit, error.reset_at)


def _fault(error: Refused) -> str:
    return f"{FAULT} Reference: <code>{escaped(error.request_id, 60)}</code>" if error.request_id else FAULT


def _advice(error: Refused) -> str:
    return ". Send it again in other words" if error.code in ABOUT_THE_WORDS else ""


def _detail(error: Refused) -> str:
    return sentence(ADDRESS.sub("", error.detail).strip() or "The service refused this.", 1500)


def _wait(seconds: int | None) -> str:
    if seconds is None or seconds > 5400:
        return "a few hours" if seconds else "a minute"
    return plural(seconds, "second") if seconds < 90 else plural(round(seconds / 60), "minute")
